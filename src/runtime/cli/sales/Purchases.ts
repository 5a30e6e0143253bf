import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import type { ReconciliationWithFindings } from "../../../client/api/index.ts"
import { labelOf } from "../../../client/api/Labels.ts"
import { AlreadySaid, Found } from "../../terminal/ExitCode.ts"
import { counted, json, printJson, printNotice, printTable, printText } from "../../terminal/Printing.ts"
import { ServiceApi, url } from "../ground/ServiceApi.ts"

type Read = ReconciliationWithFindings

type Finding = Read["findings"][number]

const connection = Argument.String("connection-id").pipe(
  Argument.withDescription("Billing connection ID, bcn_…, from its page in the console")
)
const dryRun = Flag.Boolean("dry-run").pipe(
  Flag.withDescription("List what would become of each purchase, and change nothing"),
  Flag.withDefault(false)
)
const anyway = Flag.Boolean("anyway").pipe(
  Flag.withDescription("Adopt the purchases although some would double a license, wait or fail"),
  Flag.withDefault(false)
)

/** The pause between two looks at a reconciliation that is under way. */
const pollEvery = "250 millis"

/** Reconciles a connection, waits for the end, and reads all findings. */
const reconciled = Effect.fnUntraced(function*(id: string, dry_run: boolean) {
  const { ask } = yield* ServiceApi
  const { id: made } = yield* ask((client) => client.billingConnections.reconcile(id, { dry_run }))
  let read = yield* ask((client) => client.billingConnections.getReconciliation(made))
  while (read.status !== "done" && read.status !== "failed") {
    yield* Effect.sleep(pollEvery)
    read = yield* ask((client) => client.billingConnections.getReconciliation(made))
  }
  if (read.status === "failed") {
    return yield* new Found({ message: `The purchases could not be read: ${read.failure?.message ?? "unknown"}` })
  }
  return { ...read, findings: read.findings.filter(({ finding }) => finding === "missing") }
})

const outcomeOf = ({ foreseen }: Finding) => foreseen?.outcome ?? "nothing"

/** The purchases about which somebody has to do something before they are adopted. */
const amissOf = ({ foreseen }: Read): number =>
  foreseen === undefined ? 0 : foreseen.doubles + foreseen.waits + foreseen.fails

/** The units that a purchase would give, in words. */
const unitsOf = ({ foreseen }: Finding): ReadonlyArray<string> =>
  (foreseen?.units ?? []).map(({ amount, feature_id, to }) =>
    `${counted(amount, "unit")} of ${feature_id} for the ${to}.`
  )

const noteOf = (finding: Finding): string => {
  const { failure, holds = [] } = finding.foreseen ?? {}
  const waits = holds.map(({ message, price = "" }) => `${price} ${message}`.trim())
  return failure?.message ?? [...waits, ...unitsOf(finding)].join(" ")
}

const summaryOf = ({ foreseen, missing }: Read): string =>
  foreseen === undefined
    ? `${counted(missing, "purchase")} not known here`
    : `${counted(missing, "purchase")} not known here. ${foreseen.takes_over} would take over a license, and ` +
      `${foreseen.issues} get a new one. ${foreseen.doubles} would double one. ${foreseen.waits} would wait, and ` +
      `${foreseen.fails} fail. ${foreseen.nothing} would get none`

const doubled =
  "Doubled: the customer has the licenses of the line already, and no purchase pays for them. Give each the subscription or order " +
  "of its purchase (subscription_id, order_id; external_system is the provider), and repeat this."

const say = Effect.fnUntraced(function*(read: Read) {
  const { findings, missing } = read
  if (findings.length > 0) {
    yield* printTable([
      ["PURCHASE", "BECOMES", "LICENSES", "NOTE"],
      ...findings.map((finding) => [
        finding.external_id,
        labelOf("foreseen", outcomeOf(finding)),
        finding.foreseen?.license_ids.join(" ") ?? "",
        noteOf(finding)
      ])
    ])
  }
  yield* printText(summaryOf(read))
  if (read.failure !== undefined) yield* printNotice(read.failure.message)
  if (missing > findings.length) {
    yield* printNotice(`The first ${findings.length} are listed: those that are amiss come first.`)
  }
  if (read.foreseen !== undefined && read.foreseen.doubles > 0) yield* printNotice(doubled)
})

const adopt = Command.make("adopt", { connection, dryRun, anyway, json, url }, (input) =>
  Effect.gen(function*() {
    const foreseen = yield* reconciled(input.connection, true)
    const amiss = amissOf(foreseen)
    if (input.json) yield* printJson(foreseen)
    else yield* say(foreseen)
    if (amiss > 0 && !input.anyway) {
      if (!input.json && !input.dryRun) {
        yield* printNotice("No purchase was adopted. Fix what is listed, or repeat the command with --anyway.")
      }
      return yield* new AlreadySaid({ message: `${amiss} purchases would double, wait or fail` })
    }
    if (input.dryRun) return
    const { missing } = yield* reconciled(input.connection, false)
    if (!input.json) yield* printText(`${counted(missing, "purchase")} adopted`)
  })).pipe(
    Command.withDescription(
      "Adopt what was sold before a connection: its current purchases take over the licenses that were issued for them; " +
        "exits 1, and changes nothing, if a license would be doubled"
    ),
    Command.withExamples([{
      command: "countersign purchases adopt bcn_06eqpx1trxz3h94vqjm3a6kz7c --dry-run",
      description: "List what would be taken over, issued, doubled or held"
    }]),
    Command.provide((input) => ServiceApi.layer(input))
  )

/** `countersign purchases ...`: what was sold at a payment provider. */
export const purchases = Command.make("purchases").pipe(
  Command.withExamples([{
    command: "countersign purchases adopt bcn_06eqpx1trxz3h94vqjm3a6kz7c --dry-run",
    description: "Before a connection goes live"
  }]),
  Command.withSubcommands([adopt])
)
