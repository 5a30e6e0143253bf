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

const id = Argument.String("webhook-id").pipe(Argument.withDescription("Endpoint ID, whk_…"))
const headerName = Argument.String("name").pipe(Argument.withDescription("Header name, such as X-Api-Key"))
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
    consequence: `${input.id} receives no events until resumed; new events queue up.`,
    question: `Pause ${input.id}?`,
    call: (client, options) => client.webhooks.update(input.id, { is_active: false }, options),
    say: standing
  })).pipe(
    Command.withDescription("Pause deliveries to an endpoint; new events queue up"),
    Command.withExamples([{
      command: `countersign webhooks pause ${exampleId}`,
      description: "Explains the effect and asks for confirmation"
    }]),
    Command.provide((input) => ServiceApi.layer(input))
  )

const fromNow = Flag.Boolean("from-now").pipe(
  Flag.withDescription("Skip the backlog; deliver only new events"),
  Flag.withDefault(false)
)

/** `countersign webhooks resume`: goes on where it stopped, or from now. */
export const resume = Command.make("resume", { id, fromNow, ...changing }, (input) =>
  input.fromNow
    ? change(input, {
      consequence: `${input.id} receives only new events; its backlog is skipped.`,
      question: `Resume ${input.id} from now?`,
      call: (client, options) => client.webhooks.resumeFromNow(input.id, options),
      say: ({ skipped_events, webhook }) =>
        printText(`${webhook.id} is ${webhook.status}. ${skipped_events.toLocaleString("en-US")} events were skipped.`)
    })
    : change(input, {
      consequence: `${input.id} receives its backlog, oldest first.`,
      question: `Resume ${input.id}?`,
      call: (client, options) => client.webhooks.update(input.id, { is_active: true }, options),
      say: standing
    })).pipe(
    Command.withDescription("Resume deliveries to a paused or disabled endpoint"),
    Command.withExamples([
      {
        command: `countersign webhooks resume ${exampleId}`,
        description: "Explains the effect and asks for confirmation"
      },
      { command: `countersign webhooks resume ${exampleId} --from-now`, description: "Without its backlog" }
    ]),
    Command.provide((input) => ServiceApi.layer(input))
  )

const off = Flag.Boolean("off").pipe(
  Flag.withDescription("Deliver several events at once (default)"),
  Flag.withDefault(false)
)

/** `countersign webhooks order`: one delivery at a time, each after the one before was accepted. */
export const order = Command.make("order", { id, off, ...changing }, (input) =>
  change(input, {
    consequence: input.off
      ? `${input.id} receives several deliveries at once.`
      : `${input.id} receives one delivery at a time, in order. A failed delivery blocks the ones after it.`,
    question: `Change ${input.id}?`,
    call: (client, options) => client.webhooks.update(input.id, { ordered: !input.off }, options),
    say: (data) => printText(`${endpointOf(data).id} is ${endpointOf(data).ordered === true ? "" : "not "}ordered.`)
  })).pipe(
    Command.withDescription("Deliver events to an endpoint one at a time, in order"),
    Command.withExamples([{
      command: `countersign webhooks order ${exampleId}`,
      description: "Asks for confirmation"
    }]),
    Command.provide((input) => ServiceApi.layer(input))
  )

const valueFile = Flag.String("value-file").pipe(
  Flag.withMetavar("file"),
  Flag.withDescription("File with the value, to keep it out of the shell history")
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
        consequence:
          `Deliveries to ${input.id} have the header ${input.headerName} from now on, including the backlog.`,
        question: `Set ${input.headerName}?`,
        call: (client, options) => client.webhooks.update(input.id, headers(value), options),
        shown: (client, options) => client.webhooks.update(input.id, headers("the value"), options),
        say: namesOf
      })
    })
).pipe(
  Command.withDescription("Set a custom header on deliveries, such as the key of an API gateway"),
  Command.withExamples([{
    command: `countersign webhooks set-header ${exampleId} X-Api-Key --value-file gateway.key`,
    description: "The value is stored encrypted and never shown"
  }]),
  Command.provide((input) => ServiceApi.layer(input))
)

/** `countersign webhooks remove-header`. */
export const removeHeader = Command.make("remove-header", { id, headerName, ...changing }, (input) =>
  change(input, {
    consequence: `Deliveries to ${input.id} no longer have the header ${input.headerName} any more.`,
    question: `Remove ${input.headerName}?`,
    call: (client, options) => client.webhooks.update(input.id, { headers: { [input.headerName]: null } }, options),
    say: namesOf
  })).pipe(
    Command.withDescription("Remove a custom header from deliveries"),
    Command.withExamples([{
      command: `countersign webhooks remove-header ${exampleId} X-Api-Key`,
      description: "Header names are case-insensitive"
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
    Command.withDescription("Send a test delivery and show the result; exits 1 if it fails"),
    Command.withExamples([{
      command: `countersign webhooks test ${exampleId}`,
      description: "A signed delivery of type webhook.test; works for paused endpoints too"
    }]),
    Command.provide((input) => ServiceApi.layer(input))
  )
