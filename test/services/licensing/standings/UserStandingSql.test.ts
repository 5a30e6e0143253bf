import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { insertUserDevices, listStandings } from "../../../../src/services/licensing/standings/UserStandingSql.ts"
import { makeRows } from "../../../fixtures/Rows.ts"
import { makeUserRows } from "../../../fixtures/UserRows.ts"
import { Workers } from "../../../fixtures/Workers.ts"

let made = 0

const world = Effect.gen(function*() {
  const { first } = yield* Workers
  const rows = makeRows(first)
  const licenseId = yield* rows.license()
  const userOf = makeUserRows(first)
  const user = (status = "active") => userOf(licenseId, { status })
  /** A device of a user, which has a seat of its own unless the members say otherwise. */
  const device = Effect.fnUntraced(function*(userId: string, members: object = {}) {
    const { id } = yield* rows.device({ license_id: licenseId, floating: false, ...members })
    yield* insertUserDevices(first, [{ deviceId: id, userId }])
    return id
  })
  const standing = (userId: string, deviceId: string | null = null, of = licenseId) =>
    Effect.map(listStandings(first, [{ licenseId: of, userId, deviceId }]), ([row]) => row)
  return { device, first, licenseId, rows, standing, user }
})

describe("the standing of users", () => {
  layer(Workers.layer)((it) => {
    it.effect("counts the other devices of the user that hold a seat or a lease", () =>
      Effect.gen(function*() {
        const { device, first, licenseId, rows, standing, user } = yield* world
        const [ada, bob] = [yield* user(), yield* user()]
        assert.deepStrictEqual(yield* standing(ada), {
          question: 1,
          status: "active",
          has_device: false,
          other_devices: 0,
          held_devices: 0
        })
        const own = yield* device(ada)
        yield* device(ada)
        yield* device(bob)
        yield* device(ada, { status: "reset" })
        yield* device(ada, { status: "blacklisted" })
        assert.deepInclude(yield* standing(ada), { has_device: false, other_devices: 2 })
        assert.deepInclude(yield* standing(ada, own), { has_device: true, other_devices: 1, held_devices: 0 })
        const held = yield* device(ada, { status: "reset", envelope_until: first`now() + interval '1 day'` })
        assert.deepInclude(yield* standing(ada, own), { other_devices: 1, held_devices: 1 })
        assert.deepInclude(yield* standing(ada, held), { other_devices: 2, held_devices: 0 })
        assert.deepInclude(yield* standing(bob, own), { has_device: false, other_devices: 1 })
        const floating = yield* device(ada, { floating: true })
        assert.deepInclude(yield* standing(ada, own), { other_devices: 1 }, "no lease")
        const lease = (members: object) =>
          rows.insert("leases", {
            id: `lease_standing_${++made}`,
            license_id: licenseId,
            device_id: floating,
            token_hash: first`sha256(${`t${made}`}::text::bytea)`,
            rotated_at: first`now()`,
            checked_out_at: first`now()`,
            ...members
          })
        yield* lease({ expires_at: first`now() - interval '1 second'` })
        assert.deepInclude(yield* standing(ada, own), { other_devices: 1 }, "a lease that ran out")
        yield* first`UPDATE leases SET ended_at = now(), end_reason = 'checked_in', expires_at = now() + interval '1 hour'
          WHERE device_id = ${floating}`
        assert.deepInclude(yield* standing(ada, own), { other_devices: 1 }, "a lease that was checked in")
        yield* lease({ expires_at: first`now() + interval '1 minute'` })
        assert.deepInclude(yield* standing(ada, own), { other_devices: 2 })
        assert.deepInclude(yield* standing(ada, floating), { has_device: true, other_devices: 2 })
      }))

    it.effect("answers each question in its place, and leaves out who is none of the license", () =>
      Effect.gen(function*() {
        const { first, licenseId, standing, user } = yield* world
        const [ada, gone] = [yield* user(), yield* user("removed")]
        assert.isUndefined(yield* standing(ada, null, "lic_other"))
        const rows = yield* listStandings(
          first,
          ["usr_none", gone, ada].map((userId) => ({ licenseId, userId, deviceId: null }))
        )
        assert.sameDeepMembers(rows.map(({ question, status }) => [question, status]), [[2, "removed"], [3, "active"]])
      }))

    it.effect("a device is of who activated it last", () =>
      Effect.gen(function*() {
        const { device, first, standing, user } = yield* world
        const [ada, bob] = [yield* user(), yield* user()]
        const shared = yield* device(ada)
        yield* insertUserDevices(first, [{ deviceId: shared, userId: bob }])
        assert.isFalse((yield* standing(ada, shared))?.has_device)
        assert.isTrue((yield* standing(bob, shared))?.has_device)
      }))
  })
})
