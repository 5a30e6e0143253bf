import { addColumns } from "../OnlineMigration.ts"

/** Where customers get a version of a product. NULL where nothing is told. */
export default addColumns("product_versions", { links: "jsonb" })
