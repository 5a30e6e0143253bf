// Random histories of purchases, transfers, moves between payers, users and erasures, compared with an oracle that knows owners alone.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Database } from "../../../src/services/ground/persistence/Database.ts"
import { LicenseTransfers } from "../../../src/services/licensing/lifecycle/LicenseTransfers.ts"
import { insertTransferRequest } from "../../../src/services/licensing/lifecycle/TransferRequestSql.ts"
import { CustomerErasures } from "../../../src/services/portal/privacy/CustomerErasures.ts"
import { historySeeds, historyTimeout, isLong } from "../../fixtures/histories/HistoryForm.ts"
import { layerOwnedPurchases, makeShop } from "../../fixtures/OwnedPurchases.ts"
import { makeRows } from "../../fixtures/Rows.ts"
import { chanceOf } from "../../fixtures/Seeded.ts"

const steps = 80

/** The chance of the life that is played. */
let { upTo } = chanceOf("")
const below = (count: number) => Math.floor(upTo(count))
const pick = <A>(values: ReadonlyArray<A>): A | undefined => values[below(values.length)]

/** A license as the oracle knows it: whose it is, who let people in, and the purchase that pays for it. */
interface Owned {
  readonly id: string
  /** The name of a customer at the provider, an address, or nobody. */
  owner: string | undefined
  /** Whether the owner let somebody in, has a file on a machine without a network, and offers the license to somebody. */
  hasUser: boolean
  hasFile: boolean
  hasOffer: boolean
  subscription: string | undefined
}

/** A subscription as the oracle knows it: who pays, whom the license was said to be paid by, and whether it goes on. */
interface Paid {
  payer: string
  said: string
  isOver: boolean
  readonly from: number
}

const nothing = { hasUser: false, hasFile: false, hasOffer: false }

const isAddress = (owner: string | undefined): boolean => owner?.includes("@") === true

/**
 * The users, files and offers in force that are older than the last change of owner that the log shows: a second judge, which knows neither
 * the service nor what the history did.
 */
const leftBehind = Effect.fnUntraced(function*(ids: ReadonlyArray<string>) {
  const sql = yield* Database
  const events = yield* sql<{ readonly id: string; readonly owner: string | null; readonly at: Date }>`
    SELECT resource_id AS id, created_at AS at,
      coalesce(data::jsonb ->> 'customer_id', personal::jsonb -> '/data/customer_email' ->> 'value') AS owner
    FROM event_records
    WHERE resource_id = ANY(${ids}::text[]) AND data::jsonb ? 'license_key_last4' ORDER BY ordinal`
  const owners = new Map<string, string | null>()
  const handedOn = new Map<string, Date>()
  for (const { at, id, owner } of events) {
    const before = owners.get(id) ?? null
    if (before !== null && before !== owner) handedOn.set(id, at)
    owners.set(id, owner)
  }
  const inForce = yield* sql<{ readonly license_id: string; readonly what: string; readonly since: Date }>`
    SELECT license_id, id AS what, created_at AS since FROM license_users WHERE status <> 'removed'
    UNION ALL SELECT license_id, id, issued_at FROM offline_files WHERE revoked_at IS NULL
    UNION ALL SELECT license_id, 'offer', expires_at - interval '72 hours' FROM license_transfer_requests`
  assert.isNotEmpty(handedOn, "the log shows licenses that were handed on")
  return inForce.filter(({ license_id, since }) => since < (handedOn.get(license_id) ?? new Date(0)))
})

