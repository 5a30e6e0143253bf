import { assert, describe, it } from "@effect/vitest"
import { wireTime } from "../../../../src/domain/sales/providers/SourceTime.ts"
import type { Adoptable, Command, Holding } from "../../../../src/domain/sales/purchases/Command.ts"
import { planOf } from "../../../../src/domain/sales/purchases/Plan.ts"
import type { PurchaseState, Slot } from "../../../../src/domain/sales/purchases/PurchaseState.ts"
import type { Said } from "../../../../src/domain/sales/purchases/Said.ts"
import {
  endedNear,
  handedBy,
  keeping,
  mayGoOn,
  misplacedAmong,
  planInPlaceOf,
  stopping,
  takeableBy,
  taking
} from "../../../../src/domain/sales/purchases/Taking.ts"
import { day } from "../../../fixtures/PurchaseLife.ts"

const state: PurchaseState = {
  provider: "chargebee",
  purchase: "subscription/B1",
  kind: "subscription",
  state: "active",
  slots: [{
    slot: 0,
    position: 0,
    id: "plan",
    price: "team",
    quantity: 2,
    since: day(0),
    sold_since: day(10),
    sold_before: ["pro"],
    period_start: day(0),
    period_end: day(30)
  }],
  payer: {},
  origin: {},
  began_at: day(0),
  refund: "none",
  dispute: "none",
  source_updated_at: day(12),
  ambiguous: false,
  notes: []
}

const said: Said = { sold: "team", quantity: 2, policy_id: "pol_team", meaning: "none", paid_until: day(30) }

const holding: Holding = {
  reference: { item: "1.studio", index: 0 },
  license: { id: "lic_1", policy_id: "pol_team", product_id: "studio", status: "active" },
  is_own: true,
  said
}

describe("a license of a slot that there is no more", () => {
  it("goes on in the slot that is sold as it was, as where an event makes two slots one", () => {
    const { commands } = planOf(state, { prices: [{ by: "price", value: "team", policy_id: "pol_team" }] }, {
      policies: [{ id: "pol_team", product_id: "studio", license_type: "subscription" }],
      holdings: [holding, { ...holding, reference: { item: "0.studio", index: 0 }, is_own: false }],
      adoptable: []
    })
    const taken = commands.flatMap((command) =>
      command.type === "issue" || command.type === "adopt" ? [[command.type, command.reference.item]] : []
    )
    assert.deepStrictEqual(taken, [["adopt", "0.studio"]])
  })
})

describe("a license that nobody has used", () => {
  const record = { kind: "subscription", product_id: "studio", external_id: "B1" } as const
  const adopt: Command = { type: "adopt", license_id: "lic_9", reference: holding.reference, record, said }
  const issue: Command = {
    type: "issue",
    reference: { item: "0.studio", index: 1 },
    record,
    policy_id: "pol_team",
    said
  }

  it("gives its place to one that is taken over, unless another is issued by that", () => {
    const of = (...commands: ReadonlyArray<Command>) =>
      planInPlaceOf([holding], () => true, () => ({ commands, holds: [] }))?.replaced
    assert.deepStrictEqual(of(adopt), [{ license_id: "lic_1", by: "lic_9" }])
    assert.isUndefined(of(adopt, issue))
    assert.isUndefined(of())
  })

  it("gives it alone where it is asked for without those that nobody has used", () => {
    const used: Holding = { ...holding, reference: { item: "0.studio", index: 0 } }
    const unused: Holding = { ...holding, reference: { item: "0.studio", index: 1 } }
    const third: Holding = { ...holding, reference: { item: "0.studio", index: 2 } }
    const asked: Array<ReadonlyArray<Holding>> = []
    const of = (free: ReadonlyArray<Holding>, ...plans: ReadonlyArray<ReadonlyArray<Command>>) => {
      asked.length = 0
      return planInPlaceOf([used, unused, third], (one) => free.includes(one), (holdings) => {
        asked.push(holdings)
        return { commands: plans[asked.length - 1]!, holds: [] }
      })?.replaced
    }
    const taken = (...holdings: ReadonlyArray<Holding>): ReadonlyArray<Command> =>
      holdings.map(({ reference }) => ({
        type: "adopt",
        license_id: `lic_of_${reference.index}`,
        reference,
        record,
        said
      }))
    const replaced = [{ license_id: "lic_1", by: "lic_of_1" }]
    assert.deepStrictEqual(of([unused, third], [...taken(unused), issue], taken(unused)), replaced)
    assert.deepStrictEqual(asked, [[used], [used, third]])
    assert.deepStrictEqual(of([unused], taken(used, unused), taken(unused)), replaced)
    assert.isUndefined(of([unused, third], taken(unused, third), taken(unused)), "not all of them")
    assert.isUndefined(of([unused], [{ ...issue, reference: unused.reference }], taken(unused)), "none is taken over")
  })

  it("gives it to one of a subscription that ended within a day of when this one began", () => {
    const ended = (at: number, seconds = 0) => ({
      license: holding.license,
      is_ending: true,
      ended_at: day(at, seconds)
    })
    const near = [ended(-1), ended(1)]
    assert.deepStrictEqual(endedNear(state, [...near, ended(1, 1), ended(-1, -1)]), near)
    assert.deepStrictEqual(endedNear({ ...state, began_at: undefined }, near), [])
    const [one] = near
    assert.deepStrictEqual(endedNear(state, [{ ...one!, is_ending: false }, { ...one!, ended_at: undefined }]), [])
    assert.deepStrictEqual(endedNear(state, [{ ...one!, ended_at: day(1).replace(".000", ".001") }]), [])
  })
})

