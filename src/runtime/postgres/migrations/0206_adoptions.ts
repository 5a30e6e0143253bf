import { Effect } from "effect"
import { addColumns, briefly, createIndex } from "../OnlineMigration.ts"

/**
 * A license is taken over once: of several purchases that say they have it, the one that took it last does. And whether a purchase took over
 * licenses that were there before its connection, which it does once; NULL where it did not.
 */
export default Effect.gen(function*() {
  yield* briefly(`
    UPDATE purchase_licenses pl SET is_adopted = true
    WHERE NOT pl.is_adopted AND EXISTS (
      SELECT FROM purchase_licenses later WHERE later.license_id = pl.license_id AND NOT later.is_adopted
        AND (later.created_at, later.purchase_id, later.item, later.index) > (pl.created_at, pl.purchase_id, pl.item, pl.index))`)
  yield* createIndex("purchase_licenses_held_once", "ON purchase_licenses (license_id) WHERE NOT is_adopted", "UNIQUE")
  yield* addColumns("purchases", { has_moved_in: "boolean" })
})
