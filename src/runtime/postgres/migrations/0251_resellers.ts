import { addColumns } from "../OnlineMigration.ts"

/** API keys of resellers: the tag of the licenses that such a key sees, and how many there may be. NULL where it has no such limit. */
export default addColumns("management_keys", {
  license_tag: { type: "text", check: "license_tag IS NULL OR product_ids IS NOT NULL" },
  max_licenses: { type: "integer", check: "max_licenses IS NULL OR (max_licenses > 0 AND license_tag IS NOT NULL)" }
})
