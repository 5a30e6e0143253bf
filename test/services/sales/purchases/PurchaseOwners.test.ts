// Purchases that meet owners and people: licenses that were handed on, payers that are others, and what was changed by hand.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Database } from "../../../../src/services/ground/persistence/Database.ts"
import { Licenses } from "../../../../src/services/licensing/licenses/Licenses.ts"
import { LicenseTransfers } from "../../../../src/services/licensing/lifecycle/LicenseTransfers.ts"
import { LicenseUpdates } from "../../../../src/services/licensing/lifecycle/LicenseUpdates.ts"
import { PolicyChanges } from "../../../../src/services/licensing/lifecycle/PolicyChanges.ts"
import { layerOwnedPurchases, makeShop } from "../../../fixtures/OwnedPurchases.ts"

let made = 0

/** A name that no other test has given to a customer of the provider. */
const named = (name: string) => `${name}_${++made}`

/** A subscription that Ada has bought, and her license. */
const bought = Effect.gen(function*() {
  const shop = yield* makeShop
  const [ada, bob] = [named("ada"), named("bob")]
  const { holds, licenses: [license] } = yield* shop.tell("sub_1", { customer: ada, quantity: 5 })
  assert.deepStrictEqual(holds, [])
  return { ada, bob, licenseId: license!.id, shop }
})

/** A customer whom the provider knows, for a purchase of something that is over. */
const customerOf = Effect.fnUntraced(function*(shop: Effect.Success<typeof makeShop>, name: string) {
  yield* shop.tell(`sub_of_${name}`, { customer: name })
  return (yield* shop.customer(name))!
})

const handOn = (id: string, to: { readonly customer_id: string; readonly customer_email?: string }) =>
  Effect.flatMap(LicenseTransfers, (transfers) => transfers.transfer(id, to))

describe("a license that is paid for and was handed on", () => {
  it.layer(layerOwnedPurchases, { excludeTestServices: true })((it) => {
    it.effect("stays with its owner: who had bought it buys another one, and the owner goes on with it", () =>
      Effect.gen(function*() {
        const { ada, bob, licenseId, shop } = yield* bought
        const bobsId = yield* customerOf(shop, bob)
        yield* handOn(licenseId, { customer_id: bobsId })
        yield* shop.tell("sub_1", { customer: ada, quantity: 5, status: "canceled", endedOn: 20 })
        const again = yield* shop.tell("sub_2", { customer: ada, from: 40, to: 70 })
        assert.deepInclude(again, { status: "done", holds: [] })
        const adasId = yield* shop.customer(ada)
        assert.deepStrictEqual(again.licenses.map(({ customer_id }) => customer_id), [adasId!])
        assert.notStrictEqual(again.licenses[0]!.id, licenseId, "Bob's is not taken over")
        assert.strictEqual((yield* (yield* Licenses).get(licenseId)).customer_id, bobsId)
        const his = yield* shop.tell("sub_3", { customer: bob, from: 41, to: 71 })
        assert.deepStrictEqual(his.licenses.map(({ id }) => id), [licenseId], "the owner goes on with it")
      }))

    it.effect("stays with an address, whatever is told of its purchase", () =>
      Effect.gen(function*() {
        const { ada, licenseId, shop } = yield* bought
        yield* handOn(licenseId, { customer_id: "", customer_email: "next@example.com" })
        const told = yield* shop.tell("sub_1", { customer: ada, quantity: 5, to: 60 })
        assert.deepInclude(told, { status: "done", holds: [] })
        const { customer_email, customer_id } = yield* (yield* Licenses).get(licenseId)
        assert.deepStrictEqual([customer_id, customer_email], [undefined, "next@example.com"])
      }))

    it.effect("was said to be paid by its customer, also where that was not kept", () =>
      Effect.gen(function*() {
        const sql = yield* Database
        const { ada, bob, licenseId, shop } = yield* bought
        yield* sql`UPDATE purchase_licenses SET said = NULL WHERE license_id = ${licenseId}`
        yield* handOn(licenseId, { customer_id: "", customer_email: "next@example.com" })
        yield* shop.tell("sub_1", { customer: ada, quantity: 5, to: 60 })
        assert.isUndefined((yield* (yield* Licenses).get(licenseId)).customer_id)
        yield* sql`UPDATE purchase_licenses SET said = NULL WHERE license_id = ${licenseId}`
        const moved = yield* shop.tell("sub_1", { customer: bob, quantity: 5, to: 60 })
        assert.deepStrictEqual(moved.holds, ["owner_differs"])
        const later = yield* shop.tell("sub_1", { customer: bob, quantity: 5, to: 90 })
        assert.deepStrictEqual(later.holds, ["owner_differs"], "who had paid is kept from then on")
      }))
  })
})

