import { Context, Effect, Layer, Schedule } from "effect"
import { crossingsOf } from "../../domain/lifecycle/LicenseExpiry.ts"
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
  /** Announces one batch of crossings that are due; returns how many licenses it examined. */
  readonly announce: Effect.Effect<number>
  /** Examines one batch of licenses whose containers may be idle; returns how many. */
  readonly lapse: Effect.Effect<number>
  /** Announces and examines everything that is due, but licenses that stay busy. */
  readonly sweep: Effect.Effect<void>
  readonly run: Effect.Effect<never>
}>()("countersign/services/lifecycle/LicenseSweeper") {
  static readonly layer = Layer.effect(
    LicenseSweeper,
    Effect.gen(function*() {
      const sql = yield* Database
      const devices = yield* Devices
      const licenses = yield* Licenses
      const locks = makeSweepLocks(sql)

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

      const sweep = Effect.gen(function*() {
        // A full batch is followed by the next at once; locked licenses come back in the next sweep.
        const passed = locks.passed()
        while ((yield* announceBut(passed)) >= batch);
        while ((yield* lapseBut(passed)) >= batch);
      })

      const announce = Effect.suspend(() => announceBut(locks.passed()))
      const lapse = Effect.suspend(() => lapseBut(locks.passed()))

      return LicenseSweeper.of({
        announce,
        lapse,
        sweep,
        run: supervised("A sweep of the licenses", swept("licenses", sweep), every, { retry: retryAfterFailure })
      })
    })
  )
}
