import { Effect } from "effect"
import { addColumns, briefly, createIndex } from "../OnlineMigration.ts"

/** The customers that others belong to, whose pools they share. */
export default Effect.gen(function*() {
  yield* addColumns("customers", { parent_id: { type: `text COLLATE "C"`, references: "customers" } })
  yield* createIndex("customers_by_parent", "ON customers (parent_id, id) WHERE parent_id IS NOT NULL")
  // A plan of its own, which the statements that call it neither make nor start for customers without a parent.
  yield* briefly(`
    CREATE OR REPLACE FUNCTION customer_line(customer text) RETURNS text[] LANGUAGE plpgsql STABLE AS $$
    BEGIN
      RETURN (SELECT ARRAY[c0.id, c0.parent_id, c1.parent_id, c2.parent_id, c3.parent_id]
        FROM customers c0 LEFT JOIN customers c1 ON c1.id = c0.parent_id LEFT JOIN customers c2 ON c2.id = c1.parent_id
        LEFT JOIN customers c3 ON c3.id = c2.parent_id WHERE c0.id = customer);
    END $$`)
})