describe("a purchase that somebody else pays by now", () => {
  it.layer(layerOwnedPurchases, { excludeTestServices: true })((it) => {
    const moved = Effect.gen(function*() {
      const { ada, bob, licenseId, shop } = yield* bought
      const adasId = (yield* shop.customer(ada))!
      const waiting = yield* shop.tell("sub_1", { customer: bob, quantity: 5, to: 60 })
      assert.deepInclude(waiting, { status: "waiting", holds: ["owner_differs"], failure: null })
      const bobsId = (yield* shop.customer(bob))!
      assert.strictEqual(waiting.customer_id, bobsId, "he pays")
      assert.deepInclude(waiting.licenses[0], { id: licenseId, customer_id: adasId, follows: true })
      return { ada, adasId, bob, bobsId, licenseId, shop }
    })

    it.effect("has the license follow who pays, where that is decided", () =>
      Effect.gen(function*() {
        const { bob, bobsId, licenseId, shop } = yield* moved
        const left = yield* shop.decide("sub_1", "follow")
        assert.deepInclude(left, { status: "done", holds: [] })
        assert.deepInclude(left.licenses[0], { id: licenseId, customer_id: bobsId })
        assert.deepInclude(yield* shop.tell("sub_1", { customer: bob, quantity: 5, to: 90 }), {
          status: "done",
          holds: []
        })
        assert.strictEqual((yield* Effect.flip(shop.decide("sub_1", "follow")))._tag, "STATE_CONFLICT")
      }))

    it.effect("issues another one to who pays, and leaves the first to its owner until the end of what is paid", () =>
      Effect.gen(function*() {
        const { adasId, bob, bobsId, licenseId, shop } = yield* moved
        const left = yield* shop.decide("sub_1", "issue")
        assert.deepInclude(left, { status: "done", holds: [] })
        assert.lengthOf(left.licenses, 1)
        assert.deepInclude(left.licenses[0], { customer_id: bobsId, follows: true, seats: 5 })
        assert.notStrictEqual(left.licenses[0]!.id, licenseId)
        const before = yield* (yield* Licenses).get(licenseId)
        assert.strictEqual(before.customer_id, adasId)
        assert.notProperty(before, "follows_subscription")
        yield* shop.tell("sub_1", { customer: bob, quantity: 5, to: 90 })
        assert.strictEqual(
          (yield* (yield* Licenses).get(licenseId)).expires_at,
          before.expires_at,
          "nobody pays for it"
        )
      }))

    it.effect("leaves the license to its owner, for whom somebody else pays", () =>
      Effect.gen(function*() {
        const { adasId, bob, licenseId, shop } = yield* moved
        const left = yield* shop.decide("sub_1", "keep")
        assert.deepInclude(left, { status: "done", holds: [] })
        assert.deepInclude(left.licenses[0], { id: licenseId, customer_id: adasId, follows: true })
        assert.deepInclude(yield* shop.tell("sub_1", { customer: bob, quantity: 5, to: 90 }), { status: "done" })
      }))

    it.effect("waits no more where the license is transferred to who pays", () =>
      Effect.gen(function*() {
        const { bobsId, licenseId, shop } = yield* moved
        yield* handOn(licenseId, { customer_id: bobsId })
        const work = yield* (yield* Database)`SELECT 1 FROM purchase_work w JOIN purchase_licenses p
          ON p.purchase_id = w.purchase_id WHERE p.license_id = ${licenseId}`
        assert.lengthOf(work, 1, "the purchase is looked at because of it")
        assert.deepInclude(yield* shop.looked("sub_1"), { status: "done", holds: [] })
      }))
  })
})

