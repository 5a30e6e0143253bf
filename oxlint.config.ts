import { defineConfig } from "oxlint"
import type { OxlintOverride } from "oxlint"
import { clientRooms, districts, floors, orderedFloors, packages, running } from "./build/districts.ts"
import type { ClientRoom, Floor } from "./build/districts.ts"
import manifest from "./package.json" with { type: "json" }

/** An import that is forbidden, and what to say about it. */
interface Forbidden {
  readonly regex: string
  readonly message: string
}

const everyFloor = Object.keys(floors) as ReadonlyArray<Floor>
type Upper = keyof typeof packages
const upper = everyFloor.filter((floor): floor is Upper => floor !== "runtime")
const anyOf = (names: ReadonlyArray<string>): string =>
  `(${names.map((name) => name.replaceAll(/[.]/g, "\\$&")).join("|")})`
const table = "build/districts.ts is the list"
const listed = (names: ReadonlyArray<string>): string => names.length === 0 ? "nothing" : names.join(", ")

/** Everything installed that a floor may not import, and Node itself. */
const foreignPackages = (floor: Upper): ReadonlyArray<Forbidden> => {
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
  // From a folder of a floor another floor is two folders up at least: `../api/` is a room of the client.
  const up = place === floor ? "+" : "{2,}"
  return [{ regex: `^(\\.\\./)${up}${anyOf(forbidden)}/`, message }]
}

const rule = (files: string, patterns: ReadonlyArray<Forbidden>): OxlintOverride => ({
  files: [files],
  rules: { "no-restricted-imports": ["error", { patterns: [...patterns] }] }
})

const floorPatterns = (place: string, floor: Upper, allowed = floors[floor]): ReadonlyArray<Forbidden> => [
  ...foreignPackages(floor),
  ...foreignFloors(place, floor, allowed)
]

/** Rooms of the client that one of them may not import. */
const clientRule = (name: string, { floors: allowed, imports }: ClientRoom): OxlintOverride => {
  const forbidden = Object.keys(clientRooms).filter((other) => other !== name && !imports.includes(other))
  return rule(`src/client/${name}/**`, [
    ...floorPatterns(`client/${name}`, "client", allowed),
    {
      regex: `^\\.\\./${anyOf(forbidden)}/`,
      message: `of client, ${name} may import ${listed(imports)} (${table})`
    }
  ])
}

const names = Object.keys(districts)

/** Districts of its own floor that one of them does not stand on. */
const districtRule = (floor: Upper, name: string, index: number): OxlintOverride => {
  const later = names.slice(index + 1)
  return rule(`src/${floor}/${name}/**`, [
    ...floorPatterns(`${floor}/${name}`, floor),
    ...(later.length === 0 ? [] : [{
      regex: `^(\\.\\./)+${anyOf(later)}/`,
      message: `of ${floor}, ${name} may import the districts before it in the list, not ${listed(later)} (${table})`
    }])
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
      "src/runtime/LogFlood.ts",
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

// Of two rules for a file the later counts: a district's follows that of its floor.
const overrides = [
  ...upper.map((floor) => rule(`src/${floor}/**`, floorPatterns(floor, floor))),
  ...Object.entries(clientRooms).map(([name, room]) => clientRule(name, room)),
  ...upper.filter((floor) => orderedFloors.some((ordered) => ordered === floor))
    .flatMap((floor) => names.map((name, index) => districtRule(floor, name, index))),
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
