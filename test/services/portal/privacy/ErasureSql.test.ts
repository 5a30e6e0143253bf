import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  lockLicensesOf,
  updateErased,
  updateReasonsErased,
  updateSomeDevices,
  updateSomeLicenses
} from "../../../../src/services/portal/privacy/ErasureSql.ts"
import { makeRows } from "../../../fixtures/Rows.ts"
import type { Members } from "../../../fixtures/Rows.ts"
import { Workers } from "../../../fixtures/Workers.ts"

let made = 0

const world = Effect.gen(function*() {
  const workers = yield* Workers
  const { first } = workers
  const rows = makeRows(first)
  const customer = Effect.fnUntraced(function*() {
    const id = `cus_${++made}`
    yield* rows.insert("customers", { id, code: id, name: "Ada", email: "ada@example.com", metadata: first`'{}'` })
    return id
  })
  const customer_id = yield* customer()
  const license = (members: Members = {}) =>
    rows.license({ customer_id, customer_name: "Ada", customer_email: "ada@example.com", ...members })
  const device = (license_id: string) =>
    Effect.map(rows.device({ license_id, hostname: "host", ip_address: "192.0.2.1" }), ({ id }) => id)
  /** The licenses and devices of these that still have something personal. */
  const named = (ids: ReadonlyArray<string>) =>
    Effect.map(
      first<{ readonly id: string }>`
        SELECT id FROM licenses WHERE id = ANY(${ids}::text[]) AND num_nonnulls(customer_name, customer_email) > 0
        UNION ALL
        SELECT id FROM devices WHERE id = ANY(${ids}::text[]) AND num_nonnulls(hostname, ip_address) > 0`,
      (found) => found.map(({ id }) => id).toSorted()
    )
  return { ...workers, customer, customer_id, device, license, named, rows }
})

describe("the statements that erase a customer", () => {
  layer(Workers.layer)((it) => {
    it.effect("an erasure of many licenses waits for none that is locked, and takes at most so many", () =>
      Effect.gen(function*() {
        const { customer, customer_id, first, license, named, passing, second } = yield* world
        const [busy, a, b] = [yield* license(), yield* license(), yield* license({ customer_email: null })]
        const other = yield* license({ customer_id: yield* customer() })
        const lock = first`SELECT 1 FROM licenses WHERE id = ${busy} FOR NO KEY UPDATE`
        const [, some] = yield* passing(lock, updateSomeLicenses(second, customer_id, 1))
        assert.lengthOf(some, 1)
        const [, more] = yield* passing(lock, updateSomeLicenses(second, customer_id, 9))
        assert.lengthOf(more, 1)
        assert.deepStrictEqual(yield* named([busy, a, b, other]), [busy, other].toSorted())
      }))

    it.effect("an erasure of many devices waits for none that is locked, and takes at most so many", () =>
      Effect.gen(function*() {
        const { customer, customer_id, device, first, license, named, passing, second } = yield* world
        const of = yield* license()
        const [busy, a, b] = [yield* device(of), yield* device(of), yield* device(of)]
        const other = yield* device(yield* license({ customer_id: yield* customer() }))
        const lock = first`SELECT 1 FROM devices WHERE id = ${busy} FOR NO KEY UPDATE`
        const [, some] = yield* passing(lock, updateSomeDevices(second, customer_id, 1))
        assert.lengthOf(some, 1)
        yield* passing(lock, updateSomeDevices(second, customer_id, 9))
        assert.deepStrictEqual(yield* named([busy, a, b, other]), [busy, other].toSorted())
      }))

    it.effect("an erasure waits for changes of the customer's licenses, and erases what they left", () =>
      Effect.gen(function*() {
        const { customer_id, device, first, license, named, second, waiting } = yield* world
        const id = yield* license({ customer_name: null, customer_email: null })
        const bound = yield* device(id)
        const change = first`UPDATE licenses SET customer_name = 'Ada' WHERE id = ${id}`
        const erase = Effect.andThen(lockLicensesOf(second, customer_id), updateErased(second, customer_id))
        const [, erased] = yield* waiting(change, erase)
        // The license, its device and the customer.
        assert.lengthOf(erased, 3)
        assert.deepStrictEqual(yield* named([id, bound]), [])
        const [left] = yield* first`SELECT email, name = 'Ada' AS named FROM customers WHERE id = ${customer_id}`
        assert.deepStrictEqual(left, { email: null, named: false })
        assert.deepStrictEqual(yield* updateErased(second, customer_id), [])
      }))

    it.effect("the reasons of what was done to the customer go, and that of the erasure stays", () =>
      Effect.gen(function*() {
        const { customer, customer_id, first, license, rows } = yield* world
        const license_id = yield* license()
        const activity = Effect.fnUntraced(function*(members: Members) {
          const id = `act_${++made}`
          yield* rows.insert("activities", {
            id,
            occurred_at: first`now()`,
            action: "license.suspended",
            source: "management",
            actor_type: "api_key",
            actor_id: "key_1",
            result_class: "success",
            license_id,
            reason: "a reason",
            ...members
          })
          return id
        })
        const of = yield* activity({ customer_id })
        const inherited = yield* activity({})
        const erasure = yield* activity({ customer_id, action: "customer.erased" })
        const other = yield* activity({ customer_id: yield* customer() })
        yield* updateReasonsErased(first, customer_id, [inherited])
        const left = yield* first<{ readonly id: string }>`
          SELECT id FROM activities WHERE reason IS NOT NULL AND id = ANY(${[of, inherited, erasure, other]}::text[])`
        assert.sameMembers(left.map(({ id }) => id), [erasure, other])
      }))
  })
})