describe("a license that a person has changed", () => {
  it.layer(layerOwnedPurchases, { excludeTestServices: true })((it) => {
    it.effect("stays so until its purchase says something else about the same thing, and then says whose word was replaced", () =>
      Effect.gen(function*() {
        const sql = yield* Database
        const { ada, licenseId, shop } = yield* bought
        const { b, c } = shop.policies
        const moved = yield* (yield* PolicyChanges).change(licenseId, { policy_id: c, devices: "keep" })
        const limited = yield* (yield* LicenseUpdates).update(licenseId, { overrides: { max_activations: 9 } })
        const named = yield* (yield* LicenseUpdates).update(licenseId, { customer_name: "Ada" })
        assert.deepStrictEqual(
          [moved, limited, named].map(({ warnings }) => warnings.map(({ code }) => code)),
          [["LICENSE_OF_PURCHASE"], ["LICENSE_OF_PURCHASE"], []],
          "whoever changes what a purchase says is told"
        )
        const canceled = yield* shop.tell("sub_1", { customer: ada, quantity: 5, cancelOn: 30 })
        assert.deepInclude(canceled.licenses[0], { policy_id: c, seats: 9 })
        const renewed = yield* shop.tell("sub_1", { customer: ada, quantity: 5, from: 30, to: 60 })
        assert.deepInclude(renewed.licenses[0], { policy_id: c, seats: 9 })
        const reasons = Effect.map(
          sql`SELECT 1 FROM activities WHERE resource_id = ${licenseId} AND reason IS NOT NULL`,
          ({ length }) => length
        )
        assert.strictEqual(yield* reasons, 0)
        const more = yield* shop.tell("sub_1", { customer: ada, quantity: 6, from: 30, to: 60 })
        assert.deepInclude(more.licenses[0], { policy_id: c, seats: 6 })
        assert.strictEqual(yield* reasons, 1)
        const upgraded = yield* shop.tell("sub_1", { customer: ada, quantity: 6, price: "price_b", from: 30, to: 60 })
        assert.deepInclude(upgraded.licenses[0], { policy_id: b, seats: 6 })
        assert.strictEqual(yield* reasons, 2)
      }))

    it.effect("stays suspended, reinstated or on its own end, whatever is told of its purchase", () =>
      Effect.gen(function*() {
        const { ada, licenseId, shop } = yield* bought
        const licenses = yield* Licenses
        const updates = yield* LicenseUpdates
        yield* shop.tell("sub_1", { customer: ada, quantity: 5, to: 130 })
        yield* licenses.suspend(licenseId)
        const renewed = yield* shop.tell("sub_1", { customer: ada, quantity: 5, from: 30, to: 160 })
        assert.deepInclude(renewed.licenses[0], { state: "suspended" })
        yield* licenses.reinstate(licenseId)
        const told = yield* shop.tell("sub_1", { customer: ada, quantity: 5, from: 30, to: 160 })
        assert.deepInclude(told.licenses[0], { state: "active" })
        // The end of a license that follows its purchase is the purchase's word alone, unless it follows it no more.
        const end = "2031-01-01T00:00:00.000Z"
        const refused = yield* Effect.flip(updates.update(licenseId, { expires_at: end }))
        assert.strictEqual(refused._tag, "STATE_CONFLICT")
        yield* updates.update(licenseId, { follows_subscription: false })
        yield* updates.update(licenseId, { expires_at: end })
        const later = yield* shop.tell("sub_1", { customer: ada, quantity: 5, from: 60, to: 190 })
        assert.strictEqual(later.licenses[0]!.expires_at?.toISOString(), end)
      }))

    /** Two licenses of one subscription, of which the second is stopped while one of them is paid alone. */
    const two = Effect.gen(function*() {
      const shop = yield* makeShop
      const ada = named("ada")
      yield* shop.map({ mapping: { prices: [shop.entry("price_a", shop.policies.a, "licenses")] } })
      const told = (quantity: number) =>
        Effect.map(shop.tell("sub_1", { customer: ada, quantity, to: 130 }), ({ licenses }) => licenses[1]!.state)
      assert.strictEqual(yield* told(2), "active")
      const { id } = (yield* shop.purchase("sub_1")).licenses[1]!
      const licenses = yield* Licenses
      const suspensions = Effect.map(
        (yield* Database)`SELECT 1 FROM event_records WHERE resource_id = ${id} AND event_type = 'license.suspended'`,
        ({ length }) => length
      )
      return { told, suspend: licenses.suspend(id), reinstate: licenses.reinstate(id), suspensions }
    })

    it.effect("and is suspended by a person beside its purchase stays so until the person lifts it, in either order", () =>
      Effect.gen(function*() {
        const stopped = yield* two
        assert.strictEqual(yield* stopped.told(1), "suspended")
        yield* stopped.suspend
        yield* stopped.suspend
        assert.strictEqual(yield* stopped.suspensions, 2, "the person's is told once")
        assert.strictEqual(yield* stopped.told(2), "suspended", "what stopped it is undone")
        yield* stopped.reinstate
        assert.strictEqual(yield* stopped.told(2), "active")
        assert.strictEqual(yield* stopped.told(1), "suspended", "and stops it again")
        assert.strictEqual(yield* stopped.told(2), "active", "as before")

        const suspended = yield* two
        yield* suspended.suspend
        assert.strictEqual(yield* suspended.told(1), "suspended")
        assert.strictEqual(yield* suspended.suspensions, 1)
        assert.strictEqual(yield* suspended.told(2), "suspended")
        yield* suspended.reinstate
        assert.strictEqual(yield* suspended.told(2), "active")

        const lifted = yield* two
        yield* lifted.suspend
        assert.strictEqual(yield* lifted.told(1), "suspended")
        yield* lifted.reinstate
        assert.strictEqual(yield* lifted.told(1), "active", "lifted against the word of the purchase, that is known")
        yield* lifted.suspend
        assert.strictEqual(yield* lifted.told(2), "suspended", "a person's again")
      }))

    it.effect("and has ended is not stopped, and its purchase is done", () =>
      Effect.gen(function*() {
        const shop = yield* makeShop
        yield* shop.map({ mapping: { prices: [shop.entry("price_a", shop.policies.a, "licenses")] } })
        const ada = named("ada")
        const told = (quantity: number) => shop.tell("sub_1", { customer: ada, quantity, to: 30 })
        yield* told(2)
        assert.deepInclude(yield* told(1), { status: "done", failure: null })
      }))

    it.effect("and is suspended by a person while its subscription is paused is not reinstated when that goes on", () =>
      Effect.gen(function*() {
        const { ada, licenseId, shop } = yield* bought
        const told = (status: string) =>
          Effect.map(shop.tell("sub_1", { customer: ada, quantity: 5, status }), ({ licenses }) => licenses[0]!.state)
        assert.strictEqual(yield* told("paused"), "suspended")
        yield* (yield* Licenses).suspend(licenseId)
        assert.strictEqual(yield* told("active"), "suspended")
        yield* (yield* Licenses).reinstate(licenseId)
        assert.strictEqual(yield* told("active"), "active")
      }))

    it.effect("is not gone on with by who buys again, where a person suspended it", () =>
      Effect.gen(function*() {
        const { ada, licenseId, shop } = yield* bought
        yield* shop.tell("sub_1", { customer: ada, quantity: 5, to: 200 })
        yield* (yield* Licenses).suspend(licenseId)
        yield* shop.tell("sub_1", { customer: ada, quantity: 5, status: "canceled", endedOn: 20 })
        const again = yield* shop.tell("sub_2", { customer: ada, from: 40, to: 70 })
        assert.notStrictEqual(again.licenses[0]!.id, licenseId)
        assert.deepInclude(again.licenses[0], { state: "active" })
      }))
  })
})

