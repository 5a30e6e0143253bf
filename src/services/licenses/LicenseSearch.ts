import type { Statement } from "effect/sql"
import { customersFoundBy } from "../commerce/CustomerSearch.ts"
import type { Database } from "../persistence/Database.ts"
import { beginsWith, isText } from "../persistence/TextSearch.ts"

/** The ids of the licenses that have this e-mail address, or whose customer has it. */
export const licensesOfEmail = (sql: Database, email: string): Statement.Fragment =>
  sql`
  SELECT id FROM licenses WHERE ${isText(sql, "customer_email", email)}
  UNION ALL SELECT id FROM licenses
    WHERE customer_id = ANY(ARRAY(SELECT id FROM customers WHERE ${isText(sql, "email", email)}))`

/**
 * The ids of the licenses that a person looks for: by the id of the license, of its customer, order, subscription or
 * device, by the last four characters of the key, by the fingerprint of a device, by the code of the customer, or by
 * how the name or the e-mail address of the owner begins. Each of them is a search in an index.
 */
export const licensesFoundBy = (sql: Database, text: string): Statement.Fragment =>
  sql`
  SELECT id FROM licenses WHERE id = ${text} OR order_id = ${text} OR subscription_id = ${text}
    OR license_key_last4 = upper(${text}::text)
  UNION ALL SELECT id FROM licenses WHERE ${beginsWith(sql, "customer_email", text)}
  UNION ALL SELECT id FROM licenses WHERE ${beginsWith(sql, "customer_name", text)}
  UNION ALL SELECT id FROM licenses WHERE customer_id = ANY(ARRAY(${customersFoundBy(sql, text)}))
  UNION ALL SELECT license_id FROM devices WHERE id = ${text} OR fingerprint = ${text}`
