import { Effect } from "effect"
import { addColumns } from "../OnlineMigration.ts"

/**
 * The languages in which mails are written: of a customer, and of customers without one. NULL: as the settings have it, and
 * English.
 */
export default Effect.gen(function*() {
  yield* addColumns("customers", { language: { type: "text", check: "language ~ '^[a-z]{2}$'" } })
  yield* addColumns("service_settings", { mail_language: { type: "text", check: "mail_language ~ '^[a-z]{2}$'" } })
})
