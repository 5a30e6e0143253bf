import { Clock, Effect, Result } from "effect"
import { randomUUID } from "node:crypto"
import type { LicenseBulkCreateResponse, LicenseBulkRow } from "../../../client/api/index.ts"
import { UnreadableFile } from "../../importing/FileText.ts"
import { findingLine, findingOf, makeLicenseJudge } from "../../importing/LicenseJudge.ts"
import type { Catalog, ImportFinding, RequestedLicense } from "../../importing/LicenseJudge.ts"
import { importRows } from "../../importing/MappedRows.ts"
import type { ImportRow, ImportSource } from "../../importing/RowReader.ts"
import { Found, WrongUsage } from "../../terminal/ExitCode.ts"
import { counted, printNotice } from "../../terminal/Printing.ts"
import { ServiceApi } from "../ground/ServiceApi.ts"
import { adjustStandings, linesOf, standingDifferences } from "./ImportStatus.ts"
import type { StandingDifference } from "./ImportStatus.ts"

/** Rows of one call, and their characters: the limit of a body is 256 KiB, of UTF-8. */
const rowsAtOnce = 500
const charactersAtOnce = 60_000

/** Findings that are kept; further ones are counted. */
const listed = 10_000

/** A row that the service is asked for. */
interface RequestedRow {
  readonly row: ImportRow
  readonly license: RequestedLicense
}

/** Rows that follow each other in the file. */
interface Group {
  readonly requested: ReadonlyArray<RequestedRow>
  readonly wrong: ReadonlyArray<ReadonlyArray<ImportFinding>>
  readonly skipped: ReadonlyArray<{ readonly column: string; readonly value: string }>
}

/** Rows of a file with the same note of the mapping. */
interface TallyNote {
  readonly column: string
  readonly message: string
  rows: number
  /** The first of them. */
  readonly lines: Array<number>
}

/** The counts of an import. */
export interface Tally {
  rows: number
  created: number
  already: number
  invalid: number
  skipped: number
  /** How many of them by which value of which column. */
  readonly skipped_by: Array<{ readonly column: string; readonly value: string; lines: number }>
  readonly notes: Array<TallyNote>
  /** Existing licenses that differ from the file. */
  readonly differing: Array<StandingDifference>
  /** How many of those were changed. */
  updated: number
  readonly findings: Array<ImportFinding>
}

/** A tally without rows. */
export const emptyTally = (): Tally => ({
  rows: 0,
  created: 0,
  already: 0,
  invalid: 0,
  skipped: 0,
  skipped_by: [],
  notes: [],
  differing: [],
  updated: 0,
  findings: []
})

/** A failure to read a file, as the command ends with it. `isBegun`: rows before it have become licenses. */
export const readFailure = (path: string, isBegun = false) => (error: unknown) =>
  error instanceof UnreadableFile
    ? new Found({ message: `${path}: ${error.message}. ${isBegun ? "Import stopped there" : "No licenses created"}` })
    : new WrongUsage({ message: `${path} cannot be read: ${(error as Error).message}` })

/** The entries of all pages of a list. */
const all = async <A>(pages: AsyncIterable<A>): Promise<ReadonlyArray<A>> => {
  const entries: Array<A> = []
  for await (const entry of pages) entries.push(entry)
  return entries
}

/** The service's products, with their former codes, and its policies. */
export const readCatalog = Effect.gen(function*() {
  const { ask } = yield* ServiceApi
  const products = yield* ask((client) => all(client.products.list({ limit: 200 })))
  const policies = yield* Effect.forEach(
    products,
    ({ id }) => ask((client) => all(client.policies.list(id, { limit: 200 })))
  )
  return {
    products: new Map(
      products.flatMap(({ code, former_codes = [], id }) =>
        [code, ...former_codes].map((named) => [named, id] as const)
      )
    ),
    policies: new Map(products.map(({ id }, index) => [id, policies[index]!]))
  } satisfies Catalog
})

