import { Context, Effect, Layer } from "effect"
import type { Policy } from "../../../domain/catalog/Policy.ts"
import { rulesOf } from "../../../domain/catalog/terms/Rules.ts"
import type { Rules } from "../../../domain/catalog/terms/Rules.ts"
import { decidedLicenseIn, policyIn, shownIn } from "../../../domain/evidence/audit/LastEvents.ts"
import type {
  LoggedStep,
  RecordedCalls,
  RecordedLease,
  RecordedUser
} from "../../../domain/evidence/recording/DecidedUse.ts"
import {
  amendedBy,
  changeFindings,
  rehearsalDays,
  rehearsedChanges,
  rehearsedLicenses,
  rehearsedRows
} from "../../../domain/evidence/rehearsals/PolicyRehearsal.ts"
import type { PolicyRehearsal, PolicyRehearsalRequest } from "../../../domain/evidence/rehearsals/PolicyRehearsal.ts"
import { RehearsalTotals } from "../../../domain/evidence/rehearsals/RehearsalTotals.ts"
import type { RehearsedOutcome } from "../../../domain/evidence/rehearsals/RehearsedDecision.ts"
import { rehearsing } from "../../../domain/evidence/rehearsals/RehearsedLicense.ts"
import type { Conflict, NotFound, TokenScopeDenied, ValidationError } from "../../../domain/ground/wire/Errors.ts"
import { invalidField, invalidRequest } from "../../../domain/ground/wire/FieldFindings.ts"
import { stateOf } from "../../../domain/licensing/licenses/LicenseStatus.ts"
import { Policies } from "../../catalog/Policies.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { logged } from "../../licensing/entitlements/LoggedEvents.ts"
import {
  findRecordedSince,
  listDecidedCalls,
  listDeviceDigests,
  listHeldLeases,
  listPolicyEvents,
  listRehearsedLicenses,
  listStateEvents,
  listUsersInWindow
} from "./RehearsalSql.ts"
import type { LeaseRow, RehearsedLicenseRow, StateEvent, UserRow } from "./RehearsalSql.ts"
import { changedQuotas, readQuotas } from "./RehearsedQuotas.ts"
import type { ChangedQuota } from "./RehearsedQuotas.ts"

const hour = 3_600_000
const day = 24 * hour

/** How many licenses are read at once. */
const batch = 50

interface Window {
  readonly from: Date
  readonly to: Date
}

/** The window that is asked for, in full hours. */
const windowOf = (
  { from, to }: Pick<PolicyRehearsalRequest, "from" | "to">,
  now: Date
): Effect.Effect<Window, ValidationError> => {
  const end = Math.ceil((to === undefined ? now.getTime() : Date.parse(to)) / hour) * hour
  const start = from === undefined ? end - rehearsalDays.usual * day : Math.floor(Date.parse(from) / hour) * hour
  if (start >= end) return Effect.fail(invalidField("to", "window_empty", "must be after `from`"))
  return end - start > rehearsalDays.most * day + hour
    ? Effect.fail(
      invalidField("from", "window_too_long", `must be at most ${rehearsalDays.most} days before \`to\``)
    )
    : Effect.succeed({ from: new Date(start), to: new Date(end) })
}

/** The step that an event of a license or a device is. */
const stepOf = (row: StateEvent): LoggedStep => {
  const { created_at, event_type, resource_id: _id, ...rest } = row
  const event = logged({ event_type, ...rest })
  const at = created_at.getTime()
  const isSeat = event_type === "license.activated" || event_type === "license.deactivated" ||
    event_type.startsWith("device.")
  const shown = isSeat ? shownIn(event) : undefined
  const seat = shown && {
    id: shown.id,
    kind: shown.binding_kind,
    isVm: shown.is_vm,
    status: shown.status,
    isActivation: event_type === "license.activated"
  }
  if (event_type.startsWith("device.")) return { at, ...(seat === undefined ? {} : { seat }) }
  const { status, ...license } = decidedLicenseIn(event)
  return {
    at,
    license: { ...license, state: stateOf({ status }) },
    ...(seat === undefined ? {} : { seat }),
    ...(event_type === "license.transferred" ? { endsLeases: true } : {})
  }
}

const leaseOf = (row: LeaseRow): RecordedLease => ({
  device: row.device_id,
  opened: row.checked_out_at.getTime(),
  ended: row.until.getTime(),
  reason: row.end_reason
})

const userOf = (row: UserRow): RecordedUser => ({
  id: row.id,
  created: row.created_at.getTime(),
  joined: row.joined_at?.getTime(),
  removed: row.removed_at?.getTime(),
  because: row.removed_because ?? undefined
})

