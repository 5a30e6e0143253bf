import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { heldBy, processOf, standingOfLeases } from "../../../../src/domain/licensing/entitlements/Lease.ts"
import { RuntimeRequest } from "../../../../src/domain/licensing/entitlements/RuntimeRequest.ts"

const [byDevice, byProcess] = [{}, { lease_unit: "process" }] as unknown as ReadonlyArray<
  Parameters<typeof processOf>[0]
>

const lease = (process_id: string, live = true) => ({ process_id, live })

describe("the lease of a call", () => {
  it("is of the process that is named, where the terms say so, and of the device otherwise", () => {
    assert.deepStrictEqual([processOf(byDevice!, { process_id: "a" }), processOf(byProcess!, { process_id: "a" })], [
      "",
      "a"
    ])
    assert.strictEqual(processOf(byProcess!, {}), "")
  })

  it("that is kept is its own; of a device whose processes had some before, the newest", () => {
    const held = [lease("new"), lease("old")]
    const kept = (unit: Parameters<typeof heldBy>[1], process_id?: string) =>
      heldBy(held, unit, process_id === undefined ? {} : { process_id })?.process_id
    assert.deepStrictEqual([kept(byProcess!, "old"), kept(byProcess!, "other"), kept(byProcess!)], [
      "old",
      undefined,
      undefined
    ])
    assert.deepStrictEqual([kept(byDevice!, "old"), kept(byDevice!, "other"), kept(byDevice!)], ["old", "new", "new"])
    assert.isUndefined(heldBy(undefined, byDevice!, {}))
  })

  it("stands as that of the process that is named; a call that names none is about any", () => {
    const held = [lease("dead", false), lease("alive")]
    const of = (call: Parameters<typeof standingOfLeases>[2], leases = held, unit = byProcess!) => {
      const { isAnyLive, lease } = standingOfLeases(leases, unit, call)
      return `${lease}${isAnyLive ? ", one lives" : ""}`
    }
    assert.strictEqual(of({ process_id: "dead" }), "expired, one lives")
    assert.strictEqual(of({ process_id: "alive" }), "live, one lives")
    assert.strictEqual(of({ process_id: "other" }), "unknown, one lives")
    assert.strictEqual(of({}), "live, one lives")
    assert.strictEqual(of({ operation: "heartbeat" }), "live, one lives")
    // A checkout without a process is for the device.
    assert.strictEqual(of({ operation: "checkout" }), "unknown, one lives")
    assert.strictEqual(of({ operation: "checkout" }, held, byDevice), "expired, one lives")
    assert.strictEqual(of({}, [lease("dead", false)]), "expired")
    assert.strictEqual(of({}, []), "unknown")
  })
})

describe("a request of a device", () => {
  const isTaken = (request: object) => Schema.decodeUnknownExit(RuntimeRequest)(request)._tag === "Success"

  it("names a machine by its fingerprint", () => {
    assert.isTrue(isTaken({ fingerprint: "f" }))
    assert.isTrue(isTaken({ fingerprint: "f", is_container: false }))
    for (const request of [{}, { fingerprint: " " }, { is_container: false }, { container_id: "c" }]) {
      assert.isFalse(isTaken(request))
    }
  })

  it("names a container by any of its members that is not blank", () => {
    for (const member of ["cluster_id", "namespace", "pod_name", "container_id"]) {
      assert.isTrue(isTaken({ is_container: true, [member]: "c" }))
      assert.isFalse(isTaken({ is_container: true, [member]: " " }))
    }
    assert.isTrue(isTaken({ is_container: true, cluster_id: " ", pod_name: "p" }))
    assert.isFalse(isTaken({ is_container: true, fingerprint: "f" }))
  })
})
