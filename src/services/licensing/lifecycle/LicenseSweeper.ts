import { Context, Effect, Layer } from "effect"
import { crossingsOf, expiryNotice } from "../../../domain/licensing/lifecycle/LicenseExpiry.ts"
import type { ExpiryNotice } from "../../../domain/licensing/lifecycle/LicenseExpiry.ts"
import { Agenda } from "../../ground/agenda/Agenda.ts"
import { Slices } from "../../ground/environments/CurrentEnvironment.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { Identifiers } from "../../ground/persistence/Identifiers.ts"
import { makeSweepLocks } from "../../ground/persistence/SweepLocks.ts"
import type { Passed } from "../../ground/persistence/SweepLocks.ts"
import { swept } from "../../ground/platform/Sweeps.ts"
import { MailQueue } from "../../mail/MailQueue.ts"
import type { MailNotice } from "../../mail/MailQueue.ts"
import { Devices } from "../licenses/Devices.ts"
import { Licenses } from "../licenses/Licenses.ts"
import { licensesDue, listDue, listEnding, listToCheck, updateAnnounced, updateChecked } from "./LicenseSweeperSql.ts"
import type { DueRow } from "./LicenseSweeperSql.ts"

const batch = 200
/** Seats freed in one transaction. */
const lapsedAtOnce = 200
/** The least pause between sweeps. */
const rest = "1 second"
const retryAfterFailure = "5 seconds"

/** The crossings of a license that ends, with their events, and the mail about the last of them. */
const dueOf = (row: DueRow, nextId: () => string) => {
  const expiry = {
    ...row,
    expires_at: row.expires_at.getTime(),
    created_at: row.created_at.getTime(),
    now: row.now.getTime()
  }
  const crossings = crossingsOf(expiry)
  const notice = expiryNotice(expiry, crossings)
  const told = notice !== undefined && row.mails?.includes(notice.kind) === true
    ? { notice, eventId: nextId() }
    : undefined
  const changes = crossings.kinds.map((type, at) => ({
    type,
    id: row.id,
    metadata: { expires_at: row.expires_at.toISOString() },
    ...(told === undefined || at < crossings.kinds.length - 1 ? {} : { eventId: told.eventId })
  }))
  return { row, crossings, changes, notices: told === undefined ? [] : [mailNotice(row.id, told)] }
}

const mailNotice = (
  licenseId: string,
  { eventId, notice: { announced, days, expires_at, kind, serves_until } }: {
    readonly notice: ExpiryNotice
    readonly eventId: string
  }
): MailNotice => ({
  eventId,
  kind,
  licenseId,
  details: {
    announced,
    ...(days === undefined ? {} : { days }),
    expires_at: new Date(expires_at).toISOString(),
    ...(serves_until === undefined ? {} : { serves_until: new Date(serves_until).toISOString() })
  }
})

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
}>()("countersign/services/licensing/lifecycle/LicenseSweeper") {
  static readonly layer = Layer.effect(
    LicenseSweeper,
    Effect.gen(function*() {
      const sql = yield* Database
      const agenda = yield* Agenda
      const devices = yield* Devices
      const licenses = yield* Licenses
      const identifiers = yield* Identifiers
      const mails = yield* MailQueue
      const locks = makeSweepLocks(sql)
      const slices = yield* Slices

      const announceAll = Effect.fnUntraced(function*(lockedIds: ReadonlyArray<string>) {
        const due = (yield* listEnding(sql, lockedIds)).map((row) => dueOf(row, () => identifiers.next("evt")))
          .filter(({ crossings, row }) =>
            crossings.announced !== row.announced || crossings.announced_days !== undefined
          )
        yield* updateAnnounced(
          sql,
          due.map(({ crossings, row: { id } }) => ({ ...crossings, id }))
        )
        yield* licenses.recordAll(due.flatMap(({ changes }) => changes))
        yield* mails.notify(due.flatMap(({ notices }) => notices))
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
        run: agenda.follow({
          name: "A sweep of the licenses",
          topic: "licenses",
          due: () => licensesDue(sql),
          look: swept("licenses", sweep),
          rest,
          retry: retryAfterFailure
        })
      })
    })
  )
}
