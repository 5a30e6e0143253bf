import { assert, describe, it } from "@effect/vitest"
import { bindingOf } from "../../../../src/domain/licensing/entitlements/DeviceBinding.ts"

describe("bindingOf", () => {
  it("hardware by its fingerprint, trimmed and in one Unicode form", () => {
    assert.deepStrictEqual(bindingOf({ fingerprint: " Gru\u0308n " }), { kind: "hardware", key: "Gr\u00fcn" })
    assert.deepStrictEqual(bindingOf({ fingerprint: "f", is_container: false, pod_name: "p" }), {
      kind: "hardware",
      key: "f"
    })
    assert.notDeepEqual(bindingOf({ fingerprint: "abc" }), bindingOf({ fingerprint: "ABC" }))
  })

  it("containers by the members given, in one order whatever the request's", () => {
    const key = "cluster_id=c/namespace=n/pod_name=p/container_id=i"
    const members = { cluster_id: "c", namespace: "n", pod_name: "p", container_id: "i" }
    assert.deepStrictEqual(bindingOf({ is_container: true, ...members }), { kind: "container", key })
    const turned = Object.fromEntries(Object.entries(members).toReversed())
    assert.strictEqual(bindingOf({ is_container: true, ...turned }).key, key)
  })

  it("leaves the fingerprint of a container out, and members that are blank", () => {
    assert.strictEqual(
      bindingOf({ is_container: true, fingerprint: "f", pod_name: " p ", namespace: "  ", cluster_id: "" }).key,
      "pod_name=p"
    )
  })

  it("never lets two sets of members meet in one key", () => {
    const values = ["a", "a/pod_name=a", "a=a", "%", "%2F", "/", "namespace=a"]
    const keys = new Set<string>()
    let sets = 0
    for (const cluster_id of ["", ...values]) {
      for (const namespace of ["", ...values]) {
        for (const pod_name of ["", ...values]) {
          if (cluster_id + namespace + pod_name === "") continue
          keys.add(bindingOf({ is_container: true, cluster_id, namespace, pod_name }).key)
          sets++
        }
      }
    }
    assert.strictEqual(keys.size, sets)
  })
})
