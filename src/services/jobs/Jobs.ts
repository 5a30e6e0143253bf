import { Context, Effect, Layer } from "effect"
import { failing, isDomainError, NotFound, StateConflict } from "../../domain/ground/wire/Errors.ts"
import type { InvalidCursor, ValidationError } from "../../domain/ground/wire/Errors.ts"
import { finding, invalidField, invalidRequest, maximumFindings } from "../../domain/ground/wire/FieldFindings.ts"
import type { Page, PageRequest } from "../../domain/ground/wire/Page.ts"
import { Job, JobRow, mostRehearsed } from "../../domain/jobs/Job.ts"
import type { JobFailure, JobPreview, LicenseJobCreated, RowOutcome } from "../../domain/jobs/Job.ts"
import { jobReasons, LicenseJobCreate, selectionLimit } from "../../domain/jobs/LicenseJob.ts"
import type { JobParameters, JobSelection } from "../../domain/jobs/LicenseJob.ts"
import { selectionChange } from "../../domain/jobs/SelectionChange.ts"
import { Database, inTransaction, rehearsed } from "../ground/persistence/Database.ts"
import { Identifiers } from "../ground/persistence/Identifiers.ts"
import { keysetPageBy, sortedPage } from "../ground/persistence/KeysetPagination.ts"
import { CurrentProducts, withinProducts } from "../ground/persistence/ProductLimit.ts"
import type { ProductLimit } from "../ground/persistence/ProductLimit.ts"
import { rowReader } from "../ground/persistence/RowToWire.ts"
import { ServiceSettings } from "../keys/settings/ServiceSettings.ts"
import { licenseConditions } from "../licensing/licenses/LicenseSearch.ts"
import { Events } from "../log/Events.ts"
import { askingNobody, CurrentActor, CurrentReason, CurrentSecondPerson, RequestOrigin } from "../log/Provenance.ts"
import { authorOf } from "../people/notes/Notes.ts"
import { JobActor } from "./JobActor.ts"
import {
  countPaid,
  insertFailedOf,
  insertMatching,
  insertNamed,
  listMatching,
  listRows,
  listUnknown
} from "./JobRowSql.ts"
import type { ShownRow } from "./JobRowSql.ts"
import {
  findJob,
  findRunningOf,
  insertJob,
  isJobWithin,
  listJobs,
  lockToRepeat,
  updateApprovalOfJob
} from "./JobSql.ts"
import { JobWork, readJobInEvent } from "./JobWork.ts"

/** How many licenses are tried at once. */
const atOnce = 2

type Foreseen = JobPreview["reasons"][number]

/** The reasons of some outcomes, each once, the most frequent first. */
const reasonsOf = (outcomes: ReadonlyArray<Omit<Foreseen, "licenses">>): ReadonlyArray<Foreseen> =>
  [...Map.groupBy(outcomes, ({ code, message, outcome }) => `${outcome} ${code} ${message}`).values()]
    .map((group): Foreseen => {
      const { code, message, outcome } = group[0]!
      return { outcome, code, message, licenses: group.length }
    })
    .toSorted((a, b) => b.licenses - a.licenses)

/**
 * Tells what an action would do to some licenses: each is carried out by itself and rolled back, so that a dry run and the job decide
 * alike.
 */
const rehearsal = <E extends object>(
  sql: Database,
  ids: ReadonlyArray<string>,
  act: (id: string) => Effect.Effect<JobFailure | undefined, E>
): Effect.Effect<Omit<JobPreview, "of_purchases">> =>
  Effect.map(
    Effect.forEach(
      ids,
      (id) =>
        rehearsed(sql, act(id)).pipe(
          // Once more, as the job does it: a conflict of locks says nothing of the license.
          Effect.catchDefect(() => rehearsed(sql, act(id))),
          Effect.map((nothing) => nothing === undefined ? undefined : { outcome: "skipped" as const, ...nothing }),
          Effect.catch((error) =>
            isDomainError(error)
              ? Effect.succeed({ outcome: "failed" as const, code: error.error.code, message: error.error.message })
              : Effect.die(error)
          )
        ),
      { concurrency: atOnce }
    ),
    (outcomes) => {
      const others = outcomes.filter((outcome) => outcome !== undefined)
      const skipped = others.filter(({ outcome }) => outcome === "skipped").length
      return {
        matched: ids.length,
        judged: ids.length,
        done: ids.length - others.length,
        skipped,
        failed: others.length - skipped,
        reasons: reasonsOf(others)
      }
    }
  )

