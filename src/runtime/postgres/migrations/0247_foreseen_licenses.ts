import { addColumns } from "../OnlineMigration.ts"

/** What a dry run of a reconciliation foresees of a purchase: which licenses it would take over or get. NULL where it foresees nothing. */
export default addColumns("billing_reconciliation_purchases", { foreseen: "jsonb" })
