import { Effect } from "effect"
import { CurrentEnvironment } from "../../../services/ground/environments/CurrentEnvironment.ts"
import { checkExport } from "../../moving/ExportDirectory.ts"
import { KnownKeys, NewKeys } from "../../moving/KnownKeys.ts"
import { Move } from "../../moving/Move.ts"
import { movedCatalog } from "../../moving/MovedCatalog.ts"
import { moveLicenses } from "../../moving/MovedLicenses.ts"
import { movedPools } from "../../moving/MovedPools.ts"
import { MoveJournal } from "../../moving/MoveJournal.ts"
import { AlreadySaid } from "../../terminal/ExitCode.ts"
import { printJson, printNotice, printText } from "../../terminal/Printing.ts"
import { makeProgress } from "../../terminal/Progress.ts"
import { readFailure } from "./ImportRows.ts"
import { ServiceApi } from "../ground/ServiceApi.ts"

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
export const importExport = Effect.fnUntraced(function*(
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