describe("what a license is brought to", () => {
  const revoked: Holding = { ...holding, license: { ...holding.license, status: "revoked" } }
  const kept = (of: Holding, says: Partial<Said>, standing: object = {}) =>
    keeping(of, { ...said, ...says }, { state, slot: state.slots[0]! }, {
      isOver: false,
      isHeld: false,
      stopped: undefined,
      ...standing
    })
  const seats = (quantity: number) => ({ meaning: "seats", quantity }) as const

  it("is stopped and resumed once, and never where it is revoked", () => {
    assert.deepStrictEqual(stopping(holding, "refunded"), [{ type: "stop", license_id: "lic_1", reason: "refunded" }])
    assert.deepStrictEqual(stopping({ ...holding, stopped: "refunded" }, "disputed"), [])
    assert.deepStrictEqual(stopping({ ...holding, stopped: "refunded" }, undefined), [
      { type: "resume", license_id: "lic_1" }
    ])
    assert.deepStrictEqual(stopping(holding, undefined), [])
    assert.deepStrictEqual(stopping(revoked, "refunded"), [])
  })

  it("has the limits that are bought otherwise than before, and says where they replace a person's", () => {
    const of = (overrides: NonNullable<Holding["license"]["overrides"]>, before: Partial<Said>, now: Partial<Said>) =>
      kept({ ...holding, license: { ...holding.license, overrides }, said: { ...said, ...before } }, now)
        .filter(({ type }) => type === "limits")
    const limits = (overrides: object, more: object = {}): ReadonlyArray<Command> => [
      { type: "limits", license_id: "lic_1", overrides, ...more }
    ]
    assert.deepStrictEqual(of({ max_activations: 5 }, seats(5), seats(8)), limits({ max_activations: 8 }))
    assert.deepStrictEqual(
      of({ max_activations: 6 }, seats(5), seats(8)),
      limits({ max_activations: 8 }, { replaces: true })
    )
    assert.deepStrictEqual(of({ max_activations: 8 }, seats(5), seats(8)), [])
    assert.deepStrictEqual(of({ max_activations: 6 }, seats(5), seats(5)), [])
    assert.deepStrictEqual(of({ max_activations: 5 }, seats(5), { meaning: "none" }), limits({ max_activations: null }))
    assert.deepStrictEqual(of({ max_activations: 6 }, seats(5), { meaning: "none" }), [])
    assert.deepStrictEqual(of({}, seats(5), { meaning: "none" }), [])
    // One of two is a person's.
    assert.deepStrictEqual(
      of({ max_activations: 5, max_users: 2 }, seats(5), { meaning: "users", quantity: 3 }),
      limits({ max_activations: null, max_users: 3 }, { replaces: true })
    )
  })

  it("is stopped while it is over or held, and else brought to what is bought", () => {
    const more = { ...holding, license: { ...holding.license, policy_id: "pol_pro" } }
    const types = (...args: Parameters<typeof kept>) => kept(...args).map(({ type }) => type)
    assert.deepStrictEqual(types(more, { sold: "pro", policy_id: "pol_a" }, { isOver: true, stopped: "refunded" }), [
      "stop"
    ])
    assert.deepStrictEqual(types(more, {}, { isOver: true }), [])
    assert.deepStrictEqual(types({ ...more, stopped: "surplus" }, {}, { isHeld: true }), [])
    assert.deepStrictEqual(types(more, {}, { isHeld: true, stopped: "disputed" }), ["stop"])
    assert.deepStrictEqual(types({ ...more, is_own: false }, { policy_id: "pol_b" }), [])
    assert.deepStrictEqual(types(revoked, { policy_id: "pol_b" }), [])
    assert.deepStrictEqual(types(holding, { quantity: 3 }), ["said"])
    // What was said before it was sold as something else is kept, and said no more once it is the same.
    const former = { sold: "pro", quantity: 2, policy_id: "pol_team", meaning: "none", paid_until: day(30) } as const
    assert.deepStrictEqual(types({ ...holding, said: { ...said, before: former } }, {}), [])
  })
})

