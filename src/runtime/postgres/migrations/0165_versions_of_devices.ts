import { addColumns } from "../OnlineMigration.ts"

/** Which version of the app devices named last, and since when. NULL until one names its version. */
export default addColumns("devices", { app_version: "text", app_version_since: "timestamptz" })
