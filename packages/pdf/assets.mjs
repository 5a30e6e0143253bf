// What a bundle of this package needs beside it: the programs that shape text and cut fonts, and the fonts with their licenses.
import { cp, readdir } from "node:fs/promises"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import manifest from "./package.json" with { type: "json" }

const require = createRequire(import.meta.url)
const scope = "@fontsource-variable/"

/**
 * Copies them into the directory of the bundle: 1 MB of programs, 34 MB of fonts.
 *
 * @param {string} outdir
 * @param {{ readonly withFonts: boolean }} options
 */
export const copyAssets = async (outdir, { withFonts }) => {
  for (const program of ["harfbuzz.wasm", "harfbuzz-subset.wasm"]) {
    await cp(require.resolve(`harfbuzzjs/dist/${program}`), join(outdir, program))
  }
  const families = Object.keys(manifest.dependencies).filter((name) => name.startsWith(scope))
  for (const name of withFonts ? families : []) {
    const from = dirname(require.resolve(`${name}/package.json`))
    const to = join(outdir, "fonts", name.slice(scope.length))
    for (const file of ["unicode.json", "LICENSE"]) await cp(join(from, file), join(to, file))
    for (const file of await readdir(join(from, "files"))) {
      if (file.endsWith("-wght-normal.woff2")) await cp(join(from, "files", file), join(to, "files", file))
    }
  }
}
