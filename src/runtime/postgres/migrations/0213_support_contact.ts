import { addColumns } from "../OnlineMigration.ts"

/** Where customers can ask, and where they renew a license. NULL where the vendor named neither. */
export default addColumns("service_settings", { support_contact: "text", renewal_url: "text" })