describe("a price that is mapped anew", () => {
  it.layer(layerOwnedPurchases, { excludeTestServices: true })((it) => {
    /** A shop whose first price is mapped to another policy and sets nothing, after it was sold twice. */
    const mapped = Effect.fnUntraced(function*(sold_before?: "keep" | "renewal" | "now") {
      const { ada, licenseId, shop } = yield* bought
      const other = named("carl")
      yield* shop.tell("sub_other", { customer: other, price: "price_b" })
      const prices = [shop.entry("price_a", shop.policies.c, "none"), shop.entry("price_b", shop.policies.b)]
      const change = { mapping: { prices }, ...(sold_before === undefined ? {} : { sold_before }) }
      const asked = yield* shop.map({ ...change, dry_run: true })
      assert.strictEqual(asked.sold_otherwise, 1)
      const again = yield* shop.map({ ...change, dry_run: true })
      assert.strictEqual(again.sold_otherwise, 1, "a dry run changes nothing")
      assert.strictEqual((yield* shop.map(change)).sold_otherwise, 1)
      return { ada, licenseId, shop }
    })

    it.effect("is for new purchases, unless it says otherwise", () =>
      Effect.gen(function*() {
        for (const choice of [undefined, "keep"] as const) {
          const { ada, shop } = yield* mapped(choice)
          yield* shop.looked("sub_1")
          const renewed = yield* shop.tell("sub_1", { customer: ada, quantity: 5, from: 30, to: 60 })
          assert.deepInclude(renewed.licenses[0], { policy_id: shop.policies.a, seats: 5 })
          const more = yield* shop.tell("sub_1", { customer: ada, quantity: 7, from: 30, to: 60 })
          assert.deepInclude(more.licenses[0], { policy_id: shop.policies.a, seats: 7 })
          const fresh = yield* shop.tell("sub_9", { customer: named("new"), quantity: 5 })
          assert.deepInclude(fresh.licenses[0], { policy_id: shop.policies.c, seats: null })
        }
      }))

    it.effect("is for those who have bought it as well, each with the next renewal", () =>
      Effect.gen(function*() {
        const { ada, shop } = yield* mapped("renewal")
        assert.deepInclude((yield* shop.looked("sub_1")).licenses[0], { policy_id: shop.policies.a, seats: 5 })
        const renewed = yield* shop.tell("sub_1", { customer: ada, quantity: 5, from: 30, to: 60 })
        assert.deepInclude(renewed.licenses[0], { policy_id: shop.policies.c, seats: null })
      }))

    it.effect("is for all of them at once, whose purchases have work then", () =>
      Effect.gen(function*() {
        const sql = yield* Database
        const { licenseId, shop } = yield* mapped("now")
        const work = yield* sql`SELECT 1 FROM purchase_work w JOIN purchase_licenses p ON p.purchase_id = w.purchase_id
          WHERE p.license_id = ${licenseId}`
        assert.isAbove(work.length, 0)
        assert.deepInclude((yield* shop.looked("sub_1")).licenses[0], { policy_id: shop.policies.c, seats: null })
      }))

    it.effect("counts as sold otherwise what was sold before that was kept", () =>
      Effect.gen(function*() {
        const sql = yield* Database
        const { ada, licenseId, shop } = yield* bought
        yield* sql`UPDATE purchase_licenses SET said = NULL WHERE license_id = ${licenseId}`
        const prices = [shop.entry("price_a", shop.policies.c, "none")]
        assert.strictEqual((yield* shop.map({ mapping: { prices } })).sold_otherwise, 1)
        const renewed = yield* shop.tell("sub_1", { customer: ada, quantity: 6, from: 30, to: 60 })
        assert.deepInclude(renewed.licenses[0], { policy_id: shop.policies.a, seats: 6 })
      }))
  })
})

