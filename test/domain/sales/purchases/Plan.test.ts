import { assert, describe, it } from "@effect/vitest"
import { wireTime } from "../../../../src/domain/sales/providers/SourceTime.ts"
import type { Holding, Planned } from "../../../../src/domain/sales/purchases/Command.ts"
import type { Mapping, MappingEntry } from "../../../../src/domain/sales/purchases/Mapping.ts"
import { payerCommand, planOf } from "../../../../src/domain/sales/purchases/Plan.ts"
import type { PurchaseState, Slot } from "../../../../src/domain/sales/purchases/PurchaseState.ts"
import { saidBefore } from "../../../../src/domain/sales/purchases/Said.ts"
import type { Said } from "../../../../src/domain/sales/purchases/Said.ts"
import { day } from "../../../fixtures/PurchaseLife.ts"

const slot: Slot = {
  slot: 0,
  position: 0,
  price: "price_a",
  quantity: 1,
  since: day(0),
  sold_since: day(0),
  period_start: day(0),
  period_end: day(30)
}

const subscription: PurchaseState = {
  provider: "stripe",
  purchase: "subscription/sub_1",
  kind: "subscription",
  state: "active",
  slots: [slot],
  payer: {},
  origin: {},
  began_at: day(0),
  refund: "none",
  dispute: "none",
  source_updated_at: day(1),
  ambiguous: false,
  notes: []
}

const order: PurchaseState = { ...subscription, purchase: "order/cs_1", kind: "order", state: "paid" }

const policies: Planned["policies"] = [
  { id: "pol_a", product_id: "prod_1", license_type: "subscription" },
  { id: "pol_b", product_id: "prod_1", license_type: "subscription" },
  { id: "pol_other", product_id: "prod_2", license_type: "subscription" },
  { id: "pol_once", product_id: "prod_1", license_type: "perpetual" },
  { id: "pol_other_once", product_id: "prod_2", license_type: "perpetual" }
]

const entry = (value: string, policy_id: string, quantity: MappingEntry["quantity"] = "none"): MappingEntry => ({
  by: "price",
  value,
  policy_id,
  quantity
})

const mapped = (...prices: ReadonlyArray<MappingEntry>): Mapping => ({ prices })
const plain = mapped(entry("price_a", "pol_a"), entry("price_b", "pol_b"), entry("price_o", "pol_other"))
const once = mapped(entry("price_a", "pol_once"))

const holding = (changes: Partial<Holding["license"]> = {}, others: Partial<Holding> = {}): Holding => ({
  reference: { item: "0.prod_1", index: 0 },
  license: { id: "lic_1", policy_id: "pol_a", product_id: "prod_1", status: "active", ...changes },
  is_own: true,
  ...others
})

/** The commands in short, and the codes of what waits. */
const planned = (
  state: PurchaseState,
  mapping: Mapping,
  holdings: ReadonlyArray<Holding> = [],
  adoptable: Planned["adoptable"] = []
): ReadonlyArray<string> => {
  const plan = planOf(state, mapping, { policies, holdings, adoptable })
  return [
    ...plan.commands.filter(({ type }) => type !== "said").map((command) => {
      switch (command.type) {
        case "owner":
          return `owner ${[command.external_id, command.email].filter(Boolean).join(" ")}`
        case "subscription":
        case "order":
          return `${command.record.external_id} in ${command.record.product_id} ${command.values.status}`
        case "issue":
          return `issue ${command.reference.item} ${command.reference.index} ${command.policy_id} ${
            JSON.stringify(command.overrides)
          }`
        case "adopt":
          return `adopt ${command.license_id} for ${command.record.external_id}`
        case "policy":
          return `policy ${command.license_id} ${command.policy_id}${command.replaces === true ? ", replacing" : ""}`
        case "limits":
          return `limits ${command.license_id} ${JSON.stringify(command.overrides)}${
            command.replaces === true ? ", replacing" : ""
          }`
        case "said":
          return `say ${command.license_id} ${JSON.stringify(command.said)}`
        case "stop":
          return `stop ${command.license_id} ${command.reason}`
        case "resume":
          return `resume ${command.license_id}`
      }
    }),
    ...plan.holds.map(({ code }) => `waits: ${code}`)
  ]
}

