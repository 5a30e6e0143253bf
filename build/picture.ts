// Draws the districts of src and their imports into ARCHITECTURE.md, lists them in README.md and their documents in
// docs/contents.md, from the code (npm run docs:picture). test/tidy.test.ts fails when one of these is not current.
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { District, Floor } from "./districts.ts"
import { clientRooms, districts, dividedFloors, floors, orderedFloors } from "./districts.ts"
import { withGenerated } from "./generated.ts"
import type { Arrows } from "./imports.ts"
import { arrowsBetween, districtOf, readImports, reduced, roomOf } from "./imports.ts"

const idOf = (room: string): string => room.replaceAll("/", "_")

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => a.localeCompare(b)

const arrowLines = (arrows: Arrows): ReadonlyArray<string> =>
  [...arrows].toSorted(byName).flatMap(([from, targets]) =>
    [...targets].toSorted().map((to) => `  ${idOf(from)} --> ${idOf(to)}`)
  )

const drawn = (lines: ReadonlyArray<string>): ReadonlyArray<string> => ["```mermaid", "flowchart TB", ...lines, "```"]

type Imports = ReturnType<typeof readImports>

const floorLines = (imports: Imports): ReadonlyArray<string> =>
  drawn([
    ...(Object.keys(floors) as ReadonlyArray<Floor>).map((floor) => `  ${floor}["${floor}"]`),
    ...arrowLines(reduced(arrowsBetween(imports, (path) => path.split("/")[1])))
  ])

/** The arrows between districts: those of each floor, since a lower floor is open to the whole of the higher one. */
export const districtArrows = (imports: Imports): Arrows => {
  const arrows = new Map(Object.keys(districts).map((name) => [name, new Set<string>()]))
  for (const floor of orderedFloors) {
    const ofFloor = arrowsBetween(imports, (path) => {
      const place = districtOf(path)
      return place?.floor === floor ? place.district : undefined
    })
    for (const [from, targets] of ofFloor) for (const to of targets) arrows.get(from)?.add(to)
  }
  return arrows
}

const districtLines = (imports: Imports): ReadonlyArray<string> =>
  drawn([
    ...Object.keys(districts).map((name) => `  ${name}["${name}"]`),
    ...arrowLines(reduced(districtArrows(imports)))
  ])

/** How many rooms a district has before they are drawn. */
const fewRooms = 6

/** The rooms of a district on a floor where it has many, and what these import of each other. */
const roomPicture = (imports: Imports, place: string): ReadonlyArray<string> => {
  const inside = (path: string) => roomOf(path).startsWith(`${place}/`) ? roomOf(path).split("/").at(-1) : undefined
  const known = new Set([...imports.keys()].flatMap((path) => inside(path) ?? []))
  if (known.size <= fewRooms) return []
  const boxes = [...known].toSorted().map((room) => `  ${room}["${room}"]`)
  const arrows = arrowLines(reduced(arrowsBetween(imports, inside)))
  return ["", `\`src/${place}\`:`, "", ...drawn(boxes.concat(arrows))]
}

const sentence = (text: string): string => `${text[0]?.toUpperCase()}${text.slice(1)}`

const roomLines = (imports: Imports, name: string, { about, rooms }: District): ReadonlyArray<string> => [
  "",
  `### ${sentence(name)}`,
  "",
  `${sentence(about)}.`,
  ...(Object.keys(rooms).length === 0 ? [] : [""]),
  ...Object.entries(rooms).map(([room, holds]) => `- \`${room}\`: ${holds}`),
  ...dividedFloors.flatMap((floor) => roomPicture(imports, `${floor}/${name}`))
]

const clientLines = (): ReadonlyArray<string> => [
  "",
  "### The client",
  "",
  "`src/client` is a package of its own. Its rooms, from the ground up:",
  "",
  ...Object.entries(clientRooms).map(([name, { about }]) => `- \`${name}\`: ${about}`)
]

/** The document with the current picture, and what each district holds, between its markers. */
export const withPicture = (root: string, document: string): string => {
  const imports = readImports(root)
  return withGenerated(document, "districts", [
    "An arrow says: imports. Arrows that follow from others are left out. The floors:",
    "",
    ...floorLines(imports),
    "",
    "The districts, with the arrows of all floors:",
    "",
    ...districtLines(imports),
    ...Object.entries(districts).flatMap(([name, district]) => roomLines(imports, name, district)),
    ...clientLines()
  ])
}

const titleOf = (root: string, page: string): string => {
  const [, title = page] = /^# (.+)$/m.exec(readFileSync(join(root, "docs", `${page}.md`), "utf8")) ?? []
  return title
}

/** The table of contents of docs/, by district, between its markers. */
export const withContents = (root: string, document: string): string =>
  withGenerated(
    document,
    "contents",
    Object.entries(districts).flatMap(([name, { about, pages }]) =>
      ["", `## ${sentence(name)}`, "", `${sentence(about)}.`, ""].concat(
        pages.map((page) => `- [${titleOf(root, page)}](${page}.md)`)
      )
    ).slice(1)
  )

/** The tree of the project: its districts, between the markers of a document. */
export const withTree = (_root: string, document: string): string =>
  withGenerated(document, "project", [
    "```",
    `src/{${orderedFloors.join(",")}}/<district>/, and test/ alike:`,
    "",
    ...Object.entries(districts).map(([name, { about }]) => `  ${name.padEnd(12)} ${about}`),
    "",
    "src/client/      the package for backends, apps, receivers and auditors",
    "src/runtime/     the process: settings, drivers, PostgreSQL, the command line",
    "test/world/      browsers, proxies, packages, upgrades, faults, attacks",
    "```"
  ])

if (import.meta.main) {
  const root = join(import.meta.dirname, "..")
  const drawings = { "ARCHITECTURE.md": withPicture, "README.md": withTree, "docs/contents.md": withContents }
  for (const [path, draw] of Object.entries(drawings)) {
    const file = join(root, path)
    writeFileSync(file, draw(root, readFileSync(file, "utf8")))
  }
}
