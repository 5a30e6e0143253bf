import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import type { WebhookEndpoint } from "../../client/api/index.ts"
import { readSecretFile } from "../config/SecretFile.ts"
import { AlreadySaid, WrongUsage } from "../terminal/ExitCode.ts"
import { json } from "../terminal/Output.ts"
import { printJson, printText } from "../terminal/Printing.ts"
import { change, changing } from "./Change.ts"
import { ServiceApi, url } from "./ServiceApi.ts"
import { outcomeOf } from "./WebhookOutcome.ts"

const id = Argument.String("webhook-id").pipe(Argument.withDescription("The endpoint's id, whk_…"))
const headerName = Argument.String("name").pipe(Argument.withDescription("The header's name, such as X-Api-Key"))
const exampleId = "whk_06eqpx1trxz3h94vqjm3a6kz7c"

/** What an update answers, the secret aside. */
const endpointOf = (data: WebhookEndpoint | { readonly webhook: WebhookEndpoint }): WebhookEndpoint =>
  "webhook" in data ? data.webhook : data

const standing = (data: Parameters<typeof endpointOf>[0]) => {
  const { id, status } = endpointOf(data)
  return printText(`${id} is ${status}.`)
}

/** `countersign webhooks pause`: nothing is sent until it is resumed. */
export const pause = Command.make("pause", { id, ...changing }, (input) =>
  change(input, {
    consequence: `${input.id} gets nothing until it is resumed, and then everything since now.`,
    question: `Pause ${input.id}?`,
    call: (client, options) => client.webhooks.update(input.id, { is_active: false }, options),
    say: standing
  })).pipe(
    Command.withDescription("Stop deliveries to an endpoint and keep its place"),
    Command.withExamples([{
      command: `countersign webhooks pause ${exampleId}`,
      description: "Says what will happen, and asks"
    }]),
    Command.provide((input) => ServiceApi.layer(input))
  )

const fromNow = Flag.Boolean("from-now").pipe(
  Flag.withDescription("Send nothing of what waits: only what happens from now on"),
  Flag.withDefault(false)
)

/** `countersign webhooks resume`: goes on where it stopped, or from now. */
export const resume = Command.make("resume", { id, fromNow, ...changing }, (input) =>
  input.fromNow
    ? change(input, {
      consequence: `${input.id} gets what happens from now on, and never what it has missed.`,
      question: `Resume ${input.id} from now?`,
      call: (client, options) => client.webhooks.resumeFromNow(input.id, options),
      say: ({ skipped_events, webhook }) =>
        printText(`${webhook.id} is ${webhook.status}. ${skipped_events.toLocaleString("en-US")} events were skipped.`)
    })
    : change(input, {
      consequence: `${input.id} gets what it has missed, from the oldest on.`,
      question: `Resume ${input.id}?`,
      call: (client, options) => client.webhooks.update(input.id, { is_active: true }, options),
      say: standing
    })).pipe(
    Command.withDescription("Go on with deliveries to an endpoint that is paused or disabled"),
    Command.withExamples([
      { command: `countersign webhooks resume ${exampleId}`, description: "Says what will happen, and asks" },
      { command: `countersign webhooks resume ${exampleId} --from-now`, description: "Without what it has missed" }
    ]),
    Command.provide((input) => ServiceApi.layer(input))
  )

const off = Flag.Boolean("off").pipe(
  Flag.withDescription("As it was: several at once, in order only while the receiver answers"),
  Flag.withDefault(false)
)

