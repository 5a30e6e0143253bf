import { globSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path/posix"
import { dividedFloors } from "./districts.ts"

/** The folder of src that a file stands in, as a path under src: `services/licensing/seats`. */
export const roomOf = (path: string): string => dirname(path).split("/").slice(1).join("/")

/** The floor and the district of a file of src; undefined where its floor is not divided, and for what stands above them. */
export const districtOf = (path: string): { readonly floor: string; readonly district: string } | undefined => {
  const floor = dividedFloors.find((name) => path.startsWith(`src/${name}/`))
  const [district, ...inside] = floor === undefined ? [] : path.slice(`src/${floor}/`.length).split("/")
  return floor === undefined || district === undefined || inside.length === 0 ? undefined : { floor, district }
}

const specifier = /(?:\bfrom\s+|\bimport\s*\(\s*|^import\s+)"(\.[^"]+)"/gm

const importsBy = (pattern: RegExp) => (root: string, path: string): ReadonlyArray<string> =>
  [...readFileSync(join(root, path), "utf8").matchAll(pattern)].map(([, imported = ""]) =>
    join(dirname(path), imported)
  )

/** The files that a file imports, types included, as paths from the root. */
const importsOf = importsBy(specifier)

/** The files that a file needs when it runs, as paths from the root. */
export const neededBy = importsBy(/^(?:(?:import|export)\s+(?!type\b)[^"=]*?\bfrom|import)\s+"(\.[^"]+)"/gm)

/** Every file of src and the files it imports, types included, as paths from the root. */
export const readImports = (root: string): ReadonlyMap<string, ReadonlyArray<string>> =>
  new Map(globSync("src/**/*.{ts,tsx,mjs}", { cwd: root }).toSorted().map((path) => [path, importsOf(root, path)]))

/** The arrows between nodes: from each, to those it imports. */
export type Arrows = ReadonlyMap<string, ReadonlySet<string>>

/** The arrows between what files are grouped by, without those to itself. */
export const arrowsBetween = (
  imports: ReadonlyMap<string, ReadonlyArray<string>>,
  groupOf: (path: string) => string | undefined
): Arrows => {
  const arrows = new Map<string, Set<string>>()
  for (const [path, imported] of imports) {
    const from = groupOf(path)
    if (from === undefined) continue
    const targets = arrows.get(from) ?? new Set()
    arrows.set(from, targets)
    for (const file of imported) {
      const to = groupOf(file)
      if (to !== undefined && to !== from) targets.add(to)
    }
  }
  return arrows
}

/** Every node on a circle, with one it imports and from which it is reached again. */
export const circles = (arrows: Arrows): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (const [from, targets] of arrows) {
    for (const to of targets) if (reaches(arrows, to, from)) found.push(`${from} -> ${to}`)
  }
  return found
}

const reaches = (arrows: Arrows, from: string, to: string, seen = new Set<string>()): boolean => {
  if (from === to) return true
  if (seen.has(from)) return false
  seen.add(from)
  return [...arrows.get(from) ?? []].some((next) => reaches(arrows, next, to, seen))
}

/** The arrows without those that follow from the others. */
export const reduced = (arrows: Arrows): Arrows => {
  const kept = new Map([...arrows].map(([from, targets]) => [from, new Set(targets)]))
  for (const [from, targets] of kept) {
    for (const to of arrows.get(from) ?? []) {
      targets.delete(to)
      if (!reaches(kept, from, to)) targets.add(to)
    }
  }
  return kept
}
