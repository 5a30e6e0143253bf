import { Clock, Effect, Option, Result } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { createHash } from "node:crypto"
import type { LicenseBulkRow } from "../../client/api/index.ts"
import type { LicenseCreate } from "../../domain/licenses/License.ts"
import { isEncoding, UnreadableFile } from "../importing/FileText.ts"
import type { ImportRow, ImportSource } from "../importing/ImportFile.ts"
import { importRows } from "../importing/ImportFile.ts"
import type { Catalog, ImportFinding } from "../importing/LicenseJudge.ts"
import { findingLine, findingOf, makeLicenseJudge } from "../importing/LicenseJudge.ts"
import { AlreadySaid, Found, WrongUsage } from "../terminal/ExitCode.ts"
import { json } from "../terminal/Output.ts"
import { printJson, printNotice, printText } from "../terminal/Printing.ts"
import { makeProgress } from "../terminal/Progress.ts"
import { ServiceApi, url } from "./ServiceApi.ts"

const file = Argument.String("file").pipe(
  Argument.withDescription("CSV with a heading, or NDJSON (.ndjson, .jsonl)")
)
const encoding = Flag.String("encoding").pipe(
  Flag.withDescription("What the file is in, where it is not UTF-8: windows-1252, utf-16le"),
  Flag.optional
)
const map = Flag.KeyValuePair("map").pipe(
  Flag.withDescription("A column of the file and what it is here, theirs=ours; repeatable"),
  Flag.withDefault({})
)
const dryRun = Flag.Boolean("dry-run").pipe(
  Flag.withDescription("Check every row, and create nothing"),
  Flag.withDefault(false)
)
const skipInvalid = Flag.Boolean("skip-invalid").pipe(
  Flag.withDescription("Create the rows that are right although others are wrong"),
  Flag.withDefault(false)
)

/** Rows of one call, and their characters: the limit of a body is 256 KiB, of UTF-8. */
const rowsAtOnce = 500
const charactersAtOnce = 60_000

/** Findings that are printed one by one; further ones are counted. */
const printed = 100
const listed = 10_000

interface Judged {
  readonly row: ImportRow
  readonly license: LicenseCreate
}

interface Tally {
  rows: number
  created: number
  already: number
  invalid: number
  readonly findings: Array<ImportFinding>
}

const readFailure = (path: string) => (error: unknown) =>
  error instanceof UnreadableFile
    ? new Found({ message: `${path}: ${error.message}. Nothing was imported from there on` })
    : new WrongUsage({ message: `${path} cannot be read: ${(error as Error).message}` })

/** The entries of all pages of a list. */
const all = async <A>(pages: AsyncIterable<A>): Promise<ReadonlyArray<A>> => {
  const entries: Array<A> = []
  for await (const entry of pages) entries.push(entry)
  return entries
}

/** What the service calls its products, and called them before, and its policies. */
const readCatalog = Effect.gen(function*() {
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
    policies: new Map(products.map(({ id }, index) => [
      id,
      new Map(policies[index]!.map((policy) => [policy.code, policy.id]))
    ]))
  } satisfies Catalog
})

/** Reads a file from its beginning, a bounded number of rows at a time, and judges each of them. */
const eachGroup = Effect.fnUntraced(function*<E, R>(
  source: ImportSource,
  catalog: Catalog,
  use: (group: ReadonlyArray<Judged>, wrong: ReadonlyArray<ReadonlyArray<ImportFinding>>) => Effect.Effect<void, E, R>
) {
  const judge = makeLicenseJudge(catalog)
  const rows = importRows(source)
  for (let isOver = false; !isOver;) {
    const group: Array<Judged> = []
    const wrong: Array<ReadonlyArray<ImportFinding>> = []
    let characters = 0
    while (group.length + wrong.length < rowsAtOnce && characters < charactersAtOnce) {
      const next = yield* Effect.tryPromise({ try: () => rows.next(), catch: readFailure(source.file) })
      if (next.done === true) {
        isOver = true
        break
      }
      const license = judge(next.value)
      if (Result.isSuccess(license)) {
        group.push({ row: next.value, license: license.success })
        characters += JSON.stringify(license.success).length
      } else wrong.push(license.failure)
    }
    yield* use(group, wrong)
  }
})

const keyOf = (group: ReadonlyArray<Judged>): string =>
  `import-${
    createHash("sha256").update(JSON.stringify(group.map(({ license }) => license))).digest("hex").slice(0, 40)
  }`