describe("a subscription that is bought again", () => {
  it.layer(layerOwnedPurchases, { excludeTestServices: true })((it) => {
    it.effect("two days before the end of one that is not renewed goes on with its license, whose end does not reach it", () =>
      Effect.gen(function*() {
        const { ada, licenseId, shop } = yield* bought
        yield* shop.tell("sub_1", { customer: ada, quantity: 5, cancelOn: 30 })
        const again = yield* shop.tell("sub_2", { customer: ada, quantity: 5, from: 28, to: 58 })
        assert.deepStrictEqual(again.licenses.map(({ id }) => id), [licenseId])
        const { expires_at } = again.licenses[0]!
        yield* shop.tell("sub_1", { customer: ada, quantity: 5, status: "canceled", endedOn: 30 })
        const later = yield* shop.purchase("sub_2")
        assert.deepStrictEqual(later.licenses[0]!.expires_at, expires_at)
      }))

    it.effect("and is resumed after all is paid twice, and says so, until one of them ends or another license is issued", () =>
      Effect.gen(function*() {
        const sql = yield* Database
        const { ada, licenseId, shop } = yield* bought
        yield* shop.tell("sub_1", { customer: ada, quantity: 5, cancelOn: 30 })
        const again = yield* shop.tell("sub_2", { customer: ada, quantity: 5, from: 28, to: 58 })
        assert.deepStrictEqual(again.licenses.map(({ id }) => id), [licenseId])
        assert.deepStrictEqual((yield* shop.looked("sub_1")).holds, [], "it is paid until its end, and not renewed")
        const resumed = yield* shop.tell("sub_1", { customer: ada, quantity: 5, from: 30, to: 60 })
        assert.deepInclude(resumed, { status: "waiting", holds: ["paid_twice"] })
        const [event] = yield* sql<{ readonly data: string }>`
          SELECT data FROM event_records WHERE event_type = 'purchase.waiting' ORDER BY ordinal DESC LIMIT 1`
        assert.include(event!.data, "paid_twice")
        const refused = yield* Effect.flip(shop.decide("sub_1", "follow"))
        assert.strictEqual(refused._tag, "STATE_CONFLICT")
        // The vendor gives the customer what is paid for a second time.
        const issued = yield* shop.decide("sub_1", "issue")
        assert.deepInclude(issued, { status: "done", holds: [] })
        assert.notStrictEqual(issued.licenses[0]!.id, licenseId)
        assert.deepStrictEqual((yield* shop.looked("sub_2")).licenses.map(({ id }) => id), [licenseId])
      }))

    it.effect("and is resumed waits no more once it ends at the provider", () =>
      Effect.gen(function*() {
        const { ada, shop } = yield* bought
        yield* shop.tell("sub_1", { customer: ada, quantity: 5, cancelOn: 30 })
        yield* shop.tell("sub_2", { customer: ada, quantity: 5, from: 28, to: 58 })
        assert.deepStrictEqual(
          (yield* shop.tell("sub_1", { customer: ada, quantity: 5, from: 28, to: 60 })).holds,
          ["paid_twice"]
        )
        const ended = yield* shop.tell("sub_1", { customer: ada, quantity: 5, status: "canceled", endedOn: 40 })
        assert.deepInclude(ended, { status: "done", holds: [] })
      }))

    it.effect("while the first one goes on is another license", () =>
      Effect.gen(function*() {
        const { ada, licenseId, shop } = yield* bought
        const second = yield* shop.tell("sub_2", { customer: ada, from: 28, to: 58 })
        assert.notStrictEqual(second.licenses[0]!.id, licenseId)
      }))
  })
})

