import { assert, describe, it } from "@effect/vitest"
import { extendChain } from "../../../../src/domain/evidence/transparency/ChainExtension.ts"
import { canonicalJson } from "../../../../src/domain/ground/wire/CanonicalJson.ts"
import type { EventKind } from "../../../../src/domain/log/EventKind.ts"
import { resourceTypeOf } from "../../../../src/domain/log/EventKind.ts"
import type { ServedEvent } from "../../../../src/domain/log/EventLeaf.ts"
import { genesisHash, leafOf, servedHash } from "../../../../src/domain/log/EventLeaf.ts"
import type { LicenseEnd } from "../../../../src/domain/log/LicenseChain.ts"
import { licenseStart } from "../../../../src/domain/log/LicenseLink.ts"
import { sha256 } from "../../../fixtures/NaiveTree.ts"

/** Kinds, each with the resource and the data of an event of it about a license. */
const about: Readonly<Partial<Record<EventKind, (license: string) => readonly [resource: string, data: object]>>> = {
  "license.usage_recorded": (license) => [license, { license_id: license }],
  "license.suspended": (license) => [license, { id: license }],
  "mail.sent": (license) => [license, { license_id: license }],
  "offline.issued": (license) => [license, { license_id: license, device_id: "dev_1" }],
  "device.reset": (license) => ["dev_1", { license_id: license }],
  "lease.checked_out": (license) => ["lse_1", { license_id: license }],
  "note.created": (license) => ["note_1", { license_id: license }],
  "offline_file.issued": (license) => ["ofl_1", { license_id: license }]
}

const event = (n: number, event_type: EventKind, resource_id: string, data: object) => ({
  id: `evt_${n}`,
  event_type,
  actor_type: "system",
  actor_id: "system",
  resource_id,
  metadata: "{}",
  data: canonicalJson(data as Parameters<typeof canonicalJson>[0]),
  created_at: new Date(n)
})

describe("extendChain", () => {
  it("names in each event of a license the one before it, however the events come in batches", () => {
    const licenses = ["lic_1", "lic_2", "lic_3"]
    const kinds = Object.entries(about)
    const events = Array.from({ length: 60 }, (_, n) => {
      if (n % 7 === 3) return event(n, "product.created", "prod_1", { id: "prod_1" })
      if (n % 11 === 5) return event(n, "note.created", "note_2", { customer_id: "cus_1" })
      const [kind, tell] = kinds[n % kinds.length]!
      return event(n, kind as EventKind, ...tell(licenses[(n * n) % 3]!))
    })
    for (const size of [1, 7, 60]) {
      const known = new Map<string, LicenseEnd>()
      let end = { sequence: 0, hash: new Uint8Array(32) as Uint8Array }
      const served: Array<ServedEvent> = []
      for (let first = 0; first < events.length; first += size) {
        const batch = events.slice(first, first + size)
        const extension = extendChain(end, batch, "live", sha256, known)
        for (const [index, row] of batch.entries()) {
          const leaf = leafOf({
            ...row,
            ...extension.licenses[index],
            environment: "live",
            sequence: extension.sequences[index]!,
            resource_type: resourceTypeOf(row.event_type),
            created_at: row.created_at.toISOString()
          })
          served.push({ ...leaf, hash: extension.hashes[index]!, previous_hash: extension.previousHashes[index]! })
        }
        for (const [license, last] of extension.licenseEnds) known.set(license, last)
        end = extension.end
      }
      let before = genesisHash
      for (const [index, one] of served.entries()) {
        before = servedHash(one, before, sha256)
        assert.strictEqual(one.hash, before)
        const named = one.resource_type === "license" ? one.resource_id : one.data["license_id"]
        assert.strictEqual(one.license_id, named as string | undefined)
        assert.strictEqual("previous_of_license" in one, named !== undefined)
        if (named === undefined) continue
        const last = served.slice(0, index).findLast(({ license_id }) => license_id === named)
        assert.deepStrictEqual(
          one.previous_of_license,
          last === undefined ? licenseStart : { hash: last.hash, sequence: last.sequence }
        )
      }
    }
  })

  it("says nothing of licenses where no last events are given", () => {
    const start = { sequence: 4, hash: new Uint8Array(32) }
    const { licenseEnds, licenses } = extendChain(
      start,
      [event(1, "license.suspended", "lic_1", { id: "lic_1" })],
      "live",
      sha256
    )
    assert.deepStrictEqual([licenses, licenseEnds.size], [[undefined], 0])
  })
})
