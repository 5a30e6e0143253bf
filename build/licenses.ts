// Lists the licenses of what the service is made of in docs/reference/licenses.md, from package-lock.json (npm run
// docs:licenses). test/world/ops/Supply.test.ts fails when the list is not current, and on a license that is not allowed here.
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { withGenerated } from "./generated.ts"
import { broughtBy, productionPackages } from "./packages.ts"

/** Licenses that ask for their notice alone, by their names in SPDX's list. */
const allowed = new Set([
  // The choice is ours, and either asks for its notice alone.
  "(MIT OR Apache-2.0)",
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "BlueOak-1.0.0",
  "ICU",
  "ISC",
  "LicenseRef-Public-Domain",
  "MIT",
  "MIT-0",
  "OpenSSL",
  "PostgreSQL",
  "Zlib"
])

/** Licenses that are allowed to some alone, with what they ask for. */
const allowedTo: ReadonlyArray<{ readonly license: string; readonly names: RegExp }> = [
  // Fonts may be embedded in documents and bundled with software, and are not sold by themselves.
  { license: "OFL-1.1", names: /^@fontsource-variable\// }
]

/** Something with its license. */
interface Licensed {
  readonly name: string
  readonly version: string
  readonly license: string | undefined
}

/** Whether a license may be that of a thing. An expression of several is for a person to judge. */
export const isAllowed = ({ license, name }: Licensed): boolean =>
  license !== undefined &&
  (allowed.has(license) || allowedTo.some((one) => one.license === license && one.names.test(name)))

/** Every package of production and what it brings, each version once. */
export const licensed = (root: string): ReadonlyArray<Licensed> =>
  productionPackages(root).flatMap((one) => {
    const programs = broughtBy(one)
      .map(({ license, name, version }): Licensed => ({ name: `${name}, in ${one.name}`, version, license }))
    return [one as Licensed].concat(programs)
  })

/** The document with the current list between its markers: a line for each license, with all that is under it. */
export const withLicenses = (root: string, document: string): string => {
  const groups = Map.groupBy(licensed(root), ({ license = "none" }) => license)
  const rows = [...groups].toSorted(([a], [b]) => a.localeCompare(b, "en")).map(([license, members]) =>
    `- **${license}**: ${members.map(({ name, version }) => `${name} ${version}`).join("; ")}`
  )
  return withGenerated(document, "licenses", rows)
}

if (import.meta.main) {
  const root = join(import.meta.dirname, "..")
  const file = join(root, "docs/reference/licenses.md")
  writeFileSync(file, withLicenses(root, readFileSync(file, "utf8")))
}
