/**
 * Makes the types of the client from an OpenAPI document, with hey-api. `node types.mjs <document.json> <directory>`
 * prints the TypeScript.
 */
import { createClient } from "@hey-api/openapi-ts"
import { readFile } from "node:fs/promises"
import { join, resolve } from "node:path"

const [document = "", directory = ""] = process.argv.slice(2)
await createClient({
  input: resolve(document),
  output: directory,
  plugins: ["@hey-api/typescript"],
  logs: { level: "silent", file: false }
})
console.log(await readFile(join(directory, "types.gen.ts"), "utf8"))
