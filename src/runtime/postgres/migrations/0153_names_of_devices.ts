import { Effect } from "effect"
import { addColumns } from "../OnlineMigration.ts"

/** The names that customers give their devices, and the login pages of payment providers for customers. NULL where there is none, as before. */
export default Effect.gen(function*() {
  yield* addColumns("devices", { name: { type: "text", check: "length(name) BETWEEN 1 AND 255" } })
  yield* addColumns("billing_connections", { customer_portal_url: "text" })
})
