// Sources of bundles in Latin-1: V8 keeps a file with one character beyond it in twice the memory, for as long as it runs.
import type { Plugin } from "esbuild"
import { readFile } from "node:fs/promises"

/** The same program with an escape for each character beyond Latin-1, in strings, templates and regular expressions. */
export const inLatin1 = (text: string): string =>
  text.replaceAll(/[^\0-\xff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)

/** Bundles libraries {@link inLatin1}. */
export const latin1Libraries: Plugin = {
  name: "libraries in Latin-1",
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/]node_modules[\\/].*\.[cm]?js$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8")
      const contents = inLatin1(text)
      return contents === text ? undefined : { contents, loader: "js" }
    })
  }
}
