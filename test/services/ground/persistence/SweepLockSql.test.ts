import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Database } from "../../../../src/services/ground/persistence/Database.ts"
import { lockSwept, updateLockTimeout } from "../../../../src/services/ground/persistence/TransactionSql.ts"
import { makeRows } from "../../../fixtures/Rows.ts"
import { Workers } from "../../../fixtures/Workers.ts"

const lock = (sql: Database, ids: ReadonlyArray<string>, waits: boolean) =>
  Effect.map(lockSwept(sql, ids, waits), (rows) => rows.map(({ id }) => id))

const twoLicenses = (sql: Database) => Effect.all([makeRows(sql).license(), makeRows(sql).license()])

describe("the statements by which sweeps lock licenses", () => {
  layer(Workers.layer)((it) => {
    it.effect("a sweep passes by a license that is locked, and takes the others in the order of their ids", () =>
      Effect.gen(function*() {
        const { first, passing, second } = yield* Workers
        const [one, other] = yield* twoLicenses(first)
        const third = yield* makeRows(first).license()
        const [, free] = yield* passing(lock(first, [one], false), lock(second, [third, other, one], false))
        assert.deepStrictEqual(free, [other, third].toSorted())
      }))

    it.effect("a patient sweep waits for a license, and has it then", () =>
      Effect.gen(function*() {
        const { first, second, waiting } = yield* Workers
        const [one] = yield* twoLicenses(first)
        const [, later] = yield* waiting(lock(first, [one], false), lock(second, [one], true))
        assert.deepStrictEqual(later, [one])
      }))

    it.effect("a sweep's patience ends with its transaction", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const shown = Effect.map(
          first<{ readonly patience: string }>`SELECT current_setting('lock_timeout') AS patience`,
          ([row]) => row!.patience
        )
        const before = yield* shown
        const within = yield* first.withTransaction(
          Effect.andThen(Effect.orDie(updateLockTimeout(first, "123ms")), shown)
        )
        assert.deepStrictEqual([within, yield* shown], ["123ms", before])
      }))
  })
})