/** Reads a file from its beginning, a bounded number of rows at a time, and judges each of them. */
export const eachGroup = Effect.fnUntraced(function*<E, R>(
  source: ImportSource,
  catalog: Catalog,
  isBegun: boolean,
  use: (group: Group) => Effect.Effect<void, E, R>
) {
  const judge = makeLicenseJudge(catalog)
  const rows = importRows(source)
  for (let isOver = false; !isOver;) {
    const requested: Array<RequestedRow> = []
    const wrong: Array<ReadonlyArray<ImportFinding>> = []
    const skipped: Array<Group["skipped"][number]> = []
    let characters = 0
    const now = yield* Clock.currentTimeMillis
    while (requested.length + wrong.length + skipped.length < rowsAtOnce && characters < charactersAtOnce) {
      const next = yield* Effect.tryPromise({ try: () => rows.next(), catch: readFailure(source.file, isBegun) })
      if (next.done === true) {
        isOver = true
        break
      }
      if (next.value.skippedBy !== undefined) {
        skipped.push(next.value.skippedBy)
        continue
      }
      const license = judge(next.value, now)
      if (Result.isFailure(license)) wrong.push(license.failure)
      else {
        const { length } = JSON.stringify(license.success)
        // A row of this length is sent alone, so that it is refused alone.
        if (characters > 0 && length > charactersAtOnce) {
          yield* use({ requested: requested.splice(0), wrong: [], skipped: [] })
        }
        requested.push({ row: next.value, license: license.success })
        characters += length
      }
    }
    yield* use({ requested, wrong, skipped })
  }
})

/** Whether a refusal is about the rows, and not about the caller. */
const isAboutRows = (status: number | undefined) => status === 400 || status === 413 || status === 422

type BulkResults = LicenseBulkCreateResponse["results"]

/**
 * Asks the service to create rows, or to simulate that. A call that is refused as a whole, such as for one row that
 * is too large, is repeated in halves, until the faulty row is alone. Each call has an idempotency key of its own, by
 * which the client repeats it if no answer came. Keys are not reused between runs: a stored answer would repeat
 * refusals whose cause was fixed meanwhile. The license keys ensure that nothing is created twice.
 */
const askFor: (
  requested: ReadonlyArray<RequestedRow>,
  isDry: boolean
) => Effect.Effect<
  ReadonlyArray<BulkResults[number]>,
  Effect.Error<ReturnType<ServiceApi["Service"]["ask"]>>,
  ServiceApi
> = Effect.fnUntraced(function*(requested: ReadonlyArray<RequestedRow>, isDry: boolean) {
  const { ask } = yield* ServiceApi
  // The service judges a row as the file has it, with what is no license in it.
  const licenses = requested.map(({ license }) => license) as unknown as Array<LicenseBulkRow>
  return yield* ask((client) =>
    client.licenses.createMany({ mode: "per_row", licenses, ...(isDry ? { dry_run: true } : {}) }, {
      idempotencyKey: `import-${randomUUID()}`
    })
  ).pipe(
    Effect.map(({ results }): BulkResults => results),
    Effect.catchTag("Refused", (refused) => {
      const { code, fields, message, status } = refused.error
      if (!isAboutRows(status)) return Effect.fail(refused)
      if (requested.length === 1) {
        const found = fields.map(({ code, message, path }) => ({
          path: path.replace(/^licenses\.0\.?/, ""),
          code,
          message
        }))
        const said = found.length > 0 ? found : [{ path: "", code, message }]
        return Effect.succeed(
          [{ index: 0, error: { code: "VALIDATION_ERROR", message, fields: said } }] satisfies BulkResults
        )
      }
      const half = Math.ceil(requested.length / 2)
      return Effect.zipWith(
        askFor(requested.slice(0, half), isDry),
        askFor(requested.slice(half), isDry),
        (first, second) => [...first, ...second.map((result) => ({ ...result, index: result.index + half }))]
      )
    })
  )
})

