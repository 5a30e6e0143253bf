import { assert, describe, it } from "@effect/vitest"
import { externalFindings } from "../../../src/domain/customers/Customer.ts"
import {
  isOutdated,
  isTooFarAhead,
  sourceFindings,
  warningsAboutSource
} from "../../../src/domain/customers/SourceInstant.ts"
import { periodFindings } from "../../../src/domain/customers/Subscription.ts"

const now = Date.parse("2027-01-15T00:00:00.000Z")
const at = (millis: number) => new Date(millis).toISOString()
const of = (source_updated_at?: string) => source_updated_at === undefined ? {} : { source_updated_at }

describe("a change of a billing system", () => {
  it.each<[string, string | undefined, string | undefined, boolean]>([
    ["older than what is stored", at(now), at(now - 1), true],
    ["of the same instant", at(now), at(now), false],
    ["newer", at(now), at(now + 1), false],
    ["of an instant that nobody says", at(now), undefined, false],
    ["of a record whose instant nobody has said", undefined, at(now), false],
    // The same instant on a clock of another zone.
    ["of the same instant elsewhere", "2027-01-15T01:00:00.000+01:00", at(now), false]
  ])("%s is ignored: that is said, and it is outdated", (_, stored, change, is) => {
    assert.strictEqual(isOutdated(of(stored), of(change)), is)
    assert.deepStrictEqual(
      warningsAboutSource(of(change), of(stored)).map(({ code }) => code),
      is
        ? ["SOURCE_OUTDATED"]
        : []
    )
  })

  it("may be a day ahead of the service, and no more: it would outdate all that comes", () => {
    const day = 86_400_000
    assert.deepStrictEqual([now, now + day, now + day + 1].map((time) => isTooFarAhead(at(time), now)), [
      false,
      false,
      true
    ])
    assert.deepStrictEqual(sourceFindings({}, now), [])
    assert.deepStrictEqual(sourceFindings(of(at(now + day)), now), [])
    assert.deepStrictEqual(sourceFindings(of(at(now + day + 1)), now).map(({ code, path }) => [path, code]), [
      ["source_updated_at", "too_late"]
    ])
  })

  it("names its system and the ID there together", () => {
    const found = (name: Parameters<typeof externalFindings>[0]) =>
      externalFindings(name).map(({ message, path }) => `${path} ${message}`)
    assert.deepStrictEqual(found({}), [])
    assert.deepStrictEqual(found({ external_id: "1", external_system: "shop" }), [])
    assert.deepStrictEqual(found({ external_id: "1" }), ["external_system is required with external_id"])
    assert.deepStrictEqual(found({ external_system: "shop" }), ["external_id is required with external_system"])
  })

  it("has a period that ends no earlier than it starts, where both are said", () => {
    const found = (from: unknown, to: unknown) => periodFindings({ from, to }, "from", "to").map(({ path }) => path)
    assert.deepStrictEqual(found(at(now), at(now - 1)), ["to"])
    assert.deepStrictEqual(found(at(now), at(now)), [])
    assert.deepStrictEqual(found(at(now), at(now + 1)), [])
    assert.deepStrictEqual(found(null, at(now)), [])
    assert.deepStrictEqual(found(at(now), null), [])
    assert.deepStrictEqual(found(undefined, undefined), [])
  })
})
