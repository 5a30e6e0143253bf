// What bundles of the sources import from Effect: modules by themselves, and not the barrels that list them. A bundle has
// parts, and a part that imports a barrel loads every module that any other part uses, and each of them whole.
import type { Plugin } from "esbuild"
import { readFileSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { sep } from "node:path"
import { inLatin1 } from "./latin1.ts"

const { resolve } = createRequire(import.meta.url)

type Write = (alias: string) => string

/** How what a barrel exports is imported from its own module, by the name that it has there. */
const exportsOf = (barrel: string): ReadonlyMap<string, Write> => {
  const text = readFileSync(resolve(barrel), "utf8").replaceAll(/\/\*.*?\*\//gs, "")
  const modules = text.matchAll(/^export \* as (\w+) from "\.\/(\w+)\.js"/gm)
  const functions = text.matchAll(/^export \{([^}]*)\} from "\.\/(\w+)\.js"/gm)
  const found = new Map<string, Write>()
  for (const [, name = "", module] of modules) {
    found.set(name, (alias) => `import * as ${alias} from "${barrel}/${module}"`)
  }
  for (const [, names = "", module] of functions) {
    for (const name of names.split(",").map((each) => each.trim())) {
      found.set(name, (alias) => `import { ${name} as ${alias} } from "${barrel}/${module}"`)
    }
  }
  return found
}

const known = new Map<string, ReadonlyMap<string, Write>>()

const importOf = (barrel: string, name: string, alias: string): string => {
  const exported = known.get(barrel) ?? exportsOf(barrel)
  known.set(barrel, exported)
  const write = exported.get(name)
  if (write === undefined) throw new Error(`${barrel} does not say from which module it exports ${name}`)
  return write(alias)
}

/** The text of a module that imports from no barrel of Effect. Its lines stay where they are. */
export const withDirectImports = (text: string): string =>
  text.replaceAll(/^import \{([^}]*)\} from "(effect(?:\/[a-z-]+)?)"$/gm, (_, list: string, barrel: string) => {
    const names = list.split(",").map((name) => name.trim()).filter((name) => name !== "")
    const imports = names.map((name) => {
      const [exported = "", alias = exported] = name.split(" as ")
      return importOf(barrel, exported, alias)
    })
    return imports.join("; ") + "\n".repeat(list.split("\n").length - 1)
  })

/** Bundles sources with direct imports and in Latin-1, after `change`, which is given the text of each and its path. */
export const directImports = (change: (text: string, path: string) => string = (text) => text): Plugin => ({
  name: "direct imports",
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/](src|packages)[\\/].*\.ts$/ }, async ({ path }) => {
      if (path.includes(`${sep}node_modules${sep}`)) return undefined
      return { contents: inLatin1(withDirectImports(change(await readFile(path, "utf8"), path))), loader: "ts" }
    })
  }
})