/** The conditions of a filter on licenses `l` with their policies `p`, within the products of whoever asks. */
const conditionsOf = (
  sql: Database,
  filter: NonNullable<JobSelection["filter"]>,
  limit: ProductLimit
) =>
  Effect.map(licenseConditions(sql, filter), (conditions) => [
    ...conditions,
    ...withinProducts(sql, "l.product_id", limit)
  ])

const readJob = rowReader(Job)
const readRow = rowReader(JobRow)

const missing = () => failing(NotFound, "No job has this id.")

const tooMany = () =>
  invalidField(
    "selection.filter",
    "too_many",
    `matches more than ${selectionLimit.all.toLocaleString("en")} licenses: narrow it`
  )

/** A job that is asked for. */
interface Wanted {
  readonly action: LicenseJobCreate["action"]
  readonly selection: JobSelection
  readonly parameters: JobParameters
  readonly repeats?: string
  /** The number of licenses that a dry run found. */
  readonly expected?: number
}

const parametersOf = ({ change_policy, renew, tags }: LicenseJobCreate): JobParameters => ({
  ...(renew === undefined ? {} : { renew }),
  ...(change_policy === undefined ? {} : { change_policy }),
  ...(tags === undefined ? {} : { tags })
})

/** Actions on many licenses. */
export class Jobs extends Context.Service<Jobs, {
  /** Starts a job, or tells what it would do. The filter is resolved here: later matches are not among its licenses. */
  readonly create: (input: LicenseJobCreate) => Effect.Effect<LicenseJobCreated, StateConflict | ValidationError>
  /** The licenses that the filter of a job matches at this moment, by ID; undefined where it has none. */
  readonly matching: (
    input: Pick<LicenseJobCreate, "selection">
  ) => Effect.Effect<ReadonlyArray<string> | undefined, ValidationError>
  /** Starts a job with the licenses of another one that failed. */
  readonly retry: (id: string) => Effect.Effect<Job, NotFound | StateConflict | ValidationError>
  /** Stops a job: what is done stays done. Repeating it succeeds; a job that has ended otherwise stays as it is. */
  readonly stop: (id: string) => Effect.Effect<Job, NotFound>
  readonly get: (id: string) => Effect.Effect<Job, NotFound>
  readonly list: (page: PageRequest) => Effect.Effect<Page<Job>, InvalidCursor>
  readonly rows: (
    id: string,
    outcome: RowOutcome | undefined,
    page: PageRequest
  ) => Effect.Effect<Page<JobRow>, InvalidCursor | NotFound>
}>()("countersign/services/jobs/Jobs") {
  static readonly layer = Layer.effect(
    Jobs,
    Effect.gen(function*() {
      const sql = yield* Database
      const actor = yield* JobActor
      const events = yield* Events
      const identifiers = yield* Identifiers
      const work = yield* JobWork
      const settings = yield* ServiceSettings

      const get = Effect.fn("Jobs.get")(function*(id: string) {
        const [row] = yield* findJob(sql, id)
        return row === undefined ? yield* missing() : readJob(row)
      })

      /** Fails where an id is of no license that the caller may see. */
      const known = Effect.fnUntraced(function*(ids: ReadonlyArray<string>) {
        const unknown = yield* listUnknown(sql, ids, { limit: maximumFindings, products: yield* CurrentProducts })
        if (unknown.length === 0) return
        return yield* invalidRequest(
          unknown.map(({ place }) => finding(["selection", "ids", place], "not_found", "does not exist"))
        )
      })

      /** Makes the rows of a job; fails where a filter matches more than a job may have. */
      const select = Effect.fnUntraced(function*(id: string, { repeats, selection: { filter, ids = [] } }: Wanted) {
        if (repeats !== undefined) return yield* insertFailedOf(sql, id, repeats)
        if (filter === undefined) {
          yield* known(ids)
          return yield* insertNamed(sql, id, ids)
        }
        const conditions = yield* conditionsOf(sql, filter, yield* CurrentProducts)
        const rows = yield* insertMatching(sql, id, conditions, selectionLimit.all + 1)
        return rows.length > selectionLimit.all ? yield* tooMany() : rows
      })

      const start = Effect.fnUntraced(function*(wanted: Wanted) {
        const by = yield* CurrentActor
        const author = authorOf(by)
        const id = identifiers.next("job")
        const { requestId } = yield* RequestOrigin
        const { action, parameters, repeats, selection } = wanted
        const reasoned = jobReasons[action]
        if (reasoned !== undefined) yield* settings.checkReason(reasoned)
        const made = yield* insertJob(sql, {
          id,
          action,
          selection,
          parameters,
          reason: yield* CurrentReason,
          author,
          products: by.products,
          requestId,
          repeats
        })
        if (made.length === 0) {
          const [running] = yield* findRunningOf(sql, author)
          return yield* failing(StateConflict, "Your last job is still running. Wait for its end, or stop it.", {
            detail: running?.id ?? "running"
          })
        }
        const second = yield* CurrentSecondPerson
        if (second !== undefined) yield* updateApprovalOfJob(sql, second.approvalId, id)
        const rows = yield* select(id, wanted)
        const { length } = rows
        if (wanted.expected !== undefined && length !== wanted.expected) {
          return yield* failing(
            StateConflict,
            `The selection has ${length} licenses now, and not ${wanted.expected}.`,
            {
              detail: String(length)
            }
          )
        }
        if (second?.selected !== undefined) {
          const found = rows.map(({ license_id }) => license_id)
          const change = selectionChange(second.selected, found)
          if (change !== undefined) return yield* failing(StateConflict, change.message, { detail: change.detail })
        }
        const [row] = yield* findJob(sql, id)
        yield* events.append({
          type: "job.created",
          resourceId: id,
          data: readJobInEvent(row!),
          ...(action === "revoke" ? { look: "revoke_license" as const } : {})
        })
        yield* sql.afterCommit(actor.wake(id))
        return readJob(row!)
      })

      const matched = Effect.fnUntraced(function*(filter: NonNullable<JobSelection["filter"]>) {
        const conditions = yield* conditionsOf(sql, filter, yield* CurrentProducts)
        const found = yield* listMatching(sql, conditions, selectionLimit.all + 1)
        return found.length > selectionLimit.all ? yield* tooMany() : found.map(({ id }) => id)
      })

      const preview = Effect.fnUntraced(function*({ action, parameters, selection: { filter, ids = [] } }: Wanted) {
        yield* known(ids)
        const matching = filter === undefined ? ids : yield* matched(filter)
        const by = yield* CurrentActor
        const judged = matching.slice(0, mostRehearsed)
        const foreseen = yield* rehearsal(sql, judged, (id) => askingNobody(work.act(by, id, action, parameters)))
        const [paid] = action === "change_policy" ? yield* countPaid(sql, judged) : []
        return { ...foreseen, matched: matching.length, of_purchases: paid?.licenses ?? 0 } satisfies JobPreview
      })

      const create = Effect.fn("Jobs.create")(function*(input: LicenseJobCreate) {
        const wanted = {
          action: input.action,
          selection: input.selection,
          parameters: parametersOf(input),
          ...(input.expected_total === undefined ? {} : { expected: input.expected_total })
        }
        return input.dry_run === true
          ? { preview: yield* preview(wanted) }
          : { job: yield* inTransaction(sql, start(wanted)) }
      })

      const retry = Effect.fn("Jobs.retry")((id: string) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const [locked] = yield* lockToRepeat(sql, id)
            if (locked?.repeated_by !== undefined && locked.repeated_by !== null) {
              return yield* failing(StateConflict, "The failed licenses of the job were tried again already.", {
                detail: locked.repeated_by
              })
            }
            const { action, failed, parameters, selection, state } = yield* get(id)
            if (state === "running") {
              return yield* failing(StateConflict, "The job is still running.", { detail: state })
            }
            if (failed === 0) {
              return yield* failing(StateConflict, "No license of the job failed.", { detail: "nothing_failed" })
            }
            return yield* start({ action, parameters, selection, repeats: id })
          })
        )
      )

      const stop = Effect.fn("Jobs.stop")((id: string) =>
        inTransaction(sql, Effect.andThen(Effect.andThen(get(id), work.end(id, "stopped")), get(id)))
      )

      return Jobs.of({
        matching: ({ selection: { filter } }) => filter === undefined ? Effect.undefined : matched(filter),
        create,
        retry,
        stop,
        get,
        list: (page) =>
          sortedPage({
            sql,
            list: "jobs",
            products: (products) => isJobWithin(sql, products),
            filters: {},
            page,
            alias: "j.",
            conditions: [],
            rows: (clauses, limit) => listJobs(sql, clauses, limit),
            read: readJob
          }),
        rows: Effect.fn("Jobs.rows")(function*(id, outcome, page) {
          yield* get(id)
          const found = yield* keysetPageBy({
            list: "job_rows",
            products: "owned",
            filters: { id, outcome },
            page,
            idOf: ({ position }: ShownRow) => String(position),
            rows: (after, limit) => listRows(sql, id, { after: Number(after ?? 0), limit, outcome })
          })
          return { ...found, items: found.items.map(({ position: _position, ...row }) => readRow(row)) }
        })
      })
    })
  )
}
