import type { BuildOptions } from "esbuild"
import { directImports } from "./directImports.ts"
import { latin1Libraries } from "./latin1.ts"
import { schemaInside } from "./schemaText.ts"

/** How everything that Node 24 runs from one file and its parts is bundled, as settings of esbuild. */
export const nodeBundle = {
  bundle: true,
  splitting: true,
  platform: "node",
  format: "esm",
  target: "node24",
  plugins: [schemaInside, directImports(), latin1Libraries],
  // Libraries in CommonJS call require for Node's own modules.
  banner: {
    js: "import { createRequire as __createRequire } from \"node:module\"\n" +
      "const require = __createRequire(import.meta.url)"
  },
  logLevel: "warning"
} as const satisfies BuildOptions
