import type { Database, Query } from "../../ground/persistence/Database.ts"

/**
 * Deletes the saved views that name a customer, by what the customer or a license of the customer is called: by a filter that
 * asks for them, a text that finds them, or a name that has their name or address in it.
 */
export const deleteViewsNaming = (sql: Database, customerId: string): Query<object> =>
  sql`
    -- name: license_views.delete naming customer
    DELETE FROM license_views v USING (
      SELECT name, email, external_id FROM customers WHERE id = ${customerId}
      UNION ALL
      SELECT customer_name, customer_email, NULL FROM licenses WHERE customer_id = ${customerId}
    ) o
    WHERE v.filter ->> 'customer_id' = ${customerId}
      OR lower(v.filter ->> 'customer_email') = lower(o.email)
      OR v.filter ->> 'q' = o.external_id
      OR search_words(coalesce(o.name, '') || ' ' || coalesce(o.email, '')) @@ search_query(v.filter ->> 'q')
      OR starts_with(lower(o.name), lower(v.filter ->> 'q')) OR starts_with(lower(o.email), lower(v.filter ->> 'q'))
      OR (length(o.name) > 2 AND strpos(lower(v.name), lower(o.name)) > 0)
      OR strpos(lower(v.name), lower(o.email)) > 0
    RETURNING v.id`