/** Steps by the license that they are of. */
const stepsByLicense = (rows: ReadonlyArray<StateEvent>): ReadonlyMap<string, ReadonlyArray<LoggedStep>> => {
  const found = new Map<string, Array<LoggedStep>>()
  for (const row of rows) {
    const id = row.event_type.startsWith("device.") ? String(deviceLicense(row)) : row.resource_id
    const steps = found.get(id) ?? []
    steps.push(stepOf(row))
    found.set(id, steps)
  }
  return found
}

const deviceLicense = ({ created_at: _at, resource_id: _id, ...row }: StateEvent): unknown =>
  logged(row).data["license_id"]

/** Steps of a license and of its policy, in the order of time. */
const merged = (policies: ReadonlyArray<LoggedStep>, own: ReadonlyArray<LoggedStep>): ReadonlyArray<LoggedStep> =>
  [...policies, ...own].toSorted((a, b) => a.at - b.at)

/** Runs a rehearsal to its end, and lets others work wherever it pauses. */
const finished = Effect.fnUntraced(function*(work: Generator<void, ReadonlyArray<RehearsedOutcome>, void>) {
  for (let turn = work.next();; turn = work.next()) {
    yield* Effect.yieldNow
    if (turn.done === true) return turn.value
  }
})

/** The rules of a policy as they are and as they would be. */
export interface RehearsedRules {
  readonly before: Rules
  readonly after: Rules
  /** The features of the policy whose quotas change. */
  readonly quotas?: ReadonlyArray<ChangedQuota>
}

/** A question to the record: which licenses of which policy, when, and who hears of each license. */
interface Rehearsed {
  readonly policyId: string
  readonly window: Window
  readonly recorded: Date
  /** Since when calls about floating seats are recorded, in Unix milliseconds. */
  readonly leasesFrom: number
  readonly policySteps: ReadonlyArray<LoggedStep>
  readonly amend: (policy: Policy) => Policy
  readonly quotas: ReadonlyArray<ChangedQuota>
  readonly totals: RehearsalTotals
  readonly heard: (licenseId: string, outcomes: ReadonlyArray<RehearsedOutcome>) => void
}

/**
 * The question beside the rules: the window, the license to continue after, the sums to continue, who hears of the outcomes of each
 * license, and the steps of the policy, where they are read already.
 */
export interface RehearsalQuestion extends Pick<PolicyRehearsalRequest, "after" | "from" | "to"> {
  readonly totals?: RehearsalTotals
  readonly policySteps?: ReadonlyArray<LoggedStep>
  readonly heard?: Rehearsed["heard"]
}

