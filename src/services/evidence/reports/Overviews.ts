import { Context, Effect, Layer } from "effect"
import {
  EndingLicense,
  FailingEndpoint,
  mostCounted,
  overviewDays,
  overviewDaysOf
} from "../../../domain/evidence/reports/Overview.ts"
import type { DayFigures, Overview } from "../../../domain/evidence/reports/Overview.ts"
import type { Window } from "../../../domain/evidence/reports/Report.ts"
import type { InvalidQuery } from "../../../domain/ground/wire/Errors.ts"
import { invalidQuery } from "../../../domain/ground/wire/FieldFindings.ts"
import { countedUpTo } from "../../../domain/ground/wire/Page.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { CurrentProducts } from "../../ground/persistence/ProductLimit.ts"
import { rowReader } from "../../ground/persistence/RowToWire.ts"
import { lackedScopes } from "../../log/Provenance.ts"
import {
  countByDay,
  countEndedByDay,
  countLateMails,
  countLicensesInForce,
  countQuotasReached,
  countWaitingPurchases,
  findOverviewWindow,
  listEnding,
  listFailingEndpoints
} from "./OverviewSql.ts"

const dayMillis = 86_400_000

/** How many reasons of refusals are named. */
const mostCodes = 10

const readEnding = rowReader(EndingLicense)
const readFailing = rowReader(FailingEndpoint)

type DayCounts = ReadonlyArray<Effect.Success<ReturnType<typeof countByDay>>[number]>

/** The figures of the days, from counts of each. */
const figuresOf = (
  counts: DayCounts,
  ended: ReadonlyArray<{ readonly day: Date; readonly count: bigint }>
): ReadonlyArray<DayFigures> => {
  const days = new Set([...counts, ...ended].map(({ day }) => day.toISOString()))
  const sum = (kind: DayCounts[number]["kind"], of: string) =>
    counts.filter((row) => row.kind === kind && row.day.toISOString() === of)
      .reduce((all, { count }) => all + Number(count), 0)
  return [...days].map((day) => ({
    day,
    issued: sum("issued", day),
    activations: sum("activations", day),
    refusals: sum("refusals", day),
    ended: Number(ended.find((row) => row.day.toISOString() === day)?.count ?? 0)
  }))
}

const quotaOf = (
  { count, feature_code, product_id }: Effect.Success<ReturnType<typeof countQuotasReached>>[number]
): Overview["quotas_reached"][number] =>
  product_id === null
    ? { feature_code, count: Number(count) }
    : { feature_code, product_id, count: Number(count) }

/** The refusals of all days by their reasons. */
const codesOf = (counts: DayCounts): Overview["refusals_by_code"] => {
  const found = new Map<string, number>()
  for (const { code, count } of counts) {
    if (code !== null) found.set(code, (found.get(code) ?? 0) + Number(count))
  }
  return [...found].map(([code, count]) => ({ code, count }))
    .toSorted((one, other) => other.count - one.count || one.code.localeCompare(other.code, "en"))
    .slice(0, mostCodes)
}

/** The findings about a window: its order, and its length. */
const findingsOf = ({ from, to }: Window) => {
  const length = Date.parse(to) - Date.parse(from)
  return length <= 0
    ? [{ path: "to", code: "invalid", message: "must be later than from" }]
    : length > overviewDays.most * dayMillis
    ? [{ path: "from", code: "too_long", message: `must be at most ${overviewDays.most} days before to` }]
    : []
}

/** The figures of today, from indexes that have nothing else, so that it costs little also where there is much. */
export class Overviews extends Context.Service<Overviews, {
  /** The figures of a window, of the products that the caller may see; parts that it may not see are left out. */
  readonly read: (window: Partial<Window>) => Effect.Effect<Overview, InvalidQuery>
}>()("countersign/services/evidence/reports/Overviews") {
  static readonly layer = Layer.effect(
    Overviews,
    Effect.gen(function*() {
      const sql = yield* Database

      /** The parts that need more than the scope of reports. */
      const partsFor = Effect.fnUntraced(function*(ending: number) {
        const limit = yield* CurrentProducts
        const has = (scope: Parameters<typeof lackedScopes>[0][number]) =>
          Effect.map(lackedScopes([scope]), (lacked) => lacked.length === 0)
        const seesLicenses = yield* has("license:read")
        const seesEndpoints = limit === undefined && (yield* has("webhook:write"))
        const seesPurchases = limit === undefined && (yield* has("product:read"))
        const lateMails = limit === undefined ? Number((yield* countLateMails(sql))[0]!.count) : undefined
        return {
          ...(lateMails === undefined ? {} : { late_mails: countedUpTo(lateMails, mostCounted.waiting) }),
          ...(seesLicenses
            ? {
              ending_licenses: countedUpTo(ending, mostCounted.ending),
              ending: (yield* listEnding(sql, limit)).map(readEnding)
            }
            : {}),
          ...(seesEndpoints ? { failing_endpoints: (yield* listFailingEndpoints(sql)).map(readFailing) } : {}),
          ...(seesPurchases
            ? {
              waiting_purchases: countedUpTo(
                Number((yield* countWaitingPurchases(sql))[0]!.count),
                mostCounted.waiting
              )
            }
            : {})
        }
      })

      const read = Effect.fn("Overviews.read")(function*(asked: Partial<Window>) {
        const limit = yield* CurrentProducts
        const [row] = yield* findOverviewWindow(sql, asked)
        const window = { from: row!.from.toISOString(), to: row!.to.toISOString() }
        const findings = findingsOf(window)
        if (findings.length > 0) return yield* invalidQuery(findings)
        const counts = yield* countByDay(sql, window, limit)
        const [licenses] = yield* countLicensesInForce(sql, limit)
        const active = countedUpTo(Number(licenses!.active), mostCounted.active)
        // Only a window that ends now can be counted back from what is in force now.
        const isCountedBack = !active.has_more && asked.to === undefined
        const ended = isCountedBack ? yield* countEndedByDay(sql, window.from, limit) : []
        const days = overviewDaysOf(figuresOf(counts, ended), isCountedBack ? active.count : undefined)
        const sum = (member: "issued" | "activations" | "refusals") => days.reduce((all, day) => all + day[member], 0)
        return {
          ...window,
          days,
          issued: sum("issued"),
          activations: sum("activations"),
          refusals: sum("refusals"),
          refusals_by_code: codesOf(counts),
          quotas_reached: (yield* countQuotasReached(sql, window, limit)).map(quotaOf),
          active_licenses: active,
          ...(yield* partsFor(Number(licenses!.ending)))
        } satisfies Overview
      })

      return Overviews.of({ read })
    })
  )
}
