import { Context, Effect, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { crossingsOf, expiringAhead } from "../../domain/lifecycle/LicenseExpiry.ts"
import type { Announced } from "../../domain/lifecycle/LicenseExpiry.ts"
import { Devices, intervalsAway } from "../licenses/Devices.ts"
import { Licenses } from "../licenses/Licenses.ts"
import { makeSweepLocks } from "../persistence/SweepLocks.ts"
import type { Passed } from "../persistence/SweepLocks.ts"
import { supervised } from "../platform/Supervised.ts"
import { swept } from "../platform/Sweeps.ts"
import { effectiveGrace, effectiveGraceDays, hasOwnGrace } from "../terms/TermsSql.ts"

const batch = 200
/** Seats freed in one transaction. */
const lapsedAtOnce = 200
/** The pause between sweeps. */
const every = Schedule.spaced("1 second")
const retryAfterFailure = Schedule.spaced("5 seconds")

interface DueRow {
  readonly id: string
  readonly announced: Announced
  readonly expires_at: Date
  readonly grace_period_days: number
  readonly now: Date
}

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
  readonly run: Effect.Effect<never>
}>()("countersign/services/lifecycle/LicenseSweeper") {
  static readonly layer = Layer.effect(
    LicenseSweeper,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const devices = yield* Devices
      const licenses = yield* Licenses
      const locks = makeSweepLocks(sql)

      const ahead = sql`${expiringAhead} * interval '1 millisecond'`
      const grace = sql`p.grace_period_days * interval '24 hours'`
      const ownGrace = sql.literal(hasOwnGrace)

      // Each branch is a range scan of an index that holds only licenses with an announcement to come.
      const due = (passed: Passed) =>
        sql`
        SELECT id FROM (
        (SELECT id FROM licenses
          WHERE state = 'active' AND announced = 'nothing' AND expires_at <= now() + ${ahead}
            AND id <> ALL(${passed.ids}::text[])
          ORDER BY expires_at LIMIT ${batch})
        UNION ALL
        (SELECT id FROM licenses
          WHERE state = 'active' AND announced = 'expiring' AND expires_at <= now()
            AND id <> ALL(${passed.ids}::text[])
          ORDER BY expires_at LIMIT ${batch})
        UNION ALL
        (SELECT d.id FROM policies p CROSS JOIN LATERAL (
            SELECT l.id FROM licenses l
            WHERE l.policy_id = p.id AND l.state = 'active' AND l.announced = 'grace_period'
              AND l.expires_at <= now() - ${grace} AND (${ownGrace}) IS NOT TRUE
              AND l.id <> ALL(${passed.ids}::text[]) LIMIT ${batch}) d
          LIMIT ${batch})
        UNION ALL
        (SELECT l.id FROM licenses l JOIN policies p ON p.id = l.policy_id
          WHERE l.state = 'active' AND l.announced = 'grace_period' AND ${ownGrace}
            AND l.expires_at <= now() - ${sql.literal(effectiveGrace)} AND l.id <> ALL(${passed.ids}::text[])
          LIMIT ${batch})
        UNION ALL
        (SELECT d.id FROM policies p CROSS JOIN LATERAL (
            SELECT l.id FROM licenses l
            WHERE l.policy_id = p.id AND l.state = 'active' AND l.announced = 'expired'
              AND l.expires_at > now() - ${grace} AND (${ownGrace}) IS NOT TRUE AND l.id <> ALL(${passed.ids}::text[]) LIMIT ${batch}) d
          WHERE p.grace_period_days > 0 LIMIT ${batch})
        ) d LIMIT ${batch}`

      const announceAll = (lockedIds: ReadonlyArray<string>) =>
        Effect.gen(function*() {
          // Read after locking, so that changes by another sweep or a renewal are seen.
          const rows = yield* sql<DueRow>`
              SELECT l.id, l.announced, l.expires_at, ${sql.literal(effectiveGraceDays)} AS grace_period_days,
                clock_timestamp() AS now
              FROM licenses l JOIN policies p ON p.id = l.policy_id
              WHERE l.id = ANY(${lockedIds}::text[]) AND l.state = 'active' AND l.expires_at IS NOT NULL
              ORDER BY l.expires_at, l.id`
          const found = rows.map((row) => ({
            row,
            crossings: crossingsOf({ ...row, expires_at: row.expires_at.getTime(), now: row.now.getTime() })
          })).filter(({ crossings, row }) => crossings.announced !== row.announced)
          yield* sql`
              UPDATE licenses l SET announced = c.announced
              FROM unnest(
                ${found.map(({ row }) => row.id)}::text[], ${found.map(({ crossings }) => crossings.announced)}::text[]
              ) AS c (id, announced)
              WHERE l.id = c.id`
          yield* licenses.recordAll(found.flatMap(({ crossings, row }) =>
            crossings.kinds.map((type) => ({
              type,
              id: row.id,
              metadata: { expires_at: row.expires_at.toISOString() }
            }))
          ))
        })

      const announceBut = Effect.fnUntraced(function*(passed: Passed) {
        const ids = (yield* sql<{ readonly id: string }>`${due(passed)}`).map(({ id }) => id)
        if (ids.length > 0) yield* locks.each(ids, passed, announceAll)
        return ids.length
      }, Effect.orDie)

      const lapseBut = Effect.fnUntraced(function*(passed: Passed) {
        const idle = yield* sql<{ readonly license_id: string }>`
          SELECT DISTINCT license_id FROM (
            SELECT license_id FROM devices
            WHERE binding_kind = 'container' AND status = 'active'
              AND (idle_check_at IS NULL OR idle_check_at <= now()) AND license_id <> ALL(${passed.ids}::text[])
            ORDER BY idle_check_at NULLS FIRST LIMIT ${batch}) d`
        for (const { license_id } of idle) {
          let lapsed: number | undefined = lapsedAtOnce
          while (lapsed === lapsedAtOnce) lapsed = yield* locks.one(license_id, passed, lapseOf(license_id))
        }
        return idle.length
      }, Effect.orDie)

      const lapseOf = Effect.fnUntraced(function*(licenseId: string) {
        const lapsed = yield* devices.lapse(licenseId, { most: lapsedAtOnce })
        // When the remaining containers may become idle. Those that something else keeps in use are examined again in a
        // minute.
        if (lapsed < lapsedAtOnce) {
          yield* sql`
            UPDATE devices d SET idle_check_at = greatest(
              d.last_seen_at + ${sql.literal(intervalsAway)}, now() + interval '1 minute')
            FROM licenses l JOIN policies p ON p.id = l.policy_id
            WHERE l.id = ${licenseId} AND d.license_id = l.id AND d.binding_kind = 'container'
              AND d.status = 'active' AND (d.idle_check_at IS NULL OR d.idle_check_at <= now())`
        }
        return lapsed
      })

      const step = Effect.gen(function*() {
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
        run: supervised("A sweep of the licenses", swept("licenses", step), every, { retry: retryAfterFailure })
      })
    })
  )
}
