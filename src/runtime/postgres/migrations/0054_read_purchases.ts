import { addColumns } from "../OnlineMigration.ts"

/** When a purchase was last read at its provider, and why the last try came to nothing. */
export default addColumns("purchases", { read_at: "timestamptz", read_failure: "jsonb" })
