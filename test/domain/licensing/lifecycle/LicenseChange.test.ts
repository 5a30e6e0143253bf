import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Result, Schema } from "effect"
import type { Rules } from "../../../../src/domain/catalog/terms/Rules.ts"
import { License } from "../../../../src/domain/licensing/licenses/License.ts"
import { servesUntil } from "../../../../src/domain/licensing/licenses/LicenseStatus.ts"
import { columnsOf, derivedChange } from "../../../../src/domain/licensing/lifecycle/LicenseChange.ts"
import type { BeforeChange, LicenseChange } from "../../../../src/domain/licensing/lifecycle/LicenseChange.ts"
import { licenseRenewal } from "../../../../src/domain/licensing/lifecycle/LicenseRenewal.ts"
import { licenseUpdate } from "../../../../src/domain/licensing/lifecycle/LicenseUpdate.ts"
import type { LicenseUpdate } from "../../../../src/domain/licensing/lifecycle/LicenseUpdate.ts"

const now = Date.parse("2027-03-01T00:00:00Z")
const day = 86_400_000
const at = (days: number) => new Date(now + days * day).toISOString()
const policy = { max_activations: 1, grace_period_days: 7, max_transfers: 3 } as Rules

const example = Schema.resolveAnnotations(License)!["examples"] as ReadonlyArray<License>
const license = (more: Partial<License>): License => ({ ...example[0]!, ...more })

const before = (more: Partial<License>, announced: BeforeChange["announced"] = "nothing"): BeforeChange => ({
  license: license(more),
  announced,
  policy,
  now: new Date(now)
})

/** The license as a change leaves it, with what the database would hold. */
const after = (held: BeforeChange, change: LicenseChange): BeforeChange => {
  const { announced, entitlement_version, state, ...columns } = derivedChange(held, change)
  const left = Object.entries({ ...held.license, ...columns, entitlement_version, ...(state && { status: state }) })
  return {
    ...held,
    announced,
    license: Object.fromEntries(left.filter(([, value]) => value !== null)) as unknown as License
  }
}

/** A value for each member of an edit, or none. */
const either = <A>(...values: ReadonlyArray<A>) => Schema.optionalKey(Schema.Literals(values as never))
const edits = Arbitrary.schema(Schema.Struct({
  customer_email: either("a@b.example", ""),
  customer_name: either("A", ""),
  starts_at: either(at(-400), null),
  expires_at: either(at(-30), at(-3), at(3), at(300), null),
  days: either(0, 10, 60),
  metadata: either("x", "y"),
  follows: either(false)
})) as unknown as Arbitrary.Arbitrary<Record<string, unknown>>

const editOf = ({ days, follows, metadata, ...members }: Record<string, unknown>): LicenseUpdate => ({
  ...members,
  ...(days === undefined ? {} : { overrides: { grace_period_days: days } }),
  ...(metadata === undefined ? {} : { metadata: { seat: metadata } }),
  ...(follows === undefined ? {} : { follows_subscription: follows })
} as unknown as LicenseUpdate)

const changeOf = (held: BeforeChange, edit: LicenseUpdate): LicenseChange =>
  Result.getOrThrow(licenseUpdate({ ...held, license_type: "time_limited" }, [], {}, edit))

const ended = Arbitrary.schema(Schema.Struct({
  expires_at: Schema.Literals([at(-30), at(-3), at(3), at(100)]),
  announced: Schema.Literals(["nothing", "expiring", "grace_period", "expired"]),
  withoutGrace: Schema.Boolean,
  awaits: Schema.Boolean
}))
const heldOf = (
  { announced, awaits, expires_at, withoutGrace }: {
    readonly expires_at: string
    readonly announced: BeforeChange["announced"]
    readonly withoutGrace: boolean
    readonly awaits: boolean
  }
) =>
  before({
    expires_at,
    ...(withoutGrace ? { ends_without_grace: true } : {}),
    ...(awaits ? { awaits_activation: true } : {})
  }, announced)

