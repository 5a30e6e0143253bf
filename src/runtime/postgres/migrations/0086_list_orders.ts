import { Effect } from "effect"
import { createIndex } from "../OnlineMigration.ts"

/** The beginning of a name, for who looks for it in a sorted list: upper and lower case and accents are alike. */
const sorted = (name: string): string => `(left(search_folded(${name}), 60) COLLATE "C")`

/**
 * Licenses by their end, where what never ends comes last, and by the owner whom they name themselves; customers by their
 * names. A license without a name is sorted by its customer, if it has one, or by its email address.
 */
export default Effect.gen(function*() {
  yield* createIndex("licenses_by_end", "ON licenses ((coalesce(expires_at, 'infinity'::timestamptz)), id)")
  yield* createIndex(
    "licenses_by_owner",
    `ON licenses (${
      sorted(
        "coalesce(customer_name, CASE WHEN customer_id IS NULL THEN coalesce(customer_email, chr(1114111)) END)"
      )
    }, id) WHERE customer_name IS NOT NULL OR customer_id IS NULL`
  )
  yield* createIndex("customers_by_sorted_name", `ON customers (${sorted("name")}, id)`)
})