describe("a license of another slot", () => {
  const at = (number: number, changes: Partial<Slot> = {}): Slot => ({
    ...state.slots[0]!,
    slot: number,
    price: `p${number}`,
    sold_before: undefined,
    ...changes
  })
  const of = (number: number, sold: string | undefined, changes: Partial<Holding> = {}): Holding => ({
    ...holding,
    reference: { item: `${number}.studio`, index: 0 },
    license: { ...holding.license, id: `lic_${number}` },
    said: sold === undefined ? undefined : { ...said, sold },
    ...changes
  })
  const misplaced = (
    slots: ReadonlyArray<Slot>,
    holdings: ReadonlyArray<Holding>,
    isMapped: (slot: Slot) => boolean = () => true
  ) => misplacedAmong(slots, holdings, isMapped).map(({ holding: { license }, to }) => [license.id, to])

  it("is that of the slot that is sold as it was, where that has none of its product and is mapped", () => {
    const slots = [at(0), at(1)]
    assert.deepStrictEqual(misplaced(slots, [of(0, "p0"), of(1, "p1")]), [])
    assert.deepStrictEqual(misplaced(slots, [of(0, "p1")]), [["lic_0", { slot: 1 }]])
    assert.deepStrictEqual(misplaced(slots, [of(0, "p1"), of(1, "p1")]), [])
    assert.deepStrictEqual(misplaced(slots, [of(0, "p1"), of(1, "p0")]), [
      ["lic_0", { slot: 1 }],
      ["lic_1", { slot: 0 }]
    ])
    const other = of(1, "p1", { license: { ...holding.license, id: "lic_1", product_id: "other" } })
    assert.deepStrictEqual(misplaced(slots, [of(0, "p1"), other]), [["lic_0", { slot: 1 }]])
    assert.deepStrictEqual(misplaced(slots, [of(0, "p1")], () => false), [])
    assert.deepStrictEqual(misplaced([at(0), at(1, { dropped_at: day(5) })], [of(0, "p1")]), [])
    assert.deepStrictEqual(misplaced(slots, [of(0, "p9")]), [])
    assert.deepStrictEqual(misplaced(slots, [of(0, undefined)]), [])
    assert.deepStrictEqual(misplaced(slots, [of(0, "p1", { is_own: false })]), [])
    const gone = { ...holding.license, id: "lic_0", status: "revoked" } as const
    assert.deepStrictEqual(misplaced(slots, [of(0, "p1", { license: gone })]), [])
    // Of a slot that there is no more, the first that is sold so.
    assert.deepStrictEqual(misplaced([at(0), at(1, { price: "p0" })], [of(7, "p0")]), [["lic_7", { slot: 0 }]])
  })

  it("is that of the slot that came when its own was dropped", () => {
    const dropped = at(0, { dropped_at: day(9) })
    const all = [of(0, "p0"), of(1, "p1"), of(0, "p0", { is_own: false })]
    const revoked = of(0, "p0", { license: { ...holding.license, status: "revoked" } })
    assert.deepStrictEqual(
      handedBy([dropped, at(1)], [...all, revoked]).map(({ holding: { license }, to }) => [license.id, to]),
      [["lic_0", { at: day(9) }]]
    )
    assert.deepStrictEqual(handedBy([at(0)], all), [])
  })

  it("is taken by that alone, with its policy and limits, and of its product", () => {
    const says: Said = { ...said, meaning: "seats", quantity: 4, policy_id: "pol_b" }
    const take = (product_id: string, slot: Slot, kind: "subscription" | "order" = "subscription") => {
      const handed = handedBy([at(0, { dropped_at: day(9) })], [of(0, "p0"), of(0, "p0")])
      const record = { kind, product_id, external_id: "B1" } as const
      const commands = taking(state, slot, { record, reference: { item: "1.studio", index: 0 }, says }, {
        handed: [...handed],
        adoptable: []
      })
      return commands.map(({ type }) => type)
    }
    assert.deepStrictEqual(take("studio", at(1, { since: day(9) })), ["adopt", "policy", "limits"])
    assert.deepStrictEqual(take("studio", at(1, { since: day(8) })), ["issue"])
    assert.deepStrictEqual(take("other", at(1, { since: day(9) })), ["issue"])
  })
})

