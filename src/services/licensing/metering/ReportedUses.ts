import { Context, Effect, Layer, Result } from "effect"
import { namedDimensions } from "../../../domain/catalog/Dimensions.ts"
import type { FieldFinding } from "../../../domain/ground/wire/Errors.ts"
import type { ChosenUse, CountedState } from "../../../domain/licensing/metering/ChosenUse.ts"
import { counterOf } from "../../../domain/licensing/metering/ReportedCount.ts"
import { makeUseCounting } from "../../../domain/licensing/metering/ReportedDecision.ts"
import type { NewUse, UseDecided } from "../../../domain/licensing/metering/ReportedDecision.ts"
import { invalidRow, useOf } from "../../../domain/licensing/metering/ReportedRow.ts"
import type { ReportedUseCounted, UsageReport, UsageReported } from "../../../domain/licensing/metering/UsageReport.ts"
import { carriedEvent } from "../../catalog/terms/Rollovers.ts"
import { Database, inTransaction, rehearsed } from "../../ground/persistence/Database.ts"
import { Identifiers } from "../../ground/persistence/Identifiers.ts"
import { findTime } from "../../ground/persistence/TransactionSql.ts"
import { Vault } from "../../keys/security/Vault.ts"
import { Events } from "../../log/Events.ts"
import { CurrentActor, RequestOrigin } from "../../log/Provenance.ts"
import { MailQueue } from "../../mail/MailQueue.ts"
import { writeUses } from "./CountedUses.ts"
import { readUses } from "./ReportedUseReads.ts"
import type { Outcomes, ReportedRow } from "./ReportedUseReads.ts"
import { thresholdNotices, usageEvents } from "./UsageEvents.ts"
import { insertReportedUses } from "./UsageSql.ts"

/** Findings about rows that were not read as they were sent, by the index of the row. */
type RowFindings = ReadonlyMap<number, FieldFinding>

const instant = (millis: number): string => new Date(millis).toISOString()

/** A use that counts, as it is answered: the same whether it was counted now or before. */
const answerOf = (decided: UseDecided, now: number): ReportedUseCounted => {
  const { before, featureId, index, licenseId, use } = decided
  const counted = before ?? {
    amount: decided.amount,
    overage: decided.over,
    usedAt: decided.at,
    periodStart: decided.after.periodStart
  }
  return {
    index,
    license_id: licenseId,
    feature_id: featureId,
    event_id: use.event_id,
    amount: counted.amount,
    ...(counted.overage === 0 ? {} : { over_quota: counted.overage }),
    used_at: instant(counted.usedAt ?? decided.at ?? now),
    ...(counted.periodStart === undefined ? {} : { period_start: instant(counted.periodStart) }),
    ...(before === undefined ? {} : { repeated: true })
  }
}

/** Reads the rows of a report, and refuses what is no use. */
const readRows = Effect.fnUntraced(function*(input: UsageReport, lost: RowFindings) {
  const outcomes: Outcomes<never> = new Map()
  const rows: Array<ReportedRow> = []
  for (const [index, row] of input.uses.entries()) {
    if (index % 50 === 49) yield* Effect.yieldNow
    // A text that replaced a lost one must not be judged.
    const loss = lost.get(index)
    const use = loss === undefined ? useOf(row) : Result.fail(invalidRow([loss]))
    if (Result.isSuccess(use)) rows.push({ index, use: use.success })
    else outcomes.set(index, Result.fail(use.failure))
  }
  return { outcomes, rows }
})

/** Counts uses in the order of their times, so that none counts in a period that an earlier one has ended. */
const decideAll = (chosen: Outcomes<ChosenUse>, counting: ReturnType<typeof makeUseCounting>): Outcomes<UseDecided> => {
  const outcomes: Outcomes<UseDecided> = new Map()
  const uses: Array<ChosenUse> = []
  for (const [index, result] of chosen) {
    if (Result.isSuccess(result)) uses.push(result.success)
    else outcomes.set(index, Result.fail(result.failure))
  }
  for (const use of uses.toSorted((a, b) => a.at - b.at || a.index - b.index)) {
    outcomes.set(use.index, counting.count(use))
  }
  return outcomes
}

