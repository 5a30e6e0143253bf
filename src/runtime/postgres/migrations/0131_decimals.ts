import { addColumns } from "../OnlineMigration.ts"

/** How many decimal places the amounts of a feature have. NULL where they have none, so that events stay as they are. */
export default addColumns("features", { decimals: { type: "int", check: "decimals BETWEEN 1 AND 6" } })
