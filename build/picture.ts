// Draws the rooms of src and their imports into ARCHITECTURE.md, from the code (npm run docs:picture). test/tidy.test.ts
// fails when the picture is not current.
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { withGenerated } from "./generated.ts"
import type { Arrows } from "./imports.ts"
import { arrowsBetween, readImports, reduced, roomOf } from "./imports.ts"
import type { Floor, Room } from "./rooms.ts"
import { floors, rooms } from "./rooms.ts"

const idOf = (room: string): string => room.replaceAll("/", "_")

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => a.localeCompare(b)

const arrowLines = (arrows: Arrows): ReadonlyArray<string> =>
  [...arrows].toSorted(byName).flatMap(([from, targets]) =>
    [...targets].toSorted().map((to) => `${idOf(from)} --> ${idOf(to)}`)
  )

const floorLines = (imports: ReturnType<typeof readImports>, floor: Floor): ReadonlyArray<string> => {
  const known = Object.keys(rooms[floor] ?? {})
  if (known.length === 0) return [`  ${floor}["${floor}"]`]
  const groups = new Set(known.map((name) => `${floor}/${name}`))
  const inside = arrowsBetween(imports, (path) => groups.has(roomOf(path)) ? roomOf(path) : undefined)
  return [
    `  subgraph ${floor}`,
    ...known.map((name) => `    ${idOf(`${floor}/${name}`)}["${name}"]`),
    ...arrowLines(reduced(inside)).map((line) => `    ${line}`),
    "  end"
  ]
}

/** The floors from the top down, each with its rooms and the arrows between them. */
const drawing = (root: string): ReadonlyArray<string> => {
  const imports = readImports(root)
  const named = Object.keys(floors) as ReadonlyArray<Floor>
  return [
    "```mermaid",
    "flowchart TB",
    ...named.toReversed().flatMap((floor) => floorLines(imports, floor)),
    ...arrowLines(reduced(arrowsBetween(imports, (path) => path.split("/")[1]))).map((line) => `  ${line}`),
    "```"
  ]
}

const roomLines = (known: Readonly<Record<string, Room>>): ReadonlyArray<string> =>
  Object.entries(known).map(([name, { about }]) => `- \`${name}\`: ${about}`)

const descriptions = (): ReadonlyArray<string> =>
  Object.entries(rooms).flatMap(([floor, known]) =>
    ["", `\`src/${floor}\`, from the ground up:`, ""].concat(roomLines(known))
  )

/** The document with the current picture, and what each room is, between its markers. */
export const withPicture = (root: string, document: string): string =>
  withGenerated(document, "rooms", [
    ...drawing(root),
    "",
    "An arrow says: imports. Arrows that follow from others are left out.",
    ...descriptions()
  ])

if (import.meta.main) {
  const root = join(import.meta.dirname, "..")
  const file = join(root, "ARCHITECTURE.md")
  writeFileSync(file, withPicture(root, readFileSync(file, "utf8")))
}
