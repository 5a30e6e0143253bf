import { Effect } from "effect"
import { createIndex } from "../OnlineMigration.ts"

/**
 * Lists by what people know of a customer or a license, and by when a row came into being or changed. Beginnings are
 * looked up in the order of code points ("C"), whatever order the database has otherwise. Each index takes about a
 * second for a million rows.
 */
export default Effect.gen(function*() {
  yield* createIndex("customers_by_name", `ON customers ((lower(name) COLLATE "C"), id)`)
  yield* createIndex("customers_by_email", `ON customers ((lower(email) COLLATE "C"), id) WHERE email IS NOT NULL`)
  yield* createIndex(
    "licenses_by_customer_email",
    `ON licenses ((lower(customer_email) COLLATE "C"), id) WHERE customer_email IS NOT NULL`
  )
  yield* createIndex(
    "licenses_by_customer_name",
    `ON licenses ((lower(customer_name) COLLATE "C"), id) WHERE customer_name IS NOT NULL`
  )
  yield* createIndex("licenses_by_last4", "ON licenses (license_key_last4, id)")
  // Fingerprints are long, and are only ever compared.
  yield* createIndex("devices_by_fingerprint", "ON devices USING hash (fingerprint) WHERE fingerprint IS NOT NULL")

  for (const table of ["customers", "licenses"]) {
    for (const time of ["created", "updated"]) {
      yield* createIndex(`${table}_by_${time}`, `ON ${table} (${time}_at, id)`)
    }
  }
  for (const table of ["orders", "subscriptions"]) {
    for (const time of ["created", "updated"]) {
      yield* createIndex(`${table}_by_${time}`, `ON ${table} (product_id, ${time}_at, id)`)
    }
  }
})