const sold = (price: string, changes: Partial<Slot> = {}): PurchaseState => ({
  ...subscription,
  slots: [{ ...slot, price, ...changes }]
})

describe("the plan of a subscription", () => {
  const record = "sub_1 in prod_1 active"

  it("issues one license that belongs to its record, and its owner with it", () => {
    assert.deepStrictEqual(planned(subscription, plain), [record, "issue 0.prod_1 0 pol_a {}"])
    assert.deepStrictEqual(planned({ ...subscription, payer: { id: "cus_1", email: "ada@example.com" } }, plain), [
      "owner cus_1 ada@example.com",
      record,
      "issue 0.prod_1 0 pol_a {}"
    ])
  })

  it("changes nothing of a license that is as it was bought, and writes the record", () => {
    assert.deepStrictEqual(planned(subscription, plain, [holding()]), [record])
  })

  it("names who pays each time, who may be another one by now; of whom an address alone is known, where that is new", () => {
    const state = { ...subscription, payer: { id: "cus_1", email: "new@example.com" } }
    const owned = { customer_id: "cus_x", customer_email: "new@example.com" }
    for (const license of [{}, owned, { ...owned, customer_email: "old@example.com" }]) {
      assert.deepStrictEqual(planned(state, plain, [holding(license)]), ["owner cus_1 new@example.com", record])
    }
    const guest = { ...subscription, payer: { email: "new@example.com" } }
    assert.deepStrictEqual(planned(guest, plain, [holding(owned)]), [record])
    assert.deepStrictEqual(planned(guest, plain, [holding()]), ["owner new@example.com", record])
    const licenses = mapped(entry("price_a", "pol_a", "licenses"))
    const second = holding({ id: "lic_2" }, { reference: { item: "0.prod_1", index: 1 } })
    const two = { ...sold("price_a", { quantity: 2 }), payer: guest.payer }
    assert.deepStrictEqual(planned(two, licenses, [holding(owned), second]), ["owner new@example.com", record])
    // What another purchase has taken over is that one's to ask for.
    assert.notInclude(planned(guest, plain, [holding({}, { is_own: false })]), "owner new@example.com")
    const nameless = { ...subscription, payer: { name: "Ada" } }
    assert.deepStrictEqual(planned(nameless, plain, [holding(owned)]), [record])
  })

  it("names of who pays what is known, and nobody where nothing is", () => {
    const of = (payer: PurchaseState["payer"]) => payerCommand({ ...subscription, payer })
    assert.deepStrictEqual(of({}), [])
    assert.deepStrictEqual(of({ id: "cus_1" }), [{ type: "owner", external_id: "cus_1" }])
    assert.deepStrictEqual(of({ email: "ada@example.com" }), [{ type: "owner", email: "ada@example.com" }])
    assert.deepStrictEqual(of({ name: "Ada" }), [{ type: "owner", name: "Ada" }])
  })

  it("makes of a quantity what the mapping says", () => {
    const five = sold("price_a", { quantity: 5 })
    const of = (quantity: MappingEntry["quantity"]) => mapped(entry("price_a", "pol_a", quantity))
    assert.deepStrictEqual(planned(five, of("seats")), [record, `issue 0.prod_1 0 pol_a {"max_activations":5}`])
    assert.deepStrictEqual(planned(five, of("floating_seats")), [
      record,
      `issue 0.prod_1 0 pol_a {"max_floating_users":5}`
    ])
    assert.deepStrictEqual(planned(five, of("users")), [record, `issue 0.prod_1 0 pol_a {"max_users":5}`])
    assert.lengthOf(planned(five, of("licenses")), 6)
    assert.deepStrictEqual(planned(five, of("seats"), [holding({ overrides: { max_activations: 8 } })]), [
      record,
      `limits lic_1 {"max_activations":5}`
    ])
    assert.lengthOf(planned(sold("price_a", { quantity: 1000 }), of("licenses")), 1001)
    assert.deepStrictEqual(planned(sold("price_a", { quantity: 1001 }), of("licenses")), ["waits: too_many_licenses"])
  })

  it("stops the surplus of a quantity of licenses, and resumes it with its key", () => {
    const licenses = mapped(entry("price_a", "pol_a", "licenses"))
    const surplus = holding({ id: "lic_2" }, { reference: { item: "0.prod_1", index: 1 } })
    assert.deepStrictEqual(planned(subscription, licenses, [holding(), surplus]), [record, "stop lic_2 surplus"])
    const stopped = { ...surplus, stopped: "surplus" } as const
    assert.deepStrictEqual(planned(subscription, licenses, [holding(), stopped]), [record])
    assert.deepStrictEqual(planned(sold("price_a", { quantity: 2 }), licenses, [holding(), stopped]), [
      record,
      "resume lic_2"
    ])
    // Another purchase has taken it over.
    const adopted = { ...surplus, is_own: false }
    assert.deepStrictEqual(planned(subscription, licenses, [holding(), adopted]), [record, "waits: paid_twice"])
  })

  it("changes the policy for another price, and the license for one of another product", () => {
    assert.deepStrictEqual(planned(sold("price_b"), plain, [holding()]), [record, "policy lic_1 pol_b"])
    assert.deepStrictEqual(planned(sold("price_o", { sold_since: day(10) }), plain, [holding()]), [
      "sub_1 in prod_2 active",
      "sub_1 in prod_1 canceled",
      "issue 0.prod_2 0 pol_other {}"
    ])
    assert.deepStrictEqual(planned(sold("price_o"), plain, [holding({}, { is_own: false })]), [
      "sub_1 in prod_2 active",
      "issue 0.prod_2 0 pol_other {}"
    ])
  })

  it("ends the licenses of a slot that was dropped, and of no other", () => {
    const other = { ...slot, slot: 1, price: "price_b" }
    const two = { ...subscription, slots: [{ ...slot, dropped_at: day(9) }, other] }
    const held = [
      holding(),
      holding({ id: "lic_2", policy_id: "pol_b" }, { reference: { item: "1.prod_1", index: 0 } })
    ]
    assert.deepStrictEqual(planned(two, plain, held), ["sub_1 in prod_1 canceled", "sub_1:1 in prod_1 active"])
  })

  it("hands the license of a slot that was dropped to the one that came in its place, before it ends", () => {
    const next = { ...slot, slot: 1, price: "price_b", since: day(9), sold_since: day(9) }
    const changed = { ...subscription, slots: [{ ...slot, dropped_at: day(9) }, next] }
    assert.deepStrictEqual(planned(changed, plain, [holding()]), [
      "sub_1:1 in prod_1 active",
      "adopt lic_1 for sub_1:1",
      "policy lic_1 pol_b",
      "sub_1 in prod_1 canceled"
    ])
    // Once it is taken up again, it needs a license of its own.
    const both = { ...subscription, slots: [{ ...slot, taken_up_at: day(12) }, next] }
    const handed = holding({ policy_id: "pol_b" }, { reference: { item: "1.prod_1", index: 0 } })
    const left = holding({ policy_id: "pol_b" }, { is_own: false })
    const second = ["sub_1:1 in prod_1 active"]
    assert.deepStrictEqual(planned(both, plain, [left, handed]), [record, "issue 0.prod_1 0 pol_a {}", ...second])
    // Another purchase pays for it, and a license of another slot is nothing to that.
    const elsewhere = holding({ id: "lic_9" }, { is_own: false })
    assert.deepStrictEqual(planned(both, plain, [elsewhere, handed]), [record, ...second, "waits: paid_twice"])
  })

  it("puts a license into the slot that it was sold as, where an older event has begun another one before that", () => {
    const next = { ...slot, slot: 1, price: "price_b" }
    const last = { ...slot, slot: 2, price: "price_o" }
    const of = (item: string, sold: string, license: Partial<Holding["license"]> & { readonly policy_id: string }) =>
      holding(license, {
        reference: { item, index: 0 },
        said: { sold, quantity: 1, policy_id: license.policy_id, meaning: "none", paid_until: day(30) }
      })
    const misplaced = of("0.prod_1", "price_b", { policy_id: "pol_b" })
    const inPlace = of("2.prod_2", "price_o", { id: "lic_2", policy_id: "pol_other", product_id: "prod_2" })
    const three = { ...subscription, slots: [slot, next, last] }
    assert.deepStrictEqual(planned(three, plain, [misplaced, inPlace]), [
      "sub_1:1 in prod_1 active",
      "adopt lic_1 for sub_1:1",
      record,
      "issue 0.prod_1 0 pol_a {}",
      "sub_1:2 in prod_2 active"
    ])
    // One that is in its place stays, although another slot is sold as the same.
    const inSlot = of("0.prod_1", "price_a", { policy_id: "pol_a" })
    const alike = { ...subscription, slots: [slot, { ...slot, slot: 1 }] }
    assert.deepStrictEqual(planned(alike, plain, [inSlot]), [
      record,
      "sub_1:1 in prod_1 active",
      "issue 1.prod_1 0 pol_a {}"
    ])
    // What is over gives it its place as well, and nothing to the slots beside.
    const over = { ...three, state: "canceled", ended_at: day(5) } as const
    assert.deepStrictEqual(planned(over, plain, [misplaced]), ["sub_1:1 in prod_1 canceled", "adopt lic_1 for sub_1:1"])
  })

  it("waits where a slot is not paid for yet: with what it was before, and with nothing where it is new", () => {
    const billed = (paid_as: NonNullable<Slot["money"]>["paid_as"]) => sold("price_b", { money: { paid_as } })
    assert.deepStrictEqual(planned(billed(null), plain), ["waits: unpaid_change"])
    assert.deepStrictEqual(planned(billed({ price: "price_a", quantity: 1 }), plain, [holding()]), [
      record,
      "waits: unpaid_change"
    ])
    assert.deepStrictEqual(planned(billed({ price: "price_b", quantity: 1 }), plain, [holding()]), [
      record,
      "policy lic_1 pol_b"
    ])
  })

  it("issues nothing that was over before it was known, and ends what was issued", () => {
    const over = { ...subscription, state: "canceled", ended_at: day(5) } as const
    assert.deepStrictEqual(planned(over, plain), [])
    assert.deepStrictEqual(planned(over, plain, [holding()]), ["sub_1 in prod_1 canceled"])
  })

  it("adopts a license of a subscription of the customer that had ended before, once, and issues the others", () => {
    const adoptable = (expires: number, changes = {}) => ({
      license: {
        id: "lic_9",
        policy_id: "pol_a",
        product_id: "prod_1",
        status: "expired",
        expires_at: wireTime(day(expires)),
        ...changes
      }
    } as const)
    const later = { ...subscription, began_at: day(40) }
    assert.deepStrictEqual(planned(later, plain, [], [adoptable(30)]), [record, "adopt lic_9 for sub_1"])
    assert.deepStrictEqual(planned(later, plain, [], [adoptable(30, { policy_id: "pol_b" })]), [
      record,
      "adopt lic_9 for sub_1",
      "policy lic_9 pol_a"
    ])
    const atOnce = { ...adoptable(30), began_at: day(40) }
    assert.deepStrictEqual(planned(later, plain, [], [atOnce]), [record, "adopt lic_9 for sub_1"])
    const two = mapped(entry("price_a", "pol_a", "licenses"))
    assert.deepStrictEqual(planned({ ...later, slots: [{ ...slot, quantity: 2 }] }, two, [], [adoptable(30)]), [
      record,
      "adopt lic_9 for sub_1",
      "issue 0.prod_1 1 pol_a {}"
    ])
    for (
      const other of [
        adoptable(50),
        adoptable(30, { product_id: "prod_2" }),
        adoptable(30, { status: "revoked" }),
        adoptable(30, { status: "suspended" })
      ]
    ) {
      assert.deepStrictEqual(planned(later, plain, [], [other]), [record, "issue 0.prod_1 0 pol_a {}"])
    }
    const unpaid = adoptable(30, { status: "suspended", suspended_by: "subscription" })
    assert.deepStrictEqual(planned(later, plain, [], [unpaid]), [record, "adopt lic_9 for sub_1"])
    const guest = { ...later, payer: { email: "ada@example.com" } }
    assert.deepStrictEqual(planned(guest, plain, [], [unpaid])[0], "owner ada@example.com")
    // Bought again before the end of one that is not renewed.
    const ending = { ...adoptable(42, { status: "active" }), is_ending: true }
    assert.deepStrictEqual(planned(later, plain, [], [ending]), [record, "adopt lic_9 for sub_1"])
    for (const license of [{ status: "suspended" }, { status: "revoked" }, { product_id: "prod_2" }] as const) {
      const other = { license: { ...ending.license, ...license }, is_ending: true }
      assert.deepStrictEqual(planned(later, plain, [], [other]), [record, "issue 0.prod_1 0 pol_a {}"])
    }
  })

  it("issues another license to a customer who buys again, where the mapping says so, and takes over what was there before it", () => {
    const ended = {
      id: "lic_9",
      policy_id: "pol_b",
      product_id: "prod_1",
      status: "expired" as const,
      expires_at: wireTime(day(30))
    }
    const returning = { ...subscription, began_at: day(40) }
    const again = { license: ended }
    const there = { license: ended, of_record: "sub_1" }
    const issuing = { ...plain, bought_again: "issue" as const }
    assert.include(planned(returning, plain, [], [again]), "adopt lic_9 for sub_1")
    assert.notInclude(planned(returning, issuing, [], [again]), "adopt lic_9 for sub_1")
    assert.include(planned(returning, issuing, [], [there]), "adopt lic_9 for sub_1")
  })

  it("leaves alone what another subscription adopted, and what a person revoked; what is paid twice waits", () => {
    const adopted = [holding({}, { is_own: false })]
    assert.deepStrictEqual(planned(sold("price_b"), plain, adopted), [record, "waits: paid_twice"])
    const ending = { ...sold("price_b"), cancel_at: day(20) }
    assert.deepStrictEqual(planned(ending, plain, adopted), [record])
    assert.deepStrictEqual(planned({ ...sold("price_b"), state: "paused" }, plain, adopted).slice(1), [])
    assert.deepStrictEqual(planned(sold("price_b"), plain, [holding({ status: "revoked" }, { is_own: false })]), [
      record
    ])
    assert.deepStrictEqual(planned(sold("price_b"), plain, [holding({ status: "revoked" })]), [record])
    // It was paid back, or the same object of the provider comes by another connection.
    assert.deepStrictEqual(planned({ ...sold("price_b"), refund: "full" }, plain, adopted), [
      "sub_1 in prod_1 canceled"
    ])
    assert.deepStrictEqual(planned(subscription, plain, [holding({}, { is_own: false, is_elsewhere: true })]), [record])
  })

  it("waits visibly for what is missing", () => {
    assert.deepStrictEqual(planned(sold("price_z"), plain), ["waits: unmapped"])
    assert.deepStrictEqual(planned(sold("price_z"), { ...plain, unmapped: "ignore" }), [])
    assert.deepStrictEqual(planned(subscription, mapped(entry("price_a", "pol_gone"))), ["waits: policy_missing"])
    assert.deepStrictEqual(planned(subscription, once), ["waits: policy_of_order"])
    assert.deepStrictEqual(planned({ ...subscription, state: "incomplete" }, plain), ["waits: awaits_payment"])
    assert.deepStrictEqual(planned({ ...subscription, state: "incomplete_expired" }, plain), [])
    assert.deepStrictEqual(planned({ ...subscription, state: undefined }, plain), ["waits: unknown_state"])
    assert.deepStrictEqual(planned({ ...subscription, kind: undefined }, plain), ["waits: nothing_bought"])
    assert.deepStrictEqual(planned({ ...subscription, slots: [] }, plain), ["waits: nothing_bought"])
    assert.deepStrictEqual(planned(sold("price_a", { period_start: undefined, period_end: undefined }), plain), [
      "waits: awaits_period"
    ])
  })

  it("goes on for licenses that were issued, although the mapping has lost its entry", () => {
    const over = { ...subscription, state: "canceled", ended_at: day(5) } as const
    assert.deepStrictEqual(planned(subscription, mapped(), [holding()]), [record, "waits: unmapped"])
    assert.deepStrictEqual(planned(over, mapped(), [holding()]), ["sub_1 in prod_1 canceled"])
    const said: Said = { sold: "price_a", quantity: 1, policy_id: "pol_a", meaning: "none", paid_until: day(30) }
    assert.deepStrictEqual(planned(subscription, mapped(), [holding({}, { said })]), [record, "waits: unmapped"])
    // What another purchase has taken over does not go on for this one, and what is not paid yet writes nothing.
    assert.deepStrictEqual(planned(subscription, mapped(), [holding({}, { is_own: false })]), ["waits: unmapped"])
    assert.deepStrictEqual(planned({ ...subscription, state: "incomplete" }, mapped(), [holding()]), [
      "waits: unmapped"
    ])
  })

  it("ends licenses where something else is sold in their slot that nothing is made of", () => {
    const said: Said = { sold: "price_a", quantity: 1, policy_id: "pol_a", meaning: "none", paid_until: day(30) }
    const other = sold("price_z", { sold_since: day(10) })
    const dropped = sold("price_z", { sold_since: day(10), dropped_at: day(12) })
    const held = holding({}, { said })
    const second = holding({ id: "lic_2" }, { reference: { item: "0.prod_1", index: 1 } })
    assert.deepStrictEqual(planned(other, plain, [held]), ["sub_1 in prod_1 canceled", "waits: unmapped"])
    const endOf = (state: PurchaseState) =>
      planOf(state, plain, { policies, holdings: [held], adoptable: [] }).commands
        .flatMap((command) => command.type === "subscription" ? [command.values.ended_at] : [])
    assert.deepStrictEqual(endOf(other), [wireTime(day(10))])
    assert.deepStrictEqual(endOf(dropped), [wireTime(day(12))])
    // Of one license that is not known: it may be sold as what is sold now. And an entry whose policy is gone is one.
    assert.deepStrictEqual(planned(other, plain, [held, second]), [record, "waits: unmapped"])
    const gone = mapped(entry("price_z", "pol_gone"))
    assert.deepStrictEqual(planned(other, gone, [held]), [record, "waits: policy_missing"])
  })

  it("waits for no entry of what is over, of what the vendor ignores, and of what sells units alone", () => {
    const unmapped = (state: Partial<PurchaseState>, mapping = mapped()) =>
      planned({ ...subscription, ...state }, mapping)
    assert.deepStrictEqual(unmapped({}), ["waits: unmapped"])
    assert.deepStrictEqual(unmapped({ state: "canceled" }), [])
    assert.deepStrictEqual(unmapped({ state: "incomplete_expired" }), [])
    assert.deepStrictEqual(unmapped({ slots: [{ ...slot, dropped_at: day(5) }] }), [])
    assert.deepStrictEqual(unmapped({ ...order, state: "failed" }), [])
    const units: Mapping["units"] = [{ by: "price", value: "price_a", feature_id: "feat_1", amount: 100 }]
    assert.deepStrictEqual(unmapped({}, { ...mapped(), units }), [])
    // An entry whose policy is gone waits all the same.
    const gone = mapped(entry("price_a", "pol_gone"))
    assert.deepStrictEqual(unmapped({}, { ...gone, unmapped: "ignore" }), ["waits: policy_missing"])
    assert.deepStrictEqual(unmapped({}, { ...gone, units }), ["waits: policy_missing"])
  })
})

