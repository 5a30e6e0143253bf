// The parts of a bundle as scripts, which src/runtime/bundleParts.mjs loads: each is one function, whose code can be kept
// once it has run. Its lines stay where they are, so that its map fits.
import { nodeBundle } from "./nodeBundle.ts"

const banner = `${nodeBundle.banner.js}\n`

/** What a part is given: how it loads others, at once and later, what it exports, and where it is. */
const head = "(function (__load, __import, __exports, __url, require) { \"use strict\"\n\n"

/** The members of an object for what an import or export lists: `a as b` renames. */
const members = (list: string, order: (from: string, to: string) => string): string =>
  list.replaceAll(/([\w$]+) as ([\w$]+)/g, (_, from: string, to: string) => order(from, to))

/** The exported names that are given their value only when something calls for it: whoever imported one would have none. */
const setLater = (body: string): ReadonlyArray<string> => {
  const [, exported = ""] = /^export \{([^}]*)\};$/m.exec(body) ?? []
  const names = new Set(exported.split(",").map((name) => name.trim().split(" as ")[0]!))
  const empty = [...body.matchAll(/^var ([\w$, ]+);$/gm)].flatMap(([, list]) => list!.split(", "))
  return empty.filter((name) =>
    names.has(name) && !new RegExp(`^[^ ].*\\b${name.replaceAll("$", "\\$")} = `, "m").test(body)
  )
}

/**
 * A part that esbuild has written as a module, as the expression of a function. Parts import each other in no circle, and change
 * nothing that they export once they have run, so that what is imported can be taken as a value.
 */
export const asScript = (part: string): string => {
  const text = part.replace(/^#!.*/, "")
  const at = text.indexOf(banner)
  if (at === -1 || text.slice(0, at).trim() !== "") throw new Error("A part does not begin with the banner of bundles.")
  const module = text.slice(at + banner.length)
  const late = setLater(module)
  if (late.length > 0) throw new Error(`A part exports what is set later: ${late.join(", ")}`)
  const body = module
    .replaceAll(
      /^import \{([^}]*)\} from ("\.\/[^"]+");$/gm,
      (_, list: string, name: string) => `const {${members(list, (from, to) => `${from}: ${to}`)}} = __load(${name});`
    )
    .replaceAll(/^import ("\.\/[^"]+");$/gm, "__load($1);")
    .replaceAll(/^import (\{ \w+ \}) from ("(?:node:)?module");$/gm, "const $1 = require($2);")
    .replaceAll(
      /^export \{([^}]*)\};$/gm,
      (_, list: string) => `Object.assign(__exports, {${members(list, (from, to) => `${to}: ${from}`)}});`
    )
    .replaceAll(/^export default (.+);$/gm, "__exports.default = $1;")
    .replaceAll(/\bimport\(("\.\/[^"]+")\)/g, "__import($1)")
    .replaceAll(/\bimport\.meta\.url\b/g, "__url")
    .replaceAll(/\bimport\.meta(?=\?\.)/g, "({})")
  const left = /^(?:import|export)\b.*|\bimport\.meta\b.*/m.exec(body)
  if (left !== null) throw new Error(`A part has what no script may have: ${left[0]}`)
  return `${text.slice(0, at)}${head}${body}\n})\n`
}
