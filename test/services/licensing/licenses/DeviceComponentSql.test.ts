import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Components } from "../../../../src/domain/licensing/licenses/Components.ts"
import type { Database } from "../../../../src/services/ground/persistence/Database.ts"
import { listByComponents } from "../../../../src/services/licensing/licenses/DeviceComponentSql.ts"
import { makeRows } from "../../../fixtures/Rows.ts"
import { Workers } from "../../../fixtures/Workers.ts"

const hash = (letter: string) => letter.repeat(64)

/** The devices that a license has in common with a machine of this fingerprint and these components. */
const found = (sql: Database, licenseId: string, key: string, components: Components) =>
  Effect.map(
    listByComponents(sql, [{ licenseId, binding: { kind: "hardware", key }, components }]),
    (rows) => rows.map((row) => row.id === null ? { id: null } : { id: row.id, matched: row.matched, named: row.named })
  )

const world = Effect.gen(function*() {
  const { first } = yield* Workers
  const rows = makeRows(first)
  const license = yield* rows.license({}, { component_match: "majority" })
  const device = (members: object, components: object) =>
    rows.device({ license_id: license, components: first`${JSON.stringify(components)}::text::jsonb`, ...members })
  return { first, rows, license, device }
})

describe("the statement that finds devices by their components", () => {
  layer(Workers.layer)((it) => {
    it.effect("a license whose terms count no components is left out", () =>
      Effect.gen(function*() {
        const { first, rows } = yield* world
        const license = yield* rows.license()
        assert.deepStrictEqual(yield* found(first, license, "a", { cpu: hash("a") }), [])
      }))

    it.effect("a device with the fingerprint is the one, whatever others have in common", () =>
      Effect.gen(function*() {
        const { device, first, license } = yield* world
        yield* device({ binding_key: "a" }, { cpu: hash("z") })
        yield* device({}, { cpu: hash("a") })
        const rows = yield* listByComponents(first, [{
          licenseId: license,
          binding: { kind: "hardware", key: "a" },
          components: { cpu: hash("a") }
        }])
        assert.deepStrictEqual(rows.map(({ components, id }) => ({ components, id })), [{
          components: { cpu: hash("z") },
          id: null
        }])
      }))

    it.effect("of devices with the same counts only the one that was seen last is read", () =>
      Effect.gen(function*() {
        const { device, first, license } = yield* world
        const seen = (hours: number) => ({ last_seen_at: first`now() - ${hours} * interval '1 hour'` })
        yield* device(seen(2), { cpu: hash("a"), disk: hash("b") })
        const late = yield* device(seen(1), { cpu: hash("a"), disk: hash("c") })
        const both = yield* device(seen(3), { cpu: hash("a"), board: hash("d") })
        yield* device(seen(0), { cpu: hash("z") })
        const rows = yield* found(first, license, "new", { cpu: hash("a"), board: hash("d") })
        assert.sameDeepMembers([...rows], [
          { id: late.id, matched: 1, named: 2 },
          { id: both.id, matched: 2, named: 2 }
        ])
      }))

    it.effect("a blocked device is read beside one that is not", () =>
      Effect.gen(function*() {
        const { device, first, license } = yield* world
        const blocked = yield* device({ status: "blacklisted" }, { cpu: hash("a") })
        const free = yield* device({}, { cpu: hash("a") })
        const rows = yield* found(first, license, "new", { cpu: hash("a") })
        assert.sameMembers(rows.map(({ id }) => id), [blocked.id, free.id])
      }))

    it.effect("a license whose devices have nothing in common with the machine has one row, without a device", () =>
      Effect.gen(function*() {
        const { device, first, license } = yield* world
        yield* device({}, { cpu: hash("b") })
        const rows = yield* found(first, license, "new", { cpu: hash("a") })
        assert.deepStrictEqual(rows.map(({ id }) => id), [null])
      }))
  })
})