const isNew = (decided: UseDecided): decided is NewUse => decided.before === undefined

/** Uses of metered features that backends report: exact beside those of apps, each counted or refused by itself. */
export class ReportedUses extends Context.Service<ReportedUses, {
  /** Counts uses in one transaction. `lost` has the findings about rows that were not read as they were sent. */
  readonly report: (input: UsageReport, lost?: RowFindings) => Effect.Effect<UsageReported>
}>()("countersign/services/licensing/metering/ReportedUses") {
  static readonly layer = Layer.effect(
    ReportedUses,
    Effect.gen(function*() {
      const sql = yield* Database
      const events = yield* Events
      const identifiers = yield* Identifiers
      const mails = yield* MailQueue
      const vault = yield* Vault

      const write = Effect.fnUntraced(
        function*(
          uses: ReadonlyArray<NewUse>,
          counting: ReturnType<typeof makeUseCounting>,
          known: CountedState["licenses"]
        ) {
          if (uses.length === 0) return
          const { id, type } = yield* CurrentActor
          const { requestId } = yield* RequestOrigin
          const counted = uses.map((
            {
              after,
              at,
              crossed,
              featureId,
              found,
              isMoved,
              isOver,
              isPast,
              licenseId,
              measured,
              over,
              owner,
              taken,
              units,
              use,
              value
            }
          ) => ({
            id: identifiers.next("evt"),
            license_id: licenseId,
            feature_id: featureId,
            feature_code: after.code,
            event_id: use.event_id,
            amount: units,
            measured,
            value,
            overage: over,
            taken,
            crossed,
            total_consumptions: after.total,
            before: found,
            after,
            device_id: undefined,
            request_id: requestId,
            dimensions: namedDimensions(use.dimensions),
            reported: {
              usedAt: use.used_at === undefined || isMoved ? undefined : at,
              namedAt: isMoved ? use.used_at : undefined,
              actor: { id, type },
              isLate: isPast,
              isOver,
              owner
            }
          }))
          const { carried } = counting
          const isCarried = (licenseId: string, featureId: string) =>
            carried.some(({ feature_id, license_id }) => license_id === licenseId && feature_id === featureId)
          const counters = [...new Map(uses.map((use) => [`${use.licenseId}\n${use.featureId}`, use])).values()]
            .map(({ after, featureId, licenseId }) => ({
              license_id: licenseId,
              feature_id: featureId,
              after: counterOf(counting.licenses.get(licenseId)!, after),
              isCounted: isCarried(licenseId, featureId) ||
                known.get(licenseId)!.features?.some(({ id }) => id === featureId) === true
            }))
          yield* writeUses(sql, { carried, counted, counters, records: insertReportedUses(sql, counted) })
          yield* events.appendAll([...carried.map(carriedEvent), ...counted.flatMap((use) => usageEvents(use))])
          yield* mails.notify(thresholdNotices({ counted }))
        }
      )

      const carryOut = Effect.fnUntraced(function*(input: UsageReport, lost: RowFindings) {
        const { outcomes: unread, rows } = yield* readRows(input, lost)
        const [time] = yield* findTime(sql)
        const now = Math.floor(time!.now)
        const { outcomes, past, state } = yield* readUses(sql, vault, { ...input, now, rows })
        const counting = makeUseCounting(state, past, { now, nextId: () => identifiers.next("grant") })
        const decided = decideAll(outcomes, counting)
        const counts = [...decided.values()].flatMap((result) => Result.isSuccess(result) ? result.success : [])
        const counted = counts.filter(isNew)
        yield* write(counted, counting, state.licenses)
        const results = [...unread, ...decided].toSorted(([a], [b]) => a - b).map(([index, result]) => {
          if (Result.isSuccess(result)) return answerOf(result.success, now)
          return { index, error: result.failure.error }
        })
        return {
          counted: counted.length,
          repeated: counts.length - counted.length,
          refused: results.length - counts.length,
          results
        }
      })

      const report = Effect.fn("ReportedUses.report")((input: UsageReport, lost: RowFindings = new Map()) =>
        input.dry_run === true ? rehearsed(sql, carryOut(input, lost)) : inTransaction(sql, carryOut(input, lost))
      )

      return ReportedUses.of({ report })
    })
  )
}