describe("what a purchase and a person say of one license", () => {
  const record = "sub_1 in prod_1 active"
  const seats = (policy: string) => mapped(entry("price_a", policy, "seats"), entry("price_b", "pol_b", "seats"))
  const said: Said = { sold: "price_a", quantity: 5, policy_id: "pol_a", meaning: "seats", paid_until: day(30) }
  const bought = { overrides: { max_activations: 5 } }

  /** What is done, of a license that somebody may have changed since `of` was said. */
  const done = (
    state: PurchaseState,
    license: Partial<Holding["license"]> = {},
    of: Said = said,
    mapping = seats("pol_a")
  ) => planned(state, mapping, [holding({ ...bought, ...license }, { said: of })]).slice(1)

  it("stands as the person said it, until the purchase says something else about the same thing", () => {
    const five = sold("price_a", { quantity: 5 })
    const byHand = { policy_id: "pol_b", overrides: { max_activations: 9 } }
    assert.deepStrictEqual(done(five, byHand), [])
    // The customer says that it is not to be renewed, which is about its end alone.
    assert.deepStrictEqual(done({ ...five, cancel_at: day(30) }, byHand), [])
    assert.deepStrictEqual(done(sold("price_a", { quantity: 5, period_end: day(60) }), byHand), [])
    assert.deepStrictEqual(done(sold("price_a", { quantity: 6 }), byHand), [
      "limits lic_1 {\"max_activations\":6}, replacing"
    ])
    assert.deepStrictEqual(done(sold("price_a", { quantity: 6 })), ["limits lic_1 {\"max_activations\":6}"])
    assert.deepStrictEqual(done(sold("price_b", { quantity: 5 })), ["policy lic_1 pol_b"])
    assert.deepStrictEqual(done(sold("price_b", { quantity: 5 }), { policy_id: "pol_other" }), [
      "policy lic_1 pol_b, replacing"
    ])
    // The person had said it before.
    assert.deepStrictEqual(done(sold("price_b", { quantity: 5 }), { policy_id: "pol_b" }), [])
    assert.deepStrictEqual(done(sold("price_a", { quantity: 6 }), { overrides: { max_activations: 6 } }), [])
  })

  it("keeps what was sold where its price is mapped anew, unless it is to follow: at once, or with the next period", () => {
    const five = sold("price_a", { quantity: 5 })
    const renewed = sold("price_a", { quantity: 5, period_end: day(60) })
    const anew = mapped(entry("price_a", "pol_b"))
    assert.deepStrictEqual(done(five, {}, said, anew), [])
    assert.deepStrictEqual(done(renewed, {}, said, anew), [])
    assert.deepStrictEqual(done(sold("price_a", { quantity: 6 }), {}, said, anew), [
      "limits lic_1 {\"max_activations\":6}"
    ])
    const moved = ["policy lic_1 pol_b", "limits lic_1 {\"max_activations\":null}"]
    assert.deepStrictEqual(done(five, {}, { ...said, follows: "now" }, anew), moved)
    assert.deepStrictEqual(done(five, {}, { ...said, follows: "renewal" }, anew), [])
    assert.deepStrictEqual(done(renewed, {}, { ...said, follows: "renewal" }, anew), moved)
    // The policy that was sold is gone: a person had moved the license to another one.
    assert.deepStrictEqual(done(five, { policy_id: "pol_other" }, { ...said, policy_id: "pol_gone" }, anew), [
      "policy lic_1 pol_b, replacing",
      moved[1]!
    ])
    // A limit that a person set is not one of the quantity.
    assert.deepStrictEqual(done(five, { overrides: { max_activations: 9 } }, { ...said, follows: "now" }, anew), [
      moved[0]!
    ])
  })

  it("keeps the product and the number of licenses that were sold", () => {
    const licenses: Said = { ...said, meaning: "licenses", quantity: 2 }
    const two = (said: Said) =>
      [0, 1].map((index) => holding({ id: `lic_${index}` }, { reference: { item: "0.prod_1", index }, said }))
    const state = sold("price_a", { quantity: 2 })
    assert.deepStrictEqual(planned(state, mapped(entry("price_a", "pol_other", "seats")), two(licenses)), [record])
    const following = two({ ...licenses, follows: "now" })
    assert.deepStrictEqual(planned(state, mapped(entry("price_a", "pol_a", "seats")), following), [
      record,
      "limits lic_0 {\"max_activations\":2}",
      "stop lic_1 surplus"
    ])
    // A license that another purchase has taken over says nothing of the others.
    const [adopted] = two(licenses)
    assert.deepStrictEqual(
      planned(state, mapped(entry("price_a", "pol_b", "licenses")), [{ ...adopted!, is_own: false }])[1],
      "issue 0.prod_1 1 pol_b {}"
    )
  })

  it("is said once: the same again is not kept anew, and a choice of the mapping goes with what it chose", () => {
    const says = (state: PurchaseState, of: Said, mapping = seats("pol_a")) =>
      planOf(state, mapping, { policies, holdings: [holding(bought, { said: of })], adoptable: [] }).commands
        .flatMap((command) => command.type === "said" ? [command.said] : [])
    const five = sold("price_a", { quantity: 5 })
    assert.deepStrictEqual(says(five, said), [])
    assert.deepStrictEqual(says(five, { ...said, customer_id: "cus_x" }), [])
    const renewed = sold("price_a", { quantity: 5, period_end: day(60) })
    const paid = { ...said, customer_id: "cus_x" }
    assert.deepStrictEqual(says(renewed, paid), [{ ...paid, paid_until: day(60) }])
    const waits: Said = { ...paid, follows: "renewal" }
    assert.deepStrictEqual(says(five, waits, seats("pol_b")), [])
    assert.deepStrictEqual(says(renewed, waits, seats("pol_b")), [{ ...paid, policy_id: "pol_b", paid_until: day(60) }])
  })

  it("was said as the purchase was looked at last, where it was not kept", () => {
    const before = { item: "0.prod_1", policy_id: "pol_b", customer_id: "cus_x" }
    assert.deepStrictEqual<unknown>(saidBefore(sold("price_a", { quantity: 5 }), seats("pol_a"), before), {
      ...said,
      policy_id: "pol_b",
      customer_id: "cus_x"
    })
    assert.isUndefined(saidBefore(sold("price_z"), seats("pol_a"), before))
    assert.isUndefined(saidBefore(subscription, seats("pol_a"), { ...before, item: "7.prod_1" }))
  })
})

