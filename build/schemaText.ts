// Bundles carry src/runtime/postgres/schema.sql inside of them: what is bundled is one thing wherever it lies, and a change of the
// file is one of the bundle.
import type { Plugin } from "esbuild"
import { dirname } from "node:path"

/** Has SchemaText.ts export what the file beside it says when the bundle is made. */
export const schemaInside: Plugin = {
  name: "schema inside",
  setup: ({ initialOptions, onLoad }) => {
    initialOptions.loader = { ...initialOptions.loader, ".sql": "text" }
    onLoad({ filter: /[\\/]postgres[\\/]SchemaText\.ts$/ }, ({ path }) => ({
      contents: "export { default as schemaText } from \"./schema.sql\"",
      loader: "ts",
      resolveDir: dirname(path)
    }))
  }
}
