import { Clock, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { stat } from "node:fs/promises"
import { isEncoding } from "../importing/FileText.ts"
import { findingLine } from "../importing/LicenseJudge.ts"
import type { Mapping } from "../importing/Mapping.ts"
import { mappingOver, noMapping, readMappingFile } from "../importing/Mapping.ts"
import { mappingOf, readyMappings } from "../importing/MappingTable.ts"
import type { ImportSource } from "../importing/RowReader.ts"
import { AlreadySaid, WrongUsage } from "../terminal/ExitCode.ts"
import { json, printTable } from "../terminal/Output.ts"
import { printJson, printNotice, printText } from "../terminal/Printing.ts"
import { makeProgress } from "../terminal/Progress.ts"
import { importExport } from "./ImportExport.ts"
import { carryOut, countWrong, eachGroup, emptyTally, readCatalog } from "./ImportRows.ts"
import type { Tally } from "./ImportRows.ts"
import { ServiceApi, url } from "./ServiceApi.ts"

const file = Argument.String("file").pipe(
  Argument.withDescription(
    "CSV with a heading, NDJSON, documents of JSON, or a directory that countersign export has made"
  ),
  Argument.optional
)
const mapping = Flag.String("mapping").pipe(
  Flag.withDescription("What the columns are here: a ready mapping, or a file of JSON"),
  Flag.withMetavar("name-or-file"),
  Flag.optional
)
const mappings = Flag.Boolean("mappings").pipe(
  Flag.withDescription("List the ready mappings; with --mapping, print that one"),
  Flag.withDefault(false)
)
const set = Flag.KeyValuePair("set").pipe(
  Flag.withDescription("What all rows have in common, ours=value; repeatable"),
  Flag.withDefault({})
)
const map = Flag.KeyValuePair("map").pipe(
  Flag.withDescription("A column of the file and what it is here, theirs=ours; repeatable"),
  Flag.withDefault({})
)
const ignore = Flag.String("ignore").pipe(
  Flag.withDescription("A column of the file that is left out; repeatable"),
  Flag.withMetavar("column"),
  Flag.atMost(1000),
  Flag.withDefault<ReadonlyArray<string>>([])
)
const timeZone = Flag.String("time-zone").pipe(
  Flag.withDescription("Where dates without an offset are meant: UTC, Europe/Berlin"),
  Flag.optional
)
const encoding = Flag.String("encoding").pipe(
  Flag.withDescription("What the file is in, where it is not UTF-8: windows-1252, utf-16le"),
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
  Flag.withDescription("Make new keys for licenses of an export whose keys are not known, and write them to this file"),
  Flag.withMetavar("file"),
  Flag.optional
)
const dryRun = Flag.Boolean("dry-run").pipe(
  Flag.withDescription("Have the service judge every row, and create nothing"),
  Flag.withDefault(false)
)
const skipInvalid = Flag.Boolean("skip-invalid").pipe(
  Flag.withDescription("Create the rows that are right although others are wrong"),
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

/** The mapping that the flags say, over the one that they name. */
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
      return mappingOver(under, readMappingFile(said, "What the flags say"))
    },
    catch: (error) => new WrongUsage({ message: (error as Error).message })
  })

const listMappings = Effect.fnUntraced(function*(input: Input & { readonly json: boolean }) {
  if (Option.isSome(input.mapping)) {
    const name = input.mapping.value
    yield* mappingFor(input)
    if (!Object.hasOwn(readyMappings, name)) return yield* new WrongUsage({ message: `${name} is no ready mapping` })
    return yield* printJson(readyMappings[name])
  }
  if (input.json) return yield* printJson(readyMappings)
  const rows = Object.entries(readyMappings).map(([name, value]) => [name, readMappingFile(value, name).about ?? ""])
  return yield* printTable([["MAPPING", "FOR"], ...rows])
})

/** Findings that are printed one by one; further ones are counted. */
const printed = 100

const counted = (count: number, noun: string) => `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`

const skippedText = ({ skipped }: Tally) =>
  skipped === 0 ? "" : `; ${counted(skipped, "line")} no license by the mapping`

const summary = (tally: Tally, isDry: boolean, seconds: number): string => {
  const { already, created, invalid, rows } = tally
  return isDry
    ? `Dry run: of ${counted(rows, "row")} ${rows - invalid} are right and ${invalid} wrong; nothing was created` +
      skippedText(tally)
    : `${counted(created, "license")} created, ${already.toLocaleString("en-US")} there already, ${invalid} wrong, of ${
      counted(rows, "row")
    } (${Math.round(rows / Math.max(seconds, 0.001)).toLocaleString("en-US")} rows/s)${skippedText(tally)}`
}

/** Carries a file out, or only asks about it: every row is judged by the service before the first one is created. */
const importFile = Effect.fnUntraced(function*(
  source: ImportSource,
  input: { readonly dryRun: boolean; readonly skipInvalid: boolean; readonly json: boolean }
) {
  const begun = yield* Clock.currentTimeMillis
  const catalog = yield* readCatalog
  const judged = emptyTally()
  const through = Effect.fnUntraced(function*(label: string, tally: Tally, isDry: boolean, total?: number) {
    const progress = yield* makeProgress(label, total)
    yield* eachGroup(source, catalog, (group) => {
      countWrong(group, tally)
      return Effect.map(carryOut(group, isDry, tally), () => progress.advance(group.asked.length + group.wrong.length))
    })
  }, Effect.scoped)
  yield* through("Checking rows", judged, true)
  const isRefused = judged.invalid > 0 && !input.skipInvalid
  const isCarriedOut = !input.dryRun && !isRefused
  const tally = isCarriedOut ? emptyTally() : judged
  if (isCarriedOut) yield* through("Importing rows", tally, false, judged.rows)
  else tally.created = 0
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
})

/** `countersign import`: brings the licenses of another system, with the keys that customers have. */
export const importCommand = Command.make(
  "import",
  { file, mapping, mappings, set, map, ignore, timeZone, encoding, keys, newKeys, dryRun, skipInvalid, json, url },
  Effect.fnUntraced(function*(input) {
    if (input.mappings) return yield* listMappings(input)
    if (Option.isNone(input.file)) return yield* new WrongUsage({ message: "Name the file that is to be imported" })
    const path = input.file.value
    if (yield* isDirectory(path)) {
      const asked = { keys: Option.getOrUndefined(input.keys), newKeys: Option.getOrUndefined(input.newKeys) }
      const moved = importExport(path, { ...asked, dryRun: input.dryRun, json: input.json })
      return yield* Effect.provide(moved, ServiceApi.layer(input, { maxRetries: 6 }))
    }
    const source = { file: path, mapping: yield* mappingFor(input), encoding: Option.getOrUndefined(input.encoding) }
    if (source.encoding !== undefined && !isEncoding(source.encoding)) {
      return yield* new WrongUsage({ message: `--encoding ${source.encoding} is none that can be read` })
    }
    return yield* Effect.provide(importFile(source, input), ServiceApi.layer(input, { maxRetries: 6 }))
  })
).pipe(
  Command.withDescription(
    "Create licenses from a file, with the keys that customers have; repeating it creates none twice"
  ),
  Command.withExamples([
    { command: "countersign import licenses.csv --dry-run", description: "What would happen, row by row" },
    {
      command: "countersign import sales.csv --mapping gumroad --set product=acme --set policy=standard",
      description: "What another system has exported; --mappings lists them"
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
