import { addColumns } from "../OnlineMigration.ts"

/** Whether a look is asked for by who has read the purchase at its provider, so that it need not be read again. */
export default addColumns("purchase_work", { is_read: "boolean NOT NULL DEFAULT false" })