describe("the plan of an order", () => {
  const record = "cs_1 in prod_1 paid"
  const held = holding({ policy_id: "pol_once" })

  it("issues a license that stands for itself, and stops and resumes it with the money", () => {
    const refunded = { ...order, refund: "full", refunded_at: day(5) } as const
    assert.deepStrictEqual(planned(order, once), [record, "issue 0.prod_1 0 pol_once {}"])
    assert.deepStrictEqual(planned(refunded, once, [held]), ["cs_1 in prod_1 refunded", "stop lic_1 refunded"])
    assert.deepStrictEqual(planned(refunded, once, [{ ...held, stopped: "refunded" }]), ["cs_1 in prod_1 refunded"])
    assert.deepStrictEqual(planned(order, once, [{ ...held, stopped: "refunded" }]), [record, "resume lic_1"])
    assert.deepStrictEqual(planned({ ...order, dispute: "open" }, once, [held]), [
      "cs_1 in prod_1 disputed",
      "stop lic_1 disputed"
    ])
    assert.deepStrictEqual(planned(refunded, once), [])
    assert.deepStrictEqual(planned(refunded, mapped(), [held]), [
      "cs_1 in prod_1 refunded",
      "stop lic_1 refunded",
      "waits: unmapped"
    ])
    const other = holding({ id: "lic_2", product_id: "prod_2" }, { reference: { item: "0.prod_2", index: 0 } })
    assert.deepStrictEqual(planned(refunded, mapped(), [held, other]), [
      "cs_1 in prod_1 refunded",
      "stop lic_1 refunded",
      "cs_1 in prod_2 refunded",
      "stop lic_2 refunded",
      "waits: unmapped"
    ])
    const partly = { ...order, refund: "partial", refunded_at: day(5) } as const
    assert.deepStrictEqual(planned(partly, { ...once, partial_refund: "end" }, [held]), [
      "cs_1 in prod_1 partially_refunded",
      "stop lic_1 refunded"
    ])
  })

  it("stops the licenses of other products, where its price was mapped to these before", () => {
    const other = holding({ id: "lic_2", product_id: "prod_3" }, { reference: { item: "0.prod_3", index: 0 } })
    assert.deepStrictEqual(planned(order, mapped(entry("price_a", "pol_other_once")), [held, other]), [
      "cs_1 in prod_2 paid",
      "stop lic_1 dropped",
      "stop lic_2 dropped",
      "issue 0.prod_2 0 pol_other_once {}"
    ])
  })

  it("waits for its payment, and for the subscription that it begins", () => {
    assert.deepStrictEqual(planned({ ...order, state: "pending" }, once), ["waits: awaits_payment"])
    assert.deepStrictEqual(planned({ ...order, state: "failed" }, once), [])
    assert.deepStrictEqual(planned(order, plain), ["waits: policy_needs_subscription"])
    assert.deepStrictEqual(planned({ ...order, provider: "lemon_squeezy" }, plain), ["waits: awaits_subscription"])
  })

  it("is nothing where it only begins a subscription, which is the purchase", () => {
    assert.deepStrictEqual(planned({ ...order, is_beginning: true }, plain), [])
  })

  it("says what to do where no event names its price", () => {
    const [hold] = planOf({ ...order, slots: [{ ...slot, price: undefined }] }, once, {
      policies,
      holdings: [],
      adoptable: []
    }).holds
    assert.strictEqual(hold?.code, "unmapped")
    assert.include(hold?.message, "invoice_creation")
  })
})
