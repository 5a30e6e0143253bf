import { Effect } from "effect"
import { addColumns, createIndex } from "../OnlineMigration.ts"

/** Custom fields whose values are in signed responses. NULL for those that are not, as none was before. */
export default Effect.gen(function*() {
  yield* addColumns("custom_field_definitions", { is_signed: "boolean" })
  // Each runtime response asks it, and it is empty for most products.
  yield* createIndex("custom_field_definitions_signed", "ON custom_field_definitions (product_id) WHERE is_signed")
})