/** The options of a pass over the rows. */
export interface Pass {
  /** Whether the service only simulates. */
  readonly isDry: boolean
  /** Whether licenses that are there already are compared with the file, and brought to what it says. */
  readonly standings: "left" | "compared" | "updated"
  readonly catalog: Catalog
}

/** Creates the rows of a group, or simulates that, and counts the results. */
export const carryOut = Effect.fnUntraced(function*({ requested }: Group, pass: Pass, tally: Tally) {
  const { catalog, isDry, standings } = pass
  if (requested.length === 0) return
  const refusals = (yield* askFor(requested, isDry)).flatMap((result) => "error" in result ? [result] : [])
  tally.created += requested.length - refusals.length
  const there: Array<RequestedRow> = []
  for (const { error: { fields }, index } of refusals) {
    if (fields.every(({ code, path }) => path === "license_key" && code === "taken")) {
      tally.already += 1
      there.push(requested[index]!)
      continue
    }
    tally.invalid += 1
    const { row } = requested[index]!
    for (const { message, path } of fields) {
      if (tally.findings.length < listed) tally.findings.push(findingOf(row, path, message))
    }
  }
  if (standings === "left") return
  const found = yield* standingDifferences(there, catalog)
  const differing = standings === "updated" ? yield* adjustStandings(found) : found
  for (const { end: _end, ...difference } of differing) tally.differing.push(difference)
  if (standings !== "updated") return
  const refused = linesOf(differing.filter(({ refused }) => refused !== undefined))
  tally.updated += linesOf(differing.filter(({ change, line }) => change !== undefined && !refused.has(line))).size
})

/** Counts the rows of a group that are not sent, and the notes of the mapping on the others. */
export const countWrong = ({ requested, skipped, wrong }: Group, tally: Tally): void => {
  tally.rows += requested.length + wrong.length
  tally.skipped += skipped.length
  tally.invalid += wrong.length
  for (const { column, value } of skipped) {
    const same = tally.skipped_by.find((by) => by.column === column && by.value === value)
    if (same === undefined) tally.skipped_by.push({ column, value, lines: 1 })
    else same.lines += 1
  }
  for (const { row: { line, notes = [] } } of requested) {
    for (const { column, says: message } of notes) {
      const same = tally.notes.find((note) => note.column === column && note.message === message)
      const note = same ?? { column, message, rows: 0, lines: [] }
      if (same === undefined) tally.notes.push(note)
      note.rows += 1
      if (note.lines.length < 20) note.lines.push(line)
    }
  }
  for (const finding of wrong.flat()) if (tally.findings.length < listed) tally.findings.push(finding)
}

/** Lines that are printed one by one; further ones are counted. */
const printed = 100

/** The most lines that are named for one message. */
const named = 5

/** Line numbers of the file, as the beginning of a sentence. */
const linesText = (lines: ReadonlyArray<number>, count = lines.length): string => {
  if (count === 1) return `line ${lines[0]}`
  const first = lines.slice(0, named).join(", ")
  return count > named ? `lines ${first} and ${(count - named).toLocaleString("en-US")} more` : `lines ${first}`
}

/** Groups by a key, in the order in which keys first occur. */
const together = <A>(all: ReadonlyArray<A>, keyOf: (one: A) => string): ReadonlyArray<ReadonlyArray<A>> => [
  ...Map.groupBy(all, keyOf).values()
]

/** Findings for people: those with the same message are one line. */
const findingLines = (findings: ReadonlyArray<ImportFinding>): ReadonlyArray<string> =>
  together(findings, ({ line: _line, ...same }) => JSON.stringify(same)).map((group) =>
    findingLine(group[0]!).replace(/^line \d+/, linesText(group.map(({ line }) => line)))
  )

