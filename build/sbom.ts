// Writes what the service is made of as a CycloneDX document (npm run sbom): every package of production with its license and
// its hash, on every system that it runs on, and the programs that are in them. The same lock file gives the same document.
// An argument names another file than dist/sbom.cdx.json.
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import manifest from "../package.json" with { type: "json" }
import { broughtBy, ownPackages, productionPackages, unsaid } from "./packages.ts"

interface Component {
  readonly name: string
  readonly version: string
  readonly externalReferences?: ReadonlyArray<{ readonly type: string }>
  readonly [member: string]: unknown
}

/** A bill of materials as CycloneDX has it, and what is read of it here. */
export interface Bom {
  readonly specVersion: string
  readonly metadata: { readonly component: Component; readonly [member: string]: unknown }
  readonly components: ReadonlyArray<Component>
  readonly [member: string]: unknown
}

/** What npm writes. */
interface NpmBom {
  readonly specVersion: string
  readonly serialNumber: string
  readonly metadata: { readonly component: Component; readonly lifecycles: unknown; readonly tools: unknown }
  readonly components: ReadonlyArray<Component>
  readonly dependencies: ReadonlyArray<{ readonly ref: string; readonly dependsOn: ReadonlyArray<string> }>
}

/** The programs in a package, as components of its component. */
const programsOf = ({ name, version }: Component): ReadonlyArray<Component> =>
  broughtBy({ name, version, license: undefined }).map((program) => ({
    type: program.name === "node" || program.name === "postgresql" ? "application" : "library",
    "bom-ref": `${name}@${version}#${program.name}`,
    name: program.name,
    version: program.version,
    licenses: program.license.startsWith("LicenseRef-")
      ? [{ license: { name: program.license.slice("LicenseRef-".length) } }]
      : [{ license: { id: program.license } }],
    cpe: `cpe:2.3:a:${program.cpe}:${program.version}:*:*:*:*:*:*:*`,
    purl: `pkg:generic/${program.name}@${program.version}`
  }))

/**
 * A component with the programs in it, and without what is no business of who reads it: where it was downloaded from, and in
 * which folder npm puts it.
 */
const withPrograms = ({ externalReferences = [], properties: _npm, ...own }: Component): Component => {
  const programs = programsOf(own as Component)
  const license = unsaid[own["name"] as string]
  return Object.assign(
    own as Component,
    license === undefined ? {} : { licenses: [{ license: { id: license } }] },
    { externalReferences: externalReferences.filter(({ type }) => type !== "distribution") },
    programs.length === 0 ? {} : { components: programs }
  )
}

/** The number of a document (RFC 9562 section 5.8: version 8), by what is in it. */
const serialNumber = (text: string): string => {
  const hex = createHash("sha256").update(text).digest("hex")
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${
    hex.slice(20, 32)
  }`
}

/** The document of a checkout. npm reads the lock file alone: nothing is asked of a registry, nothing need be installed. */
export const bomOf = (root: string): Bom => {
  const text = execFileSync(
    "npm",
    // Not --omit=dev: it leaves out what development depends on as well, such as effect.
    ["sbom", "--silent", "--sbom-format=cyclonedx", "--sbom-type=application", "--package-lock-only"],
    { cwd: root, encoding: "utf8", env: { ...process.env, npm_config_offline: "true" }, maxBuffer: 64 * 1024 ** 2 }
  )
  const { components, dependencies, metadata: { component, lifecycles, tools }, serialNumber: _random, ...bom } = JSON
    .parse(text) as NpmBom
  const references = new Set(productionPackages(root).map(({ name, version }) => `${name}@${version}`))
  const ownReference = component["bom-ref"] as string
  // What the packages of the repository depend on, the service does.
  const own = new Set([ownReference, ...ownPackages(root)])
  const ownDependencies = dependencies.filter(({ ref }) => own.has(ref)).flatMap(({ dependsOn }) => dependsOn)
  const body = {
    ...bom,
    metadata: {
      lifecycles,
      tools,
      // npm calls it after its folder.
      component: { ...component, name: manifest.name, licenses: [{ license: { name: "Proprietary" } }] }
    },
    components: components.filter((one) => references.has(one["bom-ref"] as string)).map(withPrograms),
    dependencies: [
      { ref: ownReference, dependsOn: [...new Set(ownDependencies)] },
      ...dependencies.filter(({ ref }) => references.has(ref))
    ].map(({ dependsOn, ref }) => ({ ref, dependsOn: dependsOn.filter((other) => references.has(other)) }))
  }
  return { ...body, serialNumber: serialNumber(JSON.stringify(body)) }
}

if (import.meta.main) {
  const root = join(import.meta.dirname, "..")
  const file = process.argv[2] ?? join(root, "dist/sbom.cdx.json")
  const bom = bomOf(root)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${JSON.stringify(bom, null, 2)}\n`)
  console.log(`${file}: CycloneDX ${bom.specVersion}, ${bom.components.length} packages`)
}