/** Creates the licenses of a group; those whose keys the service knows are there already. */
const create = Effect.fnUntraced(function*(group: ReadonlyArray<Judged>, tally: Tally) {
  if (group.length === 0) return
  const { ask } = yield* ServiceApi
  const { data, response } = yield* ask((client) =>
    client.licenses.createMany(
      { mode: "per_row", licenses: group.map(({ license }) => license) as Array<LicenseBulkRow> },
      { idempotencyKey: keyOf(group) }
    ).withResponse()
  )
  const isReplayed = response.headers.get("idempotency-replayed") === "true"
  for (const result of data.results) {
    if (!("error" in result)) {
      if (isReplayed) tally.already += 1
      else tally.created += 1
      continue
    }
    const { fields } = result.error
    if (fields.every(({ code, path }) => path === "license_key" && code === "taken")) {
      tally.already += 1
      continue
    }
    tally.invalid += 1
    const { row } = group[result.index]!
    for (const { message, path } of fields) {
      if (tally.findings.length < listed) tally.findings.push(findingOf(row, path, message))
    }
  }
})

const counted = (count: number, noun: string) => `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`

const summary = ({ already, created, invalid, rows }: Tally, isDry: boolean, seconds: number): string =>
  isDry
    ? `Dry run: of ${counted(rows, "row")} ${rows - invalid} are right and ${invalid} wrong; nothing was created`
    : `${counted(created, "license")} created, ${already.toLocaleString("en-US")} there already, ${invalid} wrong, of ${
      counted(rows, "row")
    } (${Math.round(rows / Math.max(seconds, 0.001)).toLocaleString("en-US")} rows/s)`

/** `countersign import`: brings the licenses of another system, with the keys that customers have. */
export const importCommand = Command.make(
  "import",
  { file, map, encoding, dryRun, skipInvalid, json, url },
  (input) =>
    Effect.scoped(Effect.gen(function*() {
      const begun = yield* Clock.currentTimeMillis
      const source = { file: input.file, map: input.map, encoding: Option.getOrUndefined(input.encoding) }
      if (source.encoding !== undefined && !isEncoding(source.encoding)) {
        return yield* new WrongUsage({ message: `--encoding ${source.encoding} is none that can be read` })
      }
      const catalog = yield* readCatalog
      const tally: Tally = { rows: 0, created: 0, already: 0, invalid: 0, findings: [] }
      yield* Effect.scoped(Effect.gen(function*() {
        const checking = yield* makeProgress("Checking rows")
        yield* eachGroup(source, catalog, (group, wrong) =>
          Effect.sync(() => {
            tally.rows += group.length + wrong.length
            tally.invalid += wrong.length
            for (const finding of wrong.flat()) if (tally.findings.length < listed) tally.findings.push(finding)
            checking.advance(group.length + wrong.length)
          }))
      }))
      const isRefused = tally.invalid > 0 && !input.skipInvalid
      if (!input.dryRun && !isRefused) {
        yield* Effect.scoped(Effect.gen(function*() {
          const creating = yield* makeProgress("Importing rows", tally.rows)
          yield* eachGroup(
            source,
            catalog,
            (group, wrong) => Effect.map(create(group, tally), () => creating.advance(group.length + wrong.length))
          )
        }))
      }
      const seconds = ((yield* Clock.currentTimeMillis) - begun) / 1000
      if (input.json) yield* printJson({ dry_run: input.dryRun, ...tally, seconds })
      else {
        for (const finding of tally.findings.slice(0, printed)) yield* printNotice(findingLine(finding))
        if (tally.findings.length > printed) {
          yield* printNotice(`... and ${tally.findings.length - printed} more; --json lists them`)
        }
        yield* printText(
          isRefused && !input.dryRun
            ? `Nothing was created: ${tally.invalid} of ${counted(tally.rows, "row")} are wrong. Mend them, or add ` +
              "--skip-invalid to create the others"
            : summary(tally, input.dryRun, seconds)
        )
      }
      if (tally.invalid > 0) return yield* new AlreadySaid({ message: `${tally.invalid} rows are wrong` })
    }))
).pipe(
  Command.withDescription(
    "Create licenses from a file, with the keys that customers have; repeating it creates none twice"
  ),
  Command.withExamples([
    { command: "countersign import licenses.csv --dry-run", description: "What would happen, row by row" },
    {
      command: "countersign import old.csv --map Serial=license_key --map \"Old id=metadata.old_id\"",
      description: "A file whose columns have other names"
    }
  ]),
  Command.provide((input) => ServiceApi.layer(input, { maxRetries: 6 }))
)
