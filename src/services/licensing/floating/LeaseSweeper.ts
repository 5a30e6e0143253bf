import { Context, Effect, Layer } from "effect"
import { Agenda } from "../../ground/agenda/Agenda.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { makeSweepLocks } from "../../ground/persistence/SweepLocks.ts"
import { swept } from "../../ground/platform/Sweeps.ts"
import { LeaseClosing } from "../licenses/LeaseClosing.ts"
import { leasesDue, listExpired } from "./LeaseSql.ts"

/** The least pause between sweeps. Nothing waits for one: a seat is free as soon as its lease expires. */
const rest = "2 seconds"

/** The most licenses that one look finds. */
const batch = 200

/** The most leases that one transaction ends. */
const endedAtOnce = 200

/**
 * Closes expired leases, with one event each. Whether a seat is free is computed when it is read, so a late sweep
 * delays the event and nothing else.
 */
export class LeaseSweeper extends Context.Service<LeaseSweeper, {
  /** Closes all expired leases whose license is not busy; answers how many. */
  readonly sweep: Effect.Effect<number>
  /** Sweeps for ever. */
  readonly run: Effect.Effect<never>
}>()("countersign/services/licensing/floating/LeaseSweeper") {
  static readonly layer = Layer.effect(
    LeaseSweeper,
    Effect.gen(function*() {
      const sql = yield* Database
      const agenda = yield* Agenda
      const endings = yield* LeaseClosing

      const locks = makeSweepLocks(sql)

      const sweep = Effect.gen(function*() {
        const passed = locks.passed()
        let ended = 0
        while (true) {
          const due = yield* listExpired(sql, passed.ids, batch)
          let count = 0
          const end = (licenseIds: ReadonlyArray<string>) =>
            Effect.map(endings.endSomeExpired(licenseIds, endedAtOnce), (leases) => {
              count += leases.length
            })
          const before = passed.ids.length
          if (due.length > 0) {
            yield* locks.each(due.map(({ license_id }) => license_id), passed, end)
          }
          ended += count
          // The rest of these licenses, which one transaction could not take, and further licenses are found by the next look.
          if (due.length < batch && count < endedAtOnce) return ended
          // Heartbeats extend all of these leases at this moment.
          if (count === 0 && passed.ids.length === before) return ended
        }
      }).pipe(Effect.withSpan("LeaseSweeper.sweep"))

      return LeaseSweeper.of({
        sweep,
        run: agenda.follow({
          name: "A sweep of the leases",
          topic: "leases",
          due: () => leasesDue(sql),
          look: swept("leases", sweep),
          rest,
          retry: rest
        })
      })
    })
  )
}