describe("two sites of a provider whose vendor chooses the names", () => {
  it.layer(layerOwnedPurchases, { excludeTestServices: true })((it) => {
    it.effect("share no customer, no subscription and no license, and what was sold before keeps its names", () =>
      Effect.gen(function*() {
        const sql = yield* Database
        const [one, two, three] = [yield* makeShop, yield* makeShop, yield* makeShop]
        const user = named("user-42")
        const handle = named("sub-42")
        // The second site was sold by before, when it had the name of its provider; the third is named for itself.
        const first = yield* one.tell(handle, { customer: user, quantity: 5 })
        yield* sql`UPDATE billing_connections SET records_as = 'site:' || id WHERE id = ${three.connectionId}`
        const other = yield* three.tell(handle, { customer: user, quantity: 5 })
        assert.notStrictEqual(other.customer_id, first.customer_id)
        assert.notStrictEqual(other.licenses[0]!.id, first.licenses[0]!.id)
        yield* three.tell(handle, { customer: user, quantity: 5, status: "canceled", endedOn: 20 })
        const kept = yield* one.looked(handle)
        assert.deepStrictEqual(
          kept.licenses[0]!.expires_at,
          first.licenses[0]!.expires_at,
          "the end of one is not that of the other"
        )

        const before = yield* two.tell(named("old"), { customer: named("old") })
        const sub = `old-${made}`
        const sold = yield* two.tell(sub, { customer: sub, quantity: 5 })
        assert.strictEqual(before.status, "done")
        yield* sql`UPDATE billing_connections SET records_as = 'site:' || id WHERE id = ${two.connectionId}`
        const renewed = yield* two.tell(sub, { customer: sub, quantity: 5, from: 30, to: 60 })
        assert.deepStrictEqual(renewed.licenses.map(({ id }) => id), sold.licenses.map(({ id }) => id))
        assert.strictEqual(renewed.customer_id, sold.customer_id)
        assert.isAbove(renewed.licenses[0]!.expires_at!.getTime(), sold.licenses[0]!.expires_at!.getTime())
      }))
  })
})
