import { Effect, Schema, Stream } from "effect"
import { Policy, policyFindings } from "../../../domain/catalog/Policy.ts"
import { rulesOf } from "../../../domain/catalog/terms/Rules.ts"
import { changeFindings } from "../../../domain/evidence/rehearsals/PolicyRehearsal.ts"
import { rehearsalRows, RehearsalTotals } from "../../../domain/evidence/rehearsals/RehearsalTotals.ts"
import type { RehearsalRow } from "../../../domain/evidence/rehearsals/RehearsalTotals.ts"
import type { RehearsedOutcome } from "../../../domain/evidence/rehearsals/RehearsedDecision.ts"
import type { ReportFilters } from "../../../domain/evidence/reports/Report.ts"
import { reportColumns } from "../../../domain/evidence/reports/ReportColumns.ts"
import { failing, NotFound } from "../../../domain/ground/wire/Errors.ts"
import { invalidField, invalidRequest } from "../../../domain/ground/wire/FieldFindings.ts"
import type { Database } from "../../ground/persistence/Database.ts"
import type { ProductLimit } from "../../ground/persistence/ProductLimit.ts"
import { makeRehearsedLicenses } from "../rehearsals/RehearsedLicenses.ts"
import { changedQuotas } from "../rehearsals/RehearsedQuotas.ts"
import type { OpenedReport } from "./OpenedReport.ts"

/** The most rows of a rehearsal, which are held until the report is written: 200,000 take 50 MB. */
const mostRows = 200_000

/** How many rows are handed on at once. */
const chunk = 500

const decodePolicy = Schema.decodeUnknownEffect(Policy)

type Filters = ReportFilters<"rehearsal">

const windowIn = ({ from, to }: Filters) => ({
  ...(from === undefined ? {} : { from }),
  ...(to === undefined ? {} : { to })
})

/** An instant after every event: those of the last moment count, too. */
const always = new Date("9999-12-31T00:00:00Z")

/**
 * The rules of a policy as they are and as a change would leave them, and how the policy came to be as it is, as far as a caller with this `limit` may see it. A change that
 * contradicts itself is a ValidationError, with its findings under `change`.
 */
export const rehearsedRules = Effect.fnUntraced(
  function*(sql: Database, { change: { features = [], ...change }, policy_id }: Filters, limit: ProductLimit) {
    const policySteps = yield* makeRehearsedLicenses(sql).stepsOfPolicy(policy_id, always)
    const policy = policySteps.at(-1)?.policy
    if (policy === undefined || (limit !== undefined && !limit.includes(policy.product_id))) {
      return yield* failing(NotFound, "No policy has this id.")
    }
    const left = { ...policy, ...change }
    const findings = policyFindings(left)
    if (findings.length > 0) return yield* invalidRequest(changeFindings(findings))
    // A rule that null takes away is not there afterwards.
    const after = Object.fromEntries(Object.entries(left).filter(([, value]) => value !== null))
    return {
      before: rulesOf(policy),
      after: rulesOf(yield* Effect.orDie(decodePolicy(after))),
      quotas: yield* changedQuotas(sql, policy_id, features),
      policySteps
    }
  }
)

/** Opens the rehearsal of a change of a policy inside the caller's transaction: of all of its licenses. */
export const openRehearsal = Effect.fnUntraced(function*(sql: Database, filters: Filters, limit: ProductLimit) {
  const licenses = makeRehearsedLicenses(sql)
  const rules = yield* rehearsedRules(sql, filters, limit)
  const rows: Array<RehearsalRow> = []
  const kept = {
    // They hold for all licenses: those after the end of the window decide nothing.
    policySteps: rules.policySteps,
    totals: new RehearsalTotals(),
    heard: (id: string, outcomes: ReadonlyArray<RehearsedOutcome>) => {
      for (const row of rehearsalRows(id, outcomes)) rows.push(row)
    }
  }
  let found = yield* licenses.rehearse(filters.policy_id, rules, { ...windowIn(filters), ...kept })
  // The licenses that follow are of the very window of the first ones.
  const window = { from: found.from, to: found.to }
  while (found.next_after !== undefined) {
    if (rows.length > mostRows) {
      return yield* invalidField("from", "too_many_rows", `leaves more than ${mostRows} rows: choose a shorter window`)
    }
    found = yield* licenses.rehearse(filters.policy_id, rules, { ...window, after: found.next_after, ...kept })
  }
  const { affected, calls, granted, licenses: many, recorded_from, refused, rules: changed, unknown } = found
  const chunks = Array.from(
    { length: Math.ceil(rows.length / chunk) },
    (_, n) => rows.slice(n * chunk, (n + 1) * chunk)
  )
  return {
    filters: { ...filters, change: { ...filters.change }, ...window },
    summary: {
      licenses: many,
      affected_licenses: affected.length,
      recorded_from,
      calls,
      rules: changed,
      refused,
      granted,
      unknown
    },
    columns: reportColumns("rehearsal", filters),
    total: rows.length,
    rows: Stream.fromArray(chunks)
  } satisfies OpenedReport
})