describe("derivedChange", () => {
  it.prop("a change that is made twice leaves what it left once", { from: ended, edit: edits }, ({ edit, from }) => {
    const once = after(heldOf(from), changeOf(heldOf(from), editOf(edit)))
    assert.deepStrictEqual(after(once, changeOf(once, editOf(edit))), once)
  })

  it.prop("the order of the members makes no difference", { from: ended, edit: edits }, ({ edit, from }) => {
    const held = heldOf(from)
    const backwards = Object.fromEntries(Object.entries(editOf(edit)).toReversed()) as LicenseUpdate
    assert.deepStrictEqual(
      derivedChange(held, changeOf(held, backwards)),
      derivedChange(held, changeOf(held, editOf(edit)))
    )
  })

  it.prop("every subset of members sets what each sets alone", { from: ended, edit: edits }, ({ edit, from }) => {
    const held = heldOf(from)
    const whole = editOf(edit)
    // An end that is named is also what further terms count from, wherever it stands.
    const members = Object.keys(whole).toSorted((a, b) => Number(a === "expires_at") - Number(b === "expires_at"))
    const alone = members.map((member) =>
      changeOf(held, { [member]: whole[member as keyof LicenseUpdate] } as LicenseUpdate)
    )
    assert.deepStrictEqual(changeOf(held, whole), Object.assign({}, ...alone))
  })

  it("announces a new end anew, whatever else changes", () => {
    const held = before({ expires_at: at(-30) }, "expired")
    for (const edit of [{}, { overrides: { grace_period_days: 90 } }, { customer_name: "B" }]) {
      const change = changeOf(held, { ...edit, expires_at: at(-3) })
      assert.strictEqual(derivedChange(held, change).announced, "nothing", JSON.stringify(edit))
    }
  })

  it("takes a license that regained grace back into it, and no other", () => {
    const held = before({ expires_at: at(-30) }, "expired")
    assert.strictEqual(derivedChange(held, { overrides: { grace_period_days: 31 } }).announced, "grace_period")
    assert.strictEqual(derivedChange(held, { overrides: { grace_period_days: 29 } }).announced, "expired")
    const canceled = before({ expires_at: at(-3), ends_without_grace: true }, "expired")
    assert.strictEqual(derivedChange(canceled, { ends_without_grace: null }).announced, "grace_period")
    assert.strictEqual(derivedChange(canceled, { customer_name: "B" }).announced, "expired")
  })

  it("gives a license its grace again that a person renews or gives another end, though it ended without", () => {
    const canceled = before({ expires_at: at(-3), ends_without_grace: true }, "expired")
    const held = { ...canceled, license_type: "subscription", rules: policy } as const
    const renewed = Result.getOrThrow(licenseRenewal(held, { extend_by_days: 30 }))
    assert.isNull(renewed.ends_without_grace)
    assert.isNull(changeOf(canceled, { expires_at: at(3) }).ends_without_grace)
    assert.isUndefined(changeOf(canceled, { customer_name: "B" }).ends_without_grace)
    const left = after(canceled, renewed)
    assert.isUndefined(left.license.ends_without_grace)
    // After the new end, grace begins and is announced.
    const serves = servesUntil({ expires_at: Date.parse(left.license.expires_at!), grace_period_days: 7 })
    assert.strictEqual(serves, now + 37 * day)
    assert.strictEqual(left.announced, "nothing")
  })

  it("counts the version up for another grant, and for nothing else", () => {
    const held = before({ expires_at: at(100), customer_name: "A" })
    const { entitlement_version } = held.license
    const version = (change: LicenseChange) => derivedChange(held, change).entitlement_version
    assert.strictEqual(version({ expires_at: at(101) }), entitlement_version + 1)
    assert.strictEqual(version({ expires_at: at(101), overrides: { max_activations: 4 } }), entitlement_version + 1)
    assert.strictEqual(version({ expires_at: at(100).replace("Z", "+00:00") }), entitlement_version)
    assert.strictEqual(version({ customer_name: "B", metadata: { a: 1 } }), entitlement_version)
    assert.strictEqual(version(columnsOf(held.license)), entitlement_version)
  })
})
