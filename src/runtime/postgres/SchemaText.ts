import { readFileSync } from "node:fs"
import { join } from "node:path"

/** The text of `schema.sql`. Bundles have it inside of them (`build/schemaText.ts`). */
export const schemaText: string = readFileSync(join(import.meta.dirname, "schema.sql"), "utf8")
