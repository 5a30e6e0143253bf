import { defineConfig } from "oxlint"
import type { OxlintOverride } from "oxlint"
import { floors, packages, rooms, running } from "./build/rooms.ts"
import type { Floor, Room } from "./build/rooms.ts"
import manifest from "./package.json" with { type: "json" }

/** An import that is forbidden, and what to say about it. */
interface Forbidden {
  readonly regex: string
  readonly message: string
}

const everyFloor = Object.keys(floors) as ReadonlyArray<Floor>
const upper = everyFloor.filter((floor): floor is keyof typeof packages => floor !== "runtime")
const anyOf = (names: ReadonlyArray<string>): string =>
  `(${names.map((name) => name.replaceAll(/[.]/g, "\\$&")).join("|")})`
const table = "build/rooms.ts is the table"
const listed = (names: ReadonlyArray<string>): string => names.length === 0 ? "nothing" : names.join(", ")

/** Everything installed that a floor may not import, and Node itself. */
const foreignPackages = (floor: keyof typeof packages): ReadonlyArray<Forbidden> => {
  const installed = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })
  const foreign = installed.filter((name) => !packages[floor].includes(name))
  return [
    {
      regex: `^(node:|${anyOf(foreign)}(/|$))`,
      message:
        `only runtime knows drivers and the platform: declare a port in services, implement it in runtime; ${floor} ` +
        `may import ${listed(packages[floor])} (${table})`
    },
    ...(floor === "domain"
      ? [{ regex: `^effect/${anyOf(running)}(/|$)`, message: "domain is what is true without running anything" }]
      : [])
  ]
}

/** Folders of the other floors, as they are named in an import. */
const foreignFloors = (place: string, floor: Floor, allowed: ReadonlyArray<Floor>): ReadonlyArray<Forbidden> => {
  const forbidden = [
    ...everyFloor.filter((other) => other !== floor && !allowed.includes(other)),
    "bench",
    "build",
    "examples",
    "test"
  ]
  const message = `of the other floors, ${place} may import ${listed(allowed)} (${table})`
  return [{ regex: `^(\\.\\./)+${anyOf(forbidden)}/`, message }]
}

/** Rooms on lower floors that are open to others only. */
const closedRooms = (place: string, floor: Floor, lowers = floors[floor]): ReadonlyArray<Forbidden> =>
  lowers.flatMap((lower) =>
    Object.entries(rooms[lower] ?? {}).flatMap(([name, { onlyFor }]) =>
      onlyFor === undefined || onlyFor.some((open) => open === floor || open === place) ? [] : [{
        regex: `^(\\.\\./)+${lower}/${name}/`,
        message: `${lower}/${name} is imported by ${onlyFor.join(" and ")} only (${table})`
      }]
    )
  )

/** Rooms of the same floor that a room may not import. */
const otherRooms = (floor: Floor, name: string, imports: ReadonlyArray<string>): ReadonlyArray<Forbidden> => {
  const forbidden = Object.keys(rooms[floor] ?? {}).filter((other) => other !== name && !imports.includes(other))
  if (forbidden.length === 0) return []
  return [{
    regex: `^\\.\\./${anyOf(forbidden)}/`,
    message: `of ${floor}, ${name} may import ${listed(imports)} (${table})`
  }]
}

const rule = (files: string, patterns: ReadonlyArray<Forbidden>): OxlintOverride => ({
  files: [files],
  rules: { "no-restricted-imports": ["error", { patterns: [...patterns] }] }
})

const floorRule = (floor: keyof typeof packages): OxlintOverride =>
  rule(`src/${floor}/**`, [
    ...foreignPackages(floor),
    ...foreignFloors(floor, floor, floors[floor]),
    ...closedRooms(floor, floor)
  ])

const roomRule = (floor: keyof typeof packages, name: string, room: Room): OxlintOverride => {
  const place = `${floor}/${name}`
  return rule(`src/${place}/**`, [
    ...foreignPackages(floor),
    ...foreignFloors(place, floor, room.floors ?? floors[floor]),
    ...closedRooms(place, floor, room.floors),
    ...otherRooms(floor, name, room.imports)
  ])
}

/** Everything that the service and its commands write for people goes through the two files that make it visible. */
const written: ReadonlyArray<OxlintOverride> = [
  {
    files: ["src/runtime/**"],
    rules: {
      "no-console": "error",
      "no-restricted-imports": ["error", {
        paths: [{
          name: "effect",
          importNames: ["Console"],
          message: "print by terminal/Printing.ts: a terminal obeys what strangers have written into names and messages"
        }],
        patterns: [{ regex: "(^|/)packages/", message: "a package of the repository is imported by its name" }]
      }]
    }
  },
  {
    // The writers themselves; help is the product's own text; and the last words of a process that cannot stop.
    files: [
      "src/runtime/terminal/Printing.ts",
      "src/runtime/terminal/Help.ts",
      "src/runtime/PrettyLogger.ts",
      "src/runtime/Program.ts",
      "src/runtime/main.ts"
    ],
    rules: { "no-console": "off", "no-restricted-imports": "off" }
  }
]

/** A package of the repository knows nothing of the service, and could be published as it is. */
const packaged = rule("packages/*/{src,test}/**", [{
  regex: "^(\\.\\./){2,}",
  message: "a package of the repository imports its own files, Node and what its package.json names"
}])

// Of two rules for a file the later counts: a room's follows that of its floor.
const overrides = [
  ...upper.map(floorRule),
  ...upper.flatMap((floor) => Object.entries(rooms[floor] ?? {}).map(([name, room]) => roomRule(floor, name, room))),
  ...written,
  packaged
]

export default defineConfig({
  ignorePatterns: ["**/*.gen.ts"],
  plugins: ["typescript", "import", "unicorn", "oxc", "promise", "vitest"],
  categories: { correctness: "error", suspicious: "error", perf: "error" },
  rules: {
    "unicorn/require-post-message-target-origin": "off",
    // A circle of types is a circle too: neither file can be understood, or moved, without the other.
    "import/no-cycle": ["error", { ignoreTypes: false }],
    "no-await-in-loop": "off",
    "no-shadow": "off",
    "no-underscore-dangle": "off",
    "require-yield": "off",
    "import/no-unassigned-import": "off",
    "no-unassigned-vars": "off",
    "unicorn/no-array-for-each": "off",
    "unicorn/consistent-function-scoping": "off",
    "typescript/no-this-alias": "off",
    "vitest/no-standalone-expect": "off",
    "vitest/expect-expect": "off",
    "vitest/require-mock-type-parameters": "off",
    "vitest/no-conditional-tests": "off"
  },
  overrides
})
