import { addColumns } from "../OnlineMigration.ts"

/**
 * Whether a person suspended a license that its purchase had stopped, or would have: it stays suspended when what stopped it is undone. NULL where
 * nobody did, as in rows of before.
 */
export default addColumns("purchase_licenses", { is_suspended_by_person: "boolean" })
