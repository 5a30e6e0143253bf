import { Context, Effect, Layer, Schedule } from "effect"
import { crossingsOf } from "../../domain/lifecycle/LicenseExpiry.ts"
import { Slices } from "../environment/Slices.ts"
import { Devices } from "../licenses/Devices.ts"
import { Licenses } from "../licenses/Licenses.ts"
import { Database } from "../persistence/Database.ts"
import { makeSweepLocks } from "../persistence/SweepLocks.ts"
import type { Passed } from "../persistence/SweepLocks.ts"
import { supervised } from "../platform/Supervised.ts"
import { swept } from "../platform/Sweeps.ts"
import { listDue, listEnding, listToCheck, updateAnnounced, updateChecked } from "./LicenseSweeperSql.ts"

const batch = 200
/** Seats freed in one transaction. */
const lapsedAtOnce = 200
/** The pause between sweeps. */
const every = Schedule.spaced("1 second")
const retryAfterFailure = Schedule.spaced("5 seconds")

/**
 * Applies what the passage of time changes: announces each crossing of a license's expiry once, and frees the seats of
 * idle containers. An announcement is recorded in the transaction of its event, under the license's lock, so it happens
 * once however many nodes sweep.
 */
export class LicenseSweeper extends Context.Service<LicenseSweeper, {
  /** Announces the crossings that are due, but of licenses that stay busy; returns how many licenses it examined. */
  readonly announce: Effect.Effect<number>
  /** Examines the licenses whose containers may be idle, but those that stay busy; returns how many. */
  readonly lapse: Effect.Effect<number>
  /** Announces and examines for ever. */
  readonly run: Effect.Effect<never>
}>()("countersign/services/lifecycle/LicenseSweeper") {
  static readonly layer = Layer.effect(
    LicenseSweeper,
    Effect.gen(function*() {
      const sql = yield* Database
      const devices = yield* Devices
      const licenses = yield* Licenses
      const locks = makeSweepLocks(sql)
      const slices = yield* Slices

      const announceAll = Effect.fnUntraced(function*(lockedIds: ReadonlyArray<string>) {
        const due = (yield* listEnding(sql, lockedIds)).map((row) => ({
          row,
          crossings: crossingsOf({ ...row, expires_at: row.expires_at.getTime(), now: row.now.getTime() })
        })).filter(({ crossings, row }) => crossings.announced !== row.announced)
        yield* updateAnnounced(
          sql,
          due.map(({ crossings: { announced }, row: { id } }) => ({ id, announced }))
        )
        yield* licenses.recordAll(due.flatMap(({ crossings, row }) =>
          crossings.kinds.map((type) => ({
            type,
            id: row.id,
            metadata: { expires_at: row.expires_at.toISOString() }
          }))
        ))
      })

      const announceBut = Effect.fnUntraced(function*(passed: Passed) {
        const ids = (yield* listDue(sql, passed.ids, batch)).map(({ id }) => id)
        if (ids.length > 0) yield* locks.each(ids, passed, announceAll)
        return ids.length
      }, Effect.orDie)

      const lapseBut = Effect.fnUntraced(function*(passed: Passed) {
        const idle = yield* listToCheck(sql, passed.ids, batch)
        for (const { license_id } of idle) {
          let lapsed: number | undefined = lapsedAtOnce
          while (lapsed === lapsedAtOnce) lapsed = yield* locks.one(license_id, passed, lapseOf(license_id))
        }
        return idle.length
      }, Effect.orDie)

      const lapseOf = Effect.fnUntraced(function*(licenseId: string) {
        const lapsed = yield* devices.lapse(licenseId, { most: lapsedAtOnce })
        if (lapsed < lapsedAtOnce) yield* updateChecked(sql, licenseId)
        return lapsed
      })

      /** Examines batch after batch: a full one is followed by the next at once, and locked licenses by the next sweep. */
      const allOf = (examine: (passed: Passed) => Effect.Effect<number>) =>
        Effect.suspend(() => {
          const passed = locks.passed()
          const go = (before: number): Effect.Effect<number> =>
            Effect.flatMap(slices.run(examine(passed)), (count) =>
              count < batch ? Effect.succeed(before + count) : go(before + count))
          return go(0)
        })

      const announce = allOf(announceBut)
      const lapse = allOf(lapseBut)
      const sweep = Effect.andThen(announce, lapse)

      return LicenseSweeper.of({
        announce,
        lapse,
        run: supervised("A sweep of the licenses", swept("licenses", sweep), every, { retry: retryAfterFailure })
      })
    })
  )
}
