import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { updateStarted } from "../../../../src/services/licensing/entitlements/LicenseHistorySql.ts"
import { makeRows } from "../../../fixtures/Rows.ts"
import { Workers } from "../../../fixtures/Workers.ts"

const started = {
  starts_at: "2026-03-01T00:00:00.000Z",
  expires_at: "2026-04-01T00:00:00.000Z",
  maintenance_expires_at: null
}

describe("the statement that starts a license", () => {
  layer(Workers.layer)((it) => {
    it.effect("a started license announces its new end, whatever was announced of the time in which it waited", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const rows = makeRows(first)
        for (const announced of ["nothing", "expiring", "grace_period", "expired"]) {
          const id = yield* rows.license({ awaits_activation: true, announced, entitlement_version: 3 })
          yield* updateStarted(first, id, started)
          const [row] = yield* first`
            SELECT announced, awaits_activation, entitlement_version, starts_at, expires_at, maintenance_expires_at
            FROM licenses WHERE id = ${id}`
          assert.deepStrictEqual(row, {
            announced: "nothing",
            awaits_activation: null,
            entitlement_version: 4n,
            starts_at: new Date(started.starts_at),
            expires_at: new Date(started.expires_at),
            maintenance_expires_at: null
          })
        }
      }))

    it.effect("no other license starts with it", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const rows = makeRows(first)
        const [mine, other] = [
          yield* rows.license({ awaits_activation: true }),
          yield* rows.license({ awaits_activation: true })
        ]
        yield* updateStarted(first, mine, started)
        const [row] = yield* first`SELECT awaits_activation, expires_at FROM licenses WHERE id = ${other}`
        assert.deepStrictEqual(row, { awaits_activation: true, expires_at: null })
      }))
  })
})
