/**
 * Makes the types of the client from an OpenAPI document, with hey-api. `node types.mjs <document.json> <directory>`
 * prints the TypeScript.
 */
import { readFile } from "node:fs/promises"
import { registerHooks } from "node:module"
import { join, resolve } from "node:path"

// hey-api writes by the API of TypeScript 5, which the compiler of the project does not have. npm puts hey-api beside that
// compiler, which its range allows, and the older one beside this file.
const older = import.meta.resolve("typescript")
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === "typescript" ? { url: older, shortCircuit: true } : next(specifier, context)
})
const { createClient } = await import("@hey-api/openapi-ts")

const [document = "", directory = ""] = process.argv.slice(2)
await createClient({
  input: resolve(document),
  output: directory,
  plugins: ["@hey-api/typescript"],
  logs: { level: "silent", file: false }
})
console.log(await readFile(join(directory, "types.gen.ts"), "utf8"))