/** Rehearses licenses of a policy on what the database has recorded, in the caller's transaction, if there is one. */
export const makeRehearsedLicenses = (sql: Database) => {
  /** Puts the devices that calls named before the license knew them by their IDs. */
  const named = Effect.fnUntraced(function*(calls: ReadonlyArray<RecordedCalls>) {
    const strangers = [...new Set(calls.flatMap((row) => row.device.startsWith("dev_") ? [] : row.license_id))]
    if (strangers.length === 0) return calls
    const digests = new Map(
      (yield* listDeviceDigests(sql, strangers)).map(({ digest, id, license_id }) => [`${license_id} ${digest}`, id])
    )
    return calls.map((row) => ({ ...row, device: digests.get(`${row.license_id} ${row.device}`) ?? row.device }))
  })

  /** Reads the calls and the steps of licenses; undefined where there are more than one request reads. */
  const read = Effect.fnUntraced(function*(licenseIds: ReadonlyArray<string>, { quotas, window }: Rehearsed) {
    const { from, to } = window
    const limit = rehearsedRows + 1
    const calls = yield* listDecidedCalls(sql, { licenseIds, from, to, limit })
    if (calls.length === limit) return undefined
    const events = yield* listStateEvents(sql, { licenseIds, until: to, limit })
    if (events.length === limit) return undefined
    const leases = yield* listHeldLeases(sql, { licenseIds, from, to, limit })
    if (leases.length === limit) return undefined
    const users = yield* listUsersInWindow(sql, { licenseIds, from, to, limit })
    if (users.length === limit) return undefined
    const used = yield* readQuotas(sql, quotas, { licenseIds, from, to, limit })
    if (used === undefined) return undefined
    return {
      rows: calls.length + events.length + leases.length + users.length + used.rows,
      quotas: used.quotas,
      users: Map.groupBy(users, (row) => row.license_id),
      leases: Map.groupBy(leases, (row) => row.license_id),
      calls: Map.groupBy(yield* named(calls), (row) => row.license_id),
      steps: stepsByLicense(events)
    }
  })

  /** The policy as each of its events before an instant left it. */
  const stepsOfPolicy = (id: string, until: Date) =>
    Effect.map(
      listPolicyEvents(sql, id, until),
      (rows) =>
        rows.map(({ created_at, resource_id: _id, ...row }) => ({
          at: created_at.getTime(),
          policy: policyIn(logged(row))
        }))
    )

  /** Rehearses licenses until enough was read; answers how many it rehearsed. */
  const rehearseAll = Effect.fnUntraced(function*(licenses: ReadonlyArray<RehearsedLicenseRow>, of: Rehearsed) {
    const { amend, heard, leasesFrom, policyId, policySteps, recorded, totals, window } = of
    let done = 0
    let size = batch
    for (let rows = 0; done < licenses.length && rows < rehearsedRows;) {
      const now = licenses.slice(done, done + size)
      const records = yield* read(now.map(({ id }) => id), of)
      if (records === undefined && now.length > 1) {
        size = 1
        continue
      }
      for (const { created_at, id } of now) {
        if (records === undefined) totals.skip("many_calls")
        else {
          const record = {
            policyId,
            steps: merged(policySteps, records.steps.get(id) ?? []),
            calls: records.calls.get(id) ?? [],
            leases: (records.leases.get(id) ?? []).map(leaseOf),
            users: (records.users.get(id) ?? []).map(userOf),
            quotas: records.quotas.get(id) ?? [],
            issued: created_at.getTime(),
            from: window.from.getTime(),
            leasesFrom
          }
          const outcomes = yield* finished(rehearsing(record, amend))
          totals.add(id, outcomes)
          heard(id, outcomes)
          if (window.from < recorded && created_at < recorded) totals.addUnknown("not_recorded")
        }
      }
      rows += records?.rows ?? rehearsedRows
      done += now.length
    }
    return done
  })

  /** Rehearses a change of rules, at most so many licenses as one request does; `next_after` says that there are more. */
  const rehearse = Effect.fnUntraced(function*(
    policyId: string,
    { after: later, before, quotas = [] }: RehearsedRules,
    { after = "", heard = () => undefined, policySteps, totals = new RehearsalTotals(), ...asked }: RehearsalQuestion
  ): Effect.fn.Return<PolicyRehearsal, ValidationError> {
    const [clock] = yield* findRecordedSince(sql)
    const window = yield* windowOf(asked, clock!.now)
    const recorded = clock!.since ?? clock!.now
    const limit = rehearsedLicenses + 1
    const found = yield* listRehearsedLicenses(sql, { policyId, after, until: window.to, limit })
    const amend = amendedBy(before, later)
    const done = yield* rehearseAll(found.slice(0, rehearsedLicenses), {
      policyId,
      window,
      recorded,
      leasesFrom: (clock!.leases_since ?? clock!.now).getTime(),
      policySteps: policySteps ?? (yield* stepsOfPolicy(policyId, window.to)),
      amend,
      quotas,
      totals,
      heard
    })
    return {
      policy_id: policyId,
      from: window.from.toISOString(),
      to: window.to.toISOString(),
      recorded_from: recorded.toISOString(),
      rules: [...rehearsedChanges(before, later), ...quotas.flatMap(({ rules }) => rules)],
      ...totals.result(),
      ...(done < found.length ? { next_after: found[done - 1]!.id } : {})
    }
  })

  return { rehearse, stepsOfPolicy }
}

/** Rehearses a change of a policy: decides the recorded calls of a window again under the changed terms. Nothing is written. */
export class PolicyRehearsals extends Context.Service<PolicyRehearsals, {
  readonly rehearse: (
    id: string,
    request: PolicyRehearsalRequest
  ) => Effect.Effect<PolicyRehearsal, NotFound | Conflict | TokenScopeDenied | ValidationError>
}>()("countersign/services/evidence/rehearsals/PolicyRehearsals") {
  static readonly layer = Layer.effect(
    PolicyRehearsals,
    Effect.gen(function*() {
      const sql = yield* Database
      const licenses = makeRehearsedLicenses(sql)
      const policies = yield* Policies

      /** The change as it would be carried out, which is rolled back; one that PATCH refuses is refused alike. */
      const changeOf = Effect.fnUntraced(function*(
        id: string,
        { features = [], ...change }: PolicyRehearsalRequest["change"]
      ) {
        const { after, before, findings } = yield* policies.rehearseUpdate(id, change).pipe(
          Effect.catchTag("PRECONDITION_FAILED", Effect.die)
        )
        if (findings.length > 0) return yield* invalidRequest(changeFindings(findings))
        return { before: rulesOf(before!), after: rulesOf(after), quotas: yield* changedQuotas(sql, id, features) }
      })

      const rehearse = Effect.fn("PolicyRehearsals.rehearse")(function*(
        id: string,
        { change, ...asked }: PolicyRehearsalRequest
      ) {
        return yield* licenses.rehearse(id, yield* changeOf(id, change), asked)
      })

      return PolicyRehearsals.of({ rehearse })
    })
  )
}
