import { Clock, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { stat } from "node:fs/promises"
import { CurrentEnvironment } from "../../../services/ground/environments/CurrentEnvironment.ts"
import { judgeValues } from "../../importing/CellValues.ts"
import { isEncoding, nearestEncoding } from "../../importing/FileText.ts"
import { likelyMapping, mappingOf, readyMappings } from "../../importing/MappedRows.ts"
import type { Mapping } from "../../importing/Mapping.ts"
import { mappingOver, noMapping, readMappingFile } from "../../importing/Mapping.ts"
import type { ImportSource } from "../../importing/RowReader.ts"
import { checkExport } from "../../moving/ExportDirectory.ts"
import { KnownKeys, movedPools, NewKeys } from "../../moving/KnownKeys.ts"
import { Move, MoveJournal } from "../../moving/Move.ts"
import { movedCatalog } from "../../moving/MovedCatalog.ts"
import { moveLicenses } from "../../moving/MovedLicenses.ts"
import { AlreadySaid, Found, WrongUsage } from "../../terminal/ExitCode.ts"
import { counted, json, printJson, printNotice, printTable, printText } from "../../terminal/Printing.ts"
import { makeProgress } from "../../terminal/Progress.ts"
import { ServiceApi, url } from "../ground/ServiceApi.ts"
import {
  carryOut,
  countWrong,
  eachGroup,
  emptyTally,
  printReport,
  readCatalog,
  readFailure,
  standingCures,
  summary
} from "./ImportRows.ts"
import type { Pass, Tally } from "./ImportRows.ts"

/** What an import cannot transfer: it stays with the old service. */
const leftBehind = [
  "ids: what other systems keep of them must be renamed, by codes, keys or metadata",
  "history: events, activities, the usage ledger, ended leases, who had which seat before",
  "counters: times_activated, times_transferred and total_consumptions of a license, and usage in the current " +
  "period",
  "term_anchor: further terms count from the end of the one that runs",
  "which machines had a trial: each can open one again",
  "components of devices, of which there are keyed hashes alone",
  "offline files and signed responses of the old service: its keys stay with it, so issue files again",
  "publishable keys, API keys and webhooks: create new ones and distribute them"
] as const

/** `countersign import <directory>`: imports an export of another installation, and compares the two. */
const importExport = Effect.fnUntraced(function*(
  directory: string,
  input: {
    readonly keys: string | undefined
    readonly newKeys: string | undefined
    readonly dryRun: boolean
    readonly notify: boolean
    readonly json: boolean
  }
) {
  const environment = yield* CurrentEnvironment
  const { address, ask } = yield* ServiceApi
  const keys = new KnownKeys()
  const { journal, newKeys } = yield* Effect.tryPromise({
    try: async () => {
      await checkExport(directory)
      if (input.keys !== undefined) await keys.read(input.keys)
      return {
        journal: await MoveJournal.at(directory, address, input.dryRun),
        newKeys: input.newKeys === undefined ? undefined : await NewKeys.at(input.newKeys, keys, environment)
      }
    },
    catch: readFailure(directory)
  })
  const progress = yield* makeProgress("Bringing licenses")
  const { tally } = yield* ask(async (client) => {
    const move = new Move(client, directory, journal, { isDry: input.dryRun, notifies: input.notify })
    for (const resource of movedCatalog) await move.resource(resource)
    await move.grants()
    await move.customerParts(movedPools)
    await moveLicenses(move, { keys, newKeys }, () => progress.advance())
    await move.archive()
    return move
  })
  progress.erase()
  if (input.json) yield* printJson({ dry_run: input.dryRun, ...tally, left_behind: leftBehind })
  else {
    const printed = tally.findings.slice(0, 100)
    for (const { file, id, message } of printed) yield* printNotice(`${file} ${id}: ${message}`)
    if (tally.findings.length > printed.length) {
      yield* printNotice(`... and ${tally.findings.length - printed.length} more; --json lists them`)
    }
    yield* printText([
      `${input.dryRun ? "Dry run: would create" : "Created"} ${tally.created.toLocaleString("en-US")}, ` +
      (tally.completed === 0 ? "" : `${tally.completed.toLocaleString("en-US")} completed, `) +
      `${tally.already.toLocaleString("en-US")} there already, ${
        tally.newKeys.toLocaleString("en-US")
      } with new keys; ` +
      (tally.different === 0
        ? input.dryRun ? "nothing is missing" : "what the export holds and what is here are alike"
        : `${tally.different} differences`),
      ...(tally.waitingDevices === 0
        ? []
        : [
          `${tally.waitingDevices} devices take their seats at their next start: those of licenses that are over, and of floating seats`
        ]),
      "Not imported:",
      ...leftBehind.map((line) => `  ${line}`)
    ])
  }
  if (tally.different > 0) return yield* new AlreadySaid({ message: `${tally.different} differences` })
}, Effect.scoped)

const file = Argument.String("file").pipe(
  Argument.withDescription(
    "CSV with a heading, NDJSON, documents of JSON, or a directory that countersign export has made"
  ),
  Argument.optional
)
const mapping = Flag.String("mapping").pipe(
  Flag.withDescription("Mapping of columns to fields: a ready mapping, or a JSON file"),
  Flag.withMetavar("name-or-file"),
  Flag.optional
)
const mappings = Flag.Boolean("mappings").pipe(
  Flag.withDescription("List the ready mappings; with --mapping, print that one"),
  Flag.withDefault(false)
)
const set = Flag.KeyValuePair("set").pipe(
  Flag.withDescription("Value for all rows, field=value; repeatable"),
  Flag.withDefault({})
)
const map = Flag.KeyValuePair("map").pipe(
  Flag.withDescription("Column of the file and its field, column=field; repeatable"),
  Flag.withDefault({})
)
const ignore = Flag.String("ignore").pipe(
  Flag.withDescription("Column to skip; repeatable"),
  Flag.withMetavar("column"),
  Flag.atMost(1000),
  Flag.withDefault<ReadonlyArray<string>>([])
)
const timeZone = Flag.String("time-zone").pipe(
  Flag.withDescription("Time zone of dates without an offset: UTC, Europe/Berlin"),
  Flag.optional
)
const encoding = Flag.String("encoding").pipe(
  Flag.withDescription("Encoding of the file, if not UTF-8: windows-1252, utf-16le"),
  Flag.optional
)
const keys = Flag.String("keys").pipe(
  Flag.withDescription(
    "The license keys of an export, which it does not hold: CSV with license_key, and license_id if known"
  ),
  Flag.withMetavar("file"),
  Flag.optional
)
const newKeys = Flag.String("new-keys").pipe(
  Flag.withDescription("Create new keys for exported licenses with unknown keys, and write them to this file"),
  Flag.withMetavar("file"),
  Flag.optional
)
const dryRun = Flag.Boolean("dry-run").pipe(
  Flag.withDescription("Validate every row and create nothing"),
  Flag.withDefault(false)
)
const notify = Flag.Boolean("notify").pipe(
  Flag.withDescription(
    "Mail the keys of an export to their owners and the invitations to its users, where their policies have these mails"
  ),
  Flag.withDefault(false)
)
const skipInvalid = Flag.Boolean("skip-invalid").pipe(
  Flag.withDescription("Create the valid rows even if others are invalid"),
  Flag.withDefault(false)
)

const updateStatus = Flag.Boolean("update-status").pipe(
  Flag.withDescription(
    "Revoke and suspend licenses that are there already where the file says so, and set later ends; none is reinstated"
  ),
  Flag.withDefault(false)
)

/** Whether the argument names an export, which is a directory of files. */
const isDirectory = (path: string) => Effect.promise(() => stat(path).then((found) => found.isDirectory(), () => false))

interface Input {
  readonly mapping: Option.Option<string>
  readonly set: Readonly<Record<string, string>>
  readonly map: Readonly<Record<string, string>>
  readonly ignore: ReadonlyArray<string>
  readonly timeZone: Option.Option<string>
}

/** The mapping of the flags, over the one that they name. */
const mappingFor = (input: Input): Effect.Effect<Mapping, WrongUsage> =>
  Effect.tryPromise({
    try: async () => {
      const under = Option.isNone(input.mapping) ? noMapping : await mappingOf(input.mapping.value)
      const said = {
        constants: input.set,
        columns: input.map,
        ignore: input.ignore,
        ...(Option.isNone(input.timeZone) ? {} : { time_zone: input.timeZone.value })
      }
      return judgeValues(mappingOver(under, readMappingFile(said, "The flags")))
    },
    catch: (error) => new WrongUsage({ message: (error as Error).message })
  })

const listMappings = Effect.fnUntraced(function*(input: Input & { readonly json: boolean }) {
  if (Option.isSome(input.mapping)) {
    const name = input.mapping.value
    yield* mappingFor(input)
    if (!Object.hasOwn(readyMappings, name)) return yield* new WrongUsage({ message: `${name} is not a ready mapping` })
    return yield* printJson(readyMappings[name])
  }
  if (input.json) return yield* printJson(readyMappings)
  const rows = Object.entries(readyMappings).map(([name, value]) => [name, readMappingFile(value, name).about ?? ""])
  return yield* printTable([["MAPPING", "FOR"], ...rows])
})

/** Imports a file, or simulates that: the service checks every row before the first one is created. */
const importFile = Effect.fnUntraced(function*(
  source: ImportSource,
  input: {
    readonly dryRun: boolean
    readonly skipInvalid: boolean
    readonly updateStatus: boolean
    readonly json: boolean
  }
) {
  const begun = yield* Clock.currentTimeMillis
  const catalog = yield* readCatalog
  const judged = emptyTally()
  const through = Effect.fnUntraced(function*(label: string, tally: Tally, pass: Pass, total?: number) {
    const progress = yield* makeProgress(label, total)
    yield* eachGroup(source, catalog, !pass.isDry, (group) => {
      countWrong(group, tally)
      return Effect.map(
        carryOut(group, pass, tally),
        () => progress.advance(group.requested.length + group.wrong.length)
      )
    })
  }, Effect.scoped)
  yield* through("Checking rows", judged, { isDry: true, standings: input.dryRun ? "compared" : "left", catalog })
  const isRefused = judged.invalid > 0 && !input.skipInvalid
  const isCarriedOut = !input.dryRun && !isRefused
  const tally = isCarriedOut ? emptyTally() : judged
  const standings = input.updateStatus ? "updated" : "compared"
  if (isCarriedOut) yield* through("Importing rows", tally, { isDry: false, standings, catalog }, judged.rows)
  else tally.created = 0
  const seconds = ((yield* Clock.currentTimeMillis) - begun) / 1000
  if (input.json) yield* printJson({ dry_run: input.dryRun, ...tally, seconds })
  else {
    yield* printReport(tally)
    yield* printText(
      isRefused && !input.dryRun
        ? `No licenses created: ${tally.invalid} of ${counted(tally.rows, "row")} are invalid. Fix them, or add ` +
          "--skip-invalid to create the others"
        : summary(tally, input.dryRun, seconds)
    )
  }
  const { isOtherwise, says } = standingCures(tally, input.updateStatus, input.dryRun)
  if (!input.json) { for (const line of says) yield* printNotice(line) }
  if (tally.invalid > 0) return yield* new AlreadySaid({ message: `${tally.invalid} rows are wrong` })
  if (isOtherwise) return yield* new AlreadySaid({ message: says.join(". ") })
})

/** Suggests the ready mapping that matches a file, if none was named and the import failed. */
const suggestMapping = Effect.fnUntraced(function*(source: ImportSource) {
  const name = yield* Effect.orElseSucceed(Effect.tryPromise(() => likelyMapping(source)), () => undefined)
  if (name === undefined) return undefined
  const { about = name } = readMappingFile(readyMappings[name], name)
  return `The file has the columns of ${about}: --mapping ${name} knows what they are here`
})

/** Appends the suggestion to the failure: at the end, where it is read. */
const suggesting = Effect.fnUntraced(function*<E>(source: ImportSource, error: E) {
  const suggestion = yield* suggestMapping(source)
  if (suggestion === undefined) return yield* Effect.fail(error)
  if (error instanceof Found) return yield* new Found({ message: `${error.message}.\n${suggestion}` })
  yield* printNotice(suggestion)
  return yield* Effect.fail(error)
})

/** `countersign import`: brings the licenses of another system, with the keys that customers have. */
export const importCommand = Command.make(
  "import",
  {
    file,
    mapping,
    mappings,
    set,
    map,
    ignore,
    timeZone,
    encoding,
    keys,
    newKeys,
    dryRun,
    notify,
    skipInvalid,
    updateStatus,
    json,
    url
  },
  Effect.fnUntraced(function*(input) {
    if (input.mappings) return yield* listMappings(input)
    if (Option.isNone(input.file)) return yield* new WrongUsage({ message: "Specify the file to import" })
    const path = input.file.value
    if (yield* isDirectory(path)) {
      const requested = { keys: Option.getOrUndefined(input.keys), newKeys: Option.getOrUndefined(input.newKeys) }
      const moved = importExport(path, {
        ...requested,
        dryRun: input.dryRun,
        notify: input.notify,
        json: input.json
      })
      return yield* Effect.provide(moved, ServiceApi.layer(input, { maxRetries: 6 }))
    }
    if (input.notify) {
      return yield* new WrongUsage({ message: "--notify is for exports: the import of a file sends no mails" })
    }
    const source = { file: path, mapping: yield* mappingFor(input), encoding: Option.getOrUndefined(input.encoding) }
    if (source.encoding !== undefined && !isEncoding(source.encoding)) {
      const meant = nearestEncoding(source.encoding)
      return yield* new WrongUsage({
        message: `--encoding ${source.encoding} is not supported.${
          meant === undefined ? " Supported are utf-8, utf-16le, windows-1252 and others" : ` Did you mean ${meant}?`
        }`
      })
    }
    const carriedOut = importFile(source, input).pipe(
      Effect.catch((error) => Option.isSome(input.mapping) ? Effect.fail(error) : suggesting(source, error))
    )
    return yield* Effect.provide(carriedOut, ServiceApi.layer(input, { maxRetries: 6 }))
  })
).pipe(
  Command.withExamples([
    { command: "countersign import licenses.csv --dry-run", description: "Preview, row by row" },
    {
      command: "countersign import sales.csv --mapping gumroad --set product=acme --set policy=standard",
      description: "A file from another system; --mappings lists the mappings"
    },
    {
      command: "countersign import /backup/vendor-2026-11 --keys keys.csv",
      description: "An export of another installation, with the keys that the vendor has kept"
    },
    {
      command: "countersign import old.csv --map Serial=license_key --map \"Old id=metadata.old_id\"",
      description: "A file whose columns have other names"
    }
  ])
)
