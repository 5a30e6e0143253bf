import { addColumns } from "../OnlineMigration.ts"

/** Who created an API key: type and ID of the actor. Keys from before are of nobody who is known. */
export default addColumns("management_keys", { created_by: "jsonb" })