/** A life of some steps, each of which is compared with the oracle. */
const life = Effect.gen(function*() {
  const sql = yield* Database
  const rows = makeRows(sql)
  const shop = yield* makeShop
  const transfers = yield* LicenseTransfers
  const erasures = yield* CustomerErasures
  const people = ["ada", "bob", "cleo", "dan", "eve"].map((name) => `${name}_${shop.connectionId}`)
  const erased = new Set<string>()
  const ids = new Map<string, string>()
  const licenses: Array<Owned> = []
  const paid = new Map<string, Paid>()
  const told: Array<string> = []
  let day = 0
  let made = 0

  const living = () => people.filter((name) => !erased.has(name))
  const ofSubscription = (subscription: string) => licenses.find((license) => license.subscription === subscription)
  const goingOn = () => [...paid].filter(([, { isOver }]) => !isOver).map(([subscription]) => subscription)

  const tell = Effect.fnUntraced(function*(subscription: string, more: { readonly endedOn?: number } = {}) {
    const { from, payer } = paid.get(subscription)!
    const left = yield* shop.tell(subscription, {
      customer: payer,
      from,
      to: 400,
      quantity: 1 + below(3),
      ...(more.endedOn === undefined ? {} : { status: "canceled", endedOn: more.endedOn })
    })
    const id = yield* shop.customer(payer)
    if (id !== undefined) ids.set(payer, id)
    return left
  })

  const buy = Effect.gen(function*() {
    const payer = pick(living())
    if (payer === undefined) return
    const subscription = `sub_${++made}`
    told.push(`${payer} buys ${subscription}`)
    paid.set(subscription, { payer, said: payer, isOver: false, from: day })
    const before = licenses.filter((license) =>
      license.owner === payer && license.subscription !== undefined && paid.get(license.subscription)!.isOver
    ).toSorted((one, other) =>
      one.id < other.id ? -1 : 1
    )[0]
    const { licenses: [license] } = yield* tell(subscription)
    if (before === undefined) {
      assert.notInclude(licenses.map(({ id }) => id), license!.id, told.slice(-20).join("\n"))
      licenses.push({ id: license!.id, owner: payer, ...nothing, subscription })
    } else {
      assert.strictEqual(license!.id, before.id, told.slice(-20).join("\n"))
      before.subscription = subscription
    }
  })

  const hand = Effect.gen(function*() {
    const license = pick(licenses)
    const next = pick([...living().filter((name) => ids.has(name)), "next@example.com", undefined])
    if (license === undefined || erased.has(license.owner ?? "")) return
    told.push(`${license.id} goes from ${license.owner} to ${next}`)
    yield* transfers.transfer(
      license.id,
      next === undefined || isAddress(next)
        ? { customer_id: "", customer_email: next ?? "", customer_name: "" }
        : {
          customer_id: ids.get(next)!,
          ...(isAddress(license.owner) ? { customer_email: "new@example.com" } : {})
        }
    )
    // An address of the next owner is an owner of its own; who had nobody leaves nobody.
    if (license.owner !== undefined && license.owner !== next) Object.assign(license, nothing)
    license.owner = next
  })

  const move = Effect.gen(function*() {
    const subscription = pick(goingOn().filter((name) => !erased.has(paid.get(name)!.payer)))
    const payer = pick(living())
    if (subscription === undefined || payer === undefined) return
    told.push(`${subscription} is paid by ${payer}`)
    paid.get(subscription)!.payer = payer
    yield* tell(subscription)
  })

  const tellAgain = Effect.gen(function*() {
    const subscription = pick(goingOn().filter((name) => !erased.has(paid.get(name)!.payer)))
    if (subscription === undefined) return
    told.push(`${subscription} is told of`)
    yield* tell(subscription)
  })

  const end = Effect.gen(function*() {
    const subscription = pick(goingOn().filter((name) => !erased.has(paid.get(name)!.payer)))
    if (subscription === undefined) return
    told.push(`${subscription} ends`)
    paid.get(subscription)!.isOver = true
    yield* tell(subscription, { endedOn: day })
  })

  /** Whether a purchase waits for a decision, as the oracle has it. */
  const waits = (subscription: string): boolean => {
    const { payer, said } = paid.get(subscription)!
    const license = ofSubscription(subscription)
    return license !== undefined && payer !== said && license.owner !== payer
  }

  const settle = (subscription: string) => {
    const purchase = paid.get(subscription)!
    if (ofSubscription(subscription)?.owner === purchase.payer) purchase.said = purchase.payer
  }

  const decide = Effect.gen(function*() {
    const subscription = pick(goingOn().filter((name) => waits(name) && !erased.has(paid.get(name)!.payer)))
    if (subscription === undefined) return
    const choice = pick(["follow", "issue", "keep"] as const)!
    const purchase = paid.get(subscription)!
    const license = ofSubscription(subscription)!
    if (erased.has(license.owner ?? "")) return
    told.push(`${subscription} is decided: ${choice}`)
    if (isAddress(license.owner) && choice === "follow") return
    const left = yield* shop.decide(subscription, choice)
    purchase.said = purchase.payer
    if (choice === "keep") return
    if (choice === "follow") {
      if (license.owner !== undefined) Object.assign(license, nothing)
      license.owner = purchase.payer
      return
    }
    license.subscription = undefined
    const issued = left.licenses[0]!
    const known = licenses.find(({ id }) => id === issued.id)
    if (known === undefined) {
      licenses.push({ id: issued.id, owner: purchase.payer, ...nothing, subscription })
    } else {
      assert.strictEqual(known.owner, purchase.payer, told.slice(-20).join("\n"))
      known.subscription = subscription
    }
  })

  const letIn = Effect.gen(function*() {
    const license = pick(licenses.filter(({ hasUser }) => !hasUser))
    if (license === undefined || erased.has(license.owner ?? "")) return
    told.push(`${license.owner} lets somebody in to ${license.id}`)
    yield* sql`INSERT INTO license_users (id, license_id, status, email, joined_at)
      VALUES (${`usr_${shop.connectionId}_${++made}`}, ${license.id}, 'active', ${`user${made}@example.com`}, now())`
    license.hasUser = true
  })

  const giveFile = Effect.gen(function*() {
    const license = pick(licenses.filter(({ hasFile }) => !hasFile))
    if (license === undefined) return
    told.push(`${license.id} has a file`)
    const { id } = yield* rows.device({ license_id: license.id, floating: false })
    yield* sql`INSERT INTO offline_files (id, license_id, device_id, fingerprint_hash, offline_counter, issued_at, valid_until)
      VALUES (${`ofl_${shop.connectionId}_${++made}`}, ${license.id}, ${id}, 'hash', 1, now(), now() + interval '2 years')`
    license.hasFile = true
  })

  const offer = Effect.gen(function*() {
    const license = pick(licenses.filter(({ hasOffer, owner }) => !hasOffer && living().includes(owner ?? "")))
    if (license === undefined) return
    told.push(`${license.owner} offers ${license.id} to somebody`)
    yield* insertTransferRequest(sql, {
      licenseId: license.id,
      customerId: ids.get(license.owner!)!,
      recipient: "offered@example.com",
      tokenHash: new TextEncoder().encode(`${license.id} ${++made}`),
      keyHash: new Uint8Array([1]),
      addressHash: new Uint8Array([2]),
      hours: 72
    })
    license.hasOffer = true
  })

  const erase = Effect.gen(function*() {
    const name = pick(living().filter((person) => ids.has(person)))
    if (name === undefined || erased.size >= 2) return
    told.push(`${name} is erased`)
    const { first, last } = erasures.erase(ids.get(name)!)
    yield* last(yield* first)
    erased.add(name)
    // A machine that runs by a file goes on, and says nothing of anybody.
    for (const license of licenses) {
      if (license.owner === name) Object.assign(license, { hasUser: false, hasOffer: false })
    }
  })

  const compare = Effect.gen(function*() {
    const found = yield* sql<{
      readonly id: string
      readonly customer_id: string | null
      readonly customer_email: string | null
      readonly has_user: boolean
      readonly has_file: boolean
      readonly has_offer: boolean
    }>`SELECT l.id, l.customer_id, l.customer_email, EXISTS (SELECT FROM license_users u
        WHERE u.license_id = l.id AND (u.status <> 'removed' OR u.email IS NOT NULL)) AS has_user,
        EXISTS (SELECT FROM offline_files f WHERE f.license_id = l.id AND f.revoked_at IS NULL) AS has_file,
        EXISTS (SELECT FROM license_transfer_requests t WHERE t.license_id = l.id) AS has_offer
      FROM licenses l WHERE l.id = ANY(${licenses.map(({ id }) => id)}::text[]) ORDER BY l.id`
    const named = new Map([...ids].map(([name, id]) => [id, name]))
    assert.deepStrictEqual(
      found.map(({ customer_email, customer_id, has_file, has_offer, has_user, id }) => [
        id,
        customer_id === null ? customer_email ?? undefined : named.get(customer_id),
        has_user,
        has_file,
        has_offer
      ]),
      licenses.toSorted((one, other) => one.id < other.id ? -1 : 1).map((
        { hasFile, hasOffer, hasUser, id, owner }
      ) => [id, owner, hasUser, hasFile, hasOffer]),
      told.slice(-20).join("\n")
    )
  })

  const compareHolds = Effect.gen(function*() {
    for (const subscription of goingOn()) {
      if (erased.has(paid.get(subscription)!.payer)) continue
      settle(subscription)
      const { holds } = yield* shop.looked(subscription)
      assert.deepStrictEqual(
        holds,
        waits(subscription) ? ["owner_differs"] : [],
        `${subscription}\n${told.slice(-20).join("\n")}`
      )
      settle(subscription)
    }
  })

  for (let step = 0; step < steps; step++) {
    // More than a day apart: what ends within a day of a beginning may go on in its place (test/services/sales/purchases/GoingOn).
    day += 1.1
    const kind = below(100)
    if (kind < 20) yield* buy
    else if (kind < 42) yield* hand
    else if (kind < 52) yield* move
    else if (kind < 62) yield* tellAgain
    else if (kind < 70) yield* end
    else if (kind < 82) yield* decide
    else if (kind < 88) yield* letIn
    else if (kind < 93) yield* giveFile
    else if (kind < 98) yield* offer
    else yield* erase
    yield* compareHolds
    yield* compare
  }
  assert.deepStrictEqual(yield* leftBehind(licenses.map(({ id }) => id)), [], told.slice(-20).join("\n"))
})

describe("histories of ownership", () => {
  it.layer(layerOwnedPurchases, { excludeTestServices: true })((it) => {
    it.effect(
      "leave each license with the owner whom it was given to, whoever pays for it",
      () =>
        Effect.gen(function*() {
          for (const seed of historySeeds(1)) {
            ;({ upTo } = chanceOf(`ownership ${seed}`))
            yield* life.pipe(Effect.onError(() => Effect.sync(() => console.log(`HISTORIES_SEED=${seed} repeats it`))))
            if (isLong) console.log(`ownership ${seed}: ${steps} steps`)
          }
        }),
      historyTimeout
    )
  })
})
