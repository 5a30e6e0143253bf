// What a person said has one place in events of every kind, whatever an event says of itself.
import { assert, describe, it } from "@effect/vitest"
import { kinds } from "../../../src/domain/log/EventKind.ts"
import { givenReason, withGivenReason } from "../../../src/domain/log/GivenReason.ts"
import { recordedEvent } from "../../../src/services/log/Events.ts"
import { sha256 } from "../../fixtures/NaiveTree.ts"

const why = "chargeback of order 4711"

const record = (type: typeof kinds[number], reason: string | undefined) => {
  const metadata = { license_id: "lic_1", reason: "released" }
  const event = withGivenReason({ type, metadata, personal: ["/data/contact"] }, reason)
  return recordedEvent({ randomBytes: (size: number) => new Uint8Array(size), sha256 }, {
    ...event,
    id: "evt_1",
    resourceId: "x_1",
    data: { contact: "ada@example.com" },
    actor: { type: "api_key", id: "key_1" },
    origin: { requestId: "req_1", ipAddress: undefined, traceparent: undefined }
  })
}

describe("the reason that a person gave", () => {
  it.each(kinds)("of %s stands beside its own reason, in the activity, and is withheld", (type) => {
    const { activity, values } = record(type, why)
    const isKept = type === "customer.erased"
    const stored = JSON.parse(String(values.metadata))
    assert.deepStrictEqual(stored, {
      license_id: "lic_1",
      reason: "released",
      ...(isKept ? { reason_given: why } : {})
    })
    const personal = JSON.parse(String(values.personal))
    assert.strictEqual(personal["/metadata/reason_given"]?.value, isKept ? undefined : why)
    assert.strictEqual(personal["/data/contact"].value, "ada@example.com")
    assert.strictEqual(activity?.reason, type === "license.usage_recorded" ? undefined : why)
  })

  it.each(kinds)("of %s is none where nobody gave one", (type) => {
    const { activity, values } = record(type, undefined)
    assert.notProperty(activity ?? {}, "reason")
    assert.isUndefined(givenReason(JSON.parse(String(values.metadata))))
  })
})