describe("a license of another purchase", () => {
  const record = { kind: "subscription", product_id: "studio", external_id: "B1" } as const
  const other = (changes: Partial<Adoptable> = {}, license: Partial<Adoptable["license"]> = {}): Adoptable => ({
    license: { ...holding.license, id: "lic_7", expires_at: wireTime(day(0)), ...license },
    ...changes
  })
  const taken = (adoptable: Adoptable, more: Partial<PurchaseState> = {}) => {
    const list = [adoptable, other({}, { id: "lic_8", product_id: "none" })]
    const commands = taking({ ...state, ...more }, state.slots[0]!, {
      record,
      reference: { item: "0.studio", index: 0 },
      says: said
    }, { handed: [], adoptable: list })
    assert.lengthOf(list, commands.some(({ type }) => type === "adopt") ? 1 : 2)
    return commands
  }
  const is = (adoptable: Adoptable, more: Partial<PurchaseState> = {}) => taken(adoptable, more)[0]!.type === "adopt"

  it("goes on where it had ended or is ending, and is the owner's to go on with", () => {
    assert.isTrue(is(other()))
    assert.isTrue(is(other({ is_ending: true }, { expires_at: wireTime(day(9)) })))
    assert.isFalse(is(other({}, { expires_at: wireTime(day(0, 1)) })))
    assert.isFalse(is(other({}, { expires_at: undefined as never })))
    assert.isFalse(is(other({ is_ending: true }, { expires_at: undefined as never })))
    assert.isFalse(is(other({}, { status: "revoked" })))
    assert.isFalse(is(other({}, { status: "suspended" })))
    assert.isTrue(is(other({}, { status: "suspended", suspended_by: "subscription" })))
    assert.isFalse(is(other({}, { product_id: "other" })))
    assert.isFalse(is(other({ of_record: "B9" })))
    assert.isTrue(is(other({ began_at: day(0) })))
    assert.isFalse(is(other({ began_at: day(0, 1) })))
    assert.isFalse(is(other({ is_ending: true }), { began_at: undefined }))
    assert.isFalse(is(other(), { kind: "order", state: "paid" }))
  })

  it("is moved in where it belongs to the record of the purchase", () => {
    assert.deepStrictEqual(taken(other({ of_record: "B1" })), [{
      type: "adopt",
      is_moving_in: true,
      license_id: "lic_7",
      reference: { item: "0.studio", index: 0 },
      record,
      said
    }])
    assert.isFalse(is(other({ of_record: "B1" }, { product_id: "other" })))
    assert.isFalse(is(other({ of_record: "B1" }, { status: "revoked" })))
  })

  it("is for the mapping to give: of the purchase's own record, else where what is bought again goes on", () => {
    const all = [other(), other({ of_record: "B1" })]
    assert.deepStrictEqual(takeableBy({ prices: [] }, all), all)
    assert.deepStrictEqual(takeableBy({ prices: [], bought_again: "issue" }, all), all.slice(1))
  })

  it("may go on a moment later, where it works still and another one is issued", () => {
    const issue: Command = {
      type: "issue",
      reference: { item: "0.studio", index: 0 },
      record,
      policy_id: "pol_team",
      said
    }
    const adopt: Command = { type: "adopt", license_id: "lic_7", reference: holding.reference, record, said }
    const owner: Command = { type: "owner", external_id: "lic_7" }
    const may = (commands: ReadonlyArray<Command>, adoptable: ReadonlyArray<Adoptable>) =>
      mayGoOn({ commands, holds: [] }, adoptable)
    assert.isTrue(may([owner, issue], [other()]))
    assert.isFalse(may([issue, adopt], [other()]))
    assert.isFalse(may([issue], [other({}, { status: "expired" })]))
    assert.isFalse(may([issue], [other({}, { product_id: "other" })]))
    assert.isFalse(may([issue], []))
    assert.isFalse(may([adopt], [other({}, { id: "lic_9" })]))
    assert.isFalse(may([{ ...issue, record: { ...record, kind: "order" } }], [other()]))
    const stop: Command = { type: "stop", license_id: "lic_7", reason: "surplus" }
    assert.isTrue(may([issue, stop], [other()]))
  })
})