/** `countersign webhooks order`: one delivery at a time, each after the one before was accepted. */
export const order = Command.make("order", { id, off, ...changing }, (input) =>
  change(input, {
    consequence: input.off
      ? `${input.id} gets several deliveries at once.`
      : `${input.id} gets one delivery at a time, in order: one that fails holds up all after it.`,
    question: `Change ${input.id}?`,
    call: (client, options) => client.webhooks.update(input.id, { ordered: !input.off }, options),
    say: (data) => printText(`${endpointOf(data).id} is ${endpointOf(data).ordered === true ? "" : "not "}ordered.`)
  })).pipe(
    Command.withDescription("Deliver to an endpoint one by one, in order"),
    Command.withExamples([{ command: `countersign webhooks order ${exampleId}`, description: "Asks before it does" }]),
    Command.provide((input) => ServiceApi.layer(input))
  )

const valueFile = Flag.String("value-file").pipe(
  Flag.withMetavar("file"),
  Flag.withDescription("The file that holds the value, so that it is in no history of a shell")
)

const valueOf = (path: string) =>
  Effect.try({
    try: () => readSecretFile(path),
    catch: (cause) => new WrongUsage({ message: `--value-file ${path} cannot be read: ${(cause as Error).message}` })
  })

const namesOf = (data: Parameters<typeof endpointOf>[0]) => {
  const { header_names = [], id } = endpointOf(data)
  return printText(`Headers of ${id}: ${header_names.length === 0 ? "none" : header_names.join(", ")}`)
}

/** `countersign webhooks set-header`: a header of the receiver's own. */
export const setHeader = Command.make(
  "set-header",
  { id, headerName, valueFile, ...changing },
  (input) =>
    Effect.gen(function*() {
      const value = yield* valueOf(input.valueFile)
      const headers = (text: string) => ({ headers: { [input.headerName]: text } })
      yield* change(input, {
        consequence: `Deliveries to ${input.id} have the header ${input.headerName} from now on, what waits included.`,
        question: `Set ${input.headerName}?`,
        call: (client, options) => client.webhooks.update(input.id, headers(value), options),
        shown: (client, options) => client.webhooks.update(input.id, headers("the value"), options),
        say: namesOf
      })
    })
).pipe(
  Command.withDescription("Set a header that deliveries to an endpoint have, such as the key of an API gateway"),
  Command.withExamples([{
    command: `countersign webhooks set-header ${exampleId} X-Api-Key --value-file gateway.key`,
    description: "The value is stored as secrets are, and never shown"
  }]),
  Command.provide((input) => ServiceApi.layer(input))
)

/** `countersign webhooks remove-header`. */
export const removeHeader = Command.make("remove-header", { id, headerName, ...changing }, (input) =>
  change(input, {
    consequence: `Deliveries to ${input.id} do not have the header ${input.headerName} any more.`,
    question: `Remove ${input.headerName}?`,
    call: (client, options) => client.webhooks.update(input.id, { headers: { [input.headerName]: null } }, options),
    say: namesOf
  })).pipe(
    Command.withDescription("Remove a header that deliveries to an endpoint have"),
    Command.withExamples([{
      command: `countersign webhooks remove-header ${exampleId} X-Api-Key`,
      description: "By its name, however it is written"
    }]),
    Command.provide((input) => ServiceApi.layer(input))
  )

/** `countersign webhooks test`: one delivery of a test, now. */
export const test = Command.make("test", { id, json, url }, (input) =>
  Effect.gen(function*() {
    const { ask } = yield* ServiceApi
    const result = yield* ask((client) => client.webhooks.test(input.id))
    if (input.json) yield* printJson(result)
    else {
      yield* printText(`${outcomeOf(result)} in ${result.duration_ms} ms, ${result.delivery_id}`)
      if (result.advice !== undefined) yield* printText(result.advice)
    }
    if (result.class !== "delivered") return yield* new AlreadySaid({ message: result.class })
  })).pipe(
    Command.withDescription("Send a test to an endpoint and show what came of it; exits 1 unless it was delivered"),
    Command.withExamples([{
      command: `countersign webhooks test ${exampleId}`,
      description: "A delivery of the type webhook.test, signed as all are; to one that is paused too"
    }]),
    Command.provide((input) => ServiceApi.layer(input))
  )