const standingLines = (
  differing: ReadonlyArray<StandingDifference>,
  isUpdated: boolean
): ReadonlyArray<string> =>
  together(differing, ({ change, here, refused, there }) => JSON.stringify([there, here, change, refused])).flatMap(
    (group) => {
      const [{ change, here, refused, there }] = group as [StandingDifference]
      const lines = linesText(group.map(({ line }) => line))
      const ids = group.flatMap(({ license_id }) => license_id ?? []).slice(0, named)
      const which = ids.length === 0 ? "" : ` (${ids.join(", ")}${group.length > ids.length ? ", ..." : ""})`
      const became = refused !== undefined
        ? `; refused: ${refused}`
        : change === undefined
        ? "; it is left as it is"
        : isUpdated
        ? "; now as in the file"
        : ""
      return [`${lines}: ${there} in the file, ${here} here${which}${became}`]
    }
  )

const printSome = Effect.fnUntraced(function*(lines: ReadonlyArray<string>) {
  for (const line of lines.slice(0, printed)) yield* printNotice(line)
  if (lines.length > printed) yield* printNotice(`... and ${lines.length - printed} more; --json lists them`)
})

/** Reports the faults of rows, the notes of a mapping, and the licenses that differ here. */
export const printReport = Effect.fnUntraced(function*(tally: Tally) {
  yield* printSome(findingLines(tally.findings))
  yield* printSome(
    tally.notes.map(({ column, lines, message, rows }) => `note: ${linesText(lines, rows)}, ${column}: ${message}`)
  )
  yield* printSome(standingLines(tally.differing, tally.updated > 0))
})

const skippedText = ({ skipped, skipped_by }: Tally): string => {
  if (skipped === 0) return ""
  const by = skipped_by.map(({ column, lines, value }) =>
    `${column} is ${value === "" ? "empty" : JSON.stringify(value)}${skipped_by.length === 1 ? "" : `: ${lines}`}`
  )
  return `; ${counted(skipped, "line")} no license by the mapping (${by.join(", ")})`
}

/** The result of an import, or of its simulation, in one sentence. */
export const summary = (tally: Tally, isDry: boolean, seconds: number): string => {
  const { already, created, invalid, rows, updated } = tally
  const adjusted = updated === 0 ? "" : `, ${updated} brought to the status of the file`
  return isDry
    ? `Dry run: of ${counted(rows, "row")} ${rows - invalid} are right and ${invalid} wrong; nothing was created` +
      skippedText(tally)
    : `${counted(created, "license")} created, ${
      already.toLocaleString("en-US")
    } there already${adjusted}, ${invalid} ` +
      `wrong, of ${counted(rows, "row")} (${
        Math.round(rows / Math.max(seconds, 0.001)).toLocaleString("en-US")
      } rows/s)${skippedText(tally)}`
}

/** What to do about licenses that differ, and whether a person has to. */
export const standingCures = (
  { differing, updated }: Tally,
  isUpdating: boolean,
  isDry: boolean
): { readonly says: ReadonlyArray<string>; readonly isOtherwise: boolean } => {
  const due = linesOf(differing.filter(({ change }) => change !== undefined)).size
  const left = linesOf(differing.filter(({ change }) => change === undefined)).size
  const says: Array<string> = []
  if (isUpdating) {
    if (isDry && due > 0) says.push(`${counted(due, "license")} would be brought to the status of the file`)
    if (!isDry && due > updated) {
      says.push(`${counted(due - updated, "license")} could not be brought to the status of the file`)
    }
  } else if (due > 0) {
    const [are, stand, was] = due === 1
      ? ["is", "stands", "was left as it is"]
      : ["are", "stand", "were left as they are"]
    says.push(
      `${counted(due, "license")} that ${are} there already ${stand} otherwise in the file, and ${was}: ` +
        "--update-status revokes and suspends as the file says, and sets later ends; with --dry-run it shows which"
    )
  }
  if (left > 0) {
    const [stands, it] = left === 1 ? ["stands", "it"] : ["stand", "them"]
    says.push(
      `${counted(left, "license")} that ${stands} otherwise in the file ${left === 1 ? "is" : "are"} left for you to ` +
        `decide: --update-status does not change ${it}`
    )
  }
  return { says, isOtherwise: left > 0 || (isUpdating ? !isDry && due > updated : due > 0) }
}
