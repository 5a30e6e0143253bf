import { Clock, Effect, Option, Stream } from "effect"
import { Command, Flag } from "effect/cli"
import { request } from "undici"
import manifest from "../../../../package.json" with { type: "json" }
import type {
  WebhookEndpoint,
  WebhookHealth,
  WebhookLastOutcome,
  WebhookTestResult
} from "../../../client/api/index.ts"
import { nextDelay } from "../../../domain/delivery/RetryPolicy.ts"
import {
  deliveryHeaders,
  deliveryId,
  fixedHeaders,
  signingKeys
} from "../../../domain/delivery/webhooks/WebhookSignature.ts"
import type { SigningKeys } from "../../../domain/delivery/webhooks/WebhookSignature.ts"
import { canonicalJson } from "../../../domain/ground/wire/CanonicalJson.ts"
import { formatWebhookSecret, isWebhookSecret } from "../../../domain/keys/security/WebhookSecret.ts"
import { epochAt } from "../../../domain/log/EpochPlace.ts"
import { deliveryBody } from "../../../domain/log/EventLeaf.ts"
import { Cryptography } from "../../../services/ground/platform/Cryptography.ts"
import { readSecretFile } from "../../config/Setting.ts"
import * as NodeCryptography from "../../node/NodeCryptography.ts"
import { printAnswer } from "../../terminal/Answers.ts"
import { AlreadySaid, WrongUsage } from "../../terminal/ExitCode.ts"
import { printJsonLine, printNotice, printText } from "../../terminal/Printing.ts"
import type { Contract } from "../ground/api/Contract.ts"
import { aliasCommands, printState, stateLine } from "../ground/api/OperationCommand.ts"
import type { Alias } from "../ground/api/OperationCommand.ts"
import { ServiceApi, url } from "../ground/ServiceApi.ts"
import type { Placed } from "../log/EventFeed.ts"
import { backlog, epochStarts, followed, from, isWanted, kindsOf, newest } from "../log/EventFeed.ts"

/** The endpoint's part of delivery IDs: the same event has the same ID in each run. */
const endpointId = "whk_00000000000000000000000000"

/** How long a receiver may take for an answer, in milliseconds, as for a delivery. */
const patience = 15_000

const secretOf = Effect.fnUntraced(function*(file: string) {
  const { randomBytes } = yield* Cryptography
  if (file === "") return formatWebhookSecret(randomBytes(32))
  const text = yield* Effect.try({
    try: () => readSecretFile(file),
    catch: (cause) => new WrongUsage({ message: `--secret-file cannot be read: ${(cause as Error).message}` })
  })
  if (isWebhookSecret(text)) return text
  return yield* new WrongUsage({
    message: `${file} is not a webhook secret: expected 16 to 128 printable characters on one line`
  })
})

const addressOf = (text: string) =>
  URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
    ? Effect.succeed(new URL(text).href)
    : Effect.fail(
      new WrongUsage({
        message: `--forward-to must be an HTTP or HTTPS URL, not "${text}". As http://127.0.0.1:3000/hooks`
      })
    )

/** The outcome of one attempt. */
interface Outcome {
  readonly status?: number
  readonly error?: string
  readonly ms: number
}

/** Posts the bytes of a delivery, signed now as each attempt of a delivery is. */
const post = Effect.fnUntraced(function*(to: string, { event }: Placed, keys: SigningKeys, epoch: number) {
  const { hmacSha256, sha256 } = yield* Cryptography
  const rawBody = deliveryBody({
    ...event,
    environment: event.environment ?? "live",
    data: canonicalJson(event.data),
    epoch
  })
  const started = yield* Clock.currentTimeMillis
  const id = deliveryId(endpointId, event.id, sha256)
  const headers = deliveryHeaders(
    {
      deliveryId: id,
      sequence: event.sequence,
      type: event.event_type,
      timestamp: Math.floor(started / 1000),
      rawBody,
      keys: [keys]
    },
    hmacSha256,
    fixedHeaders(epoch, manifest.version)
  )
  const answered = yield* Effect.promise(async (signal): Promise<{ status: number } | { error: string }> => {
    try {
      const { body, statusCode } = await request(to, {
        method: "POST",
        headers,
        body: rawBody,
        signal: AbortSignal.any([signal, AbortSignal.timeout(patience)])
      })
      await body.dump()
      return { status: statusCode }
    } catch (cause) {
      const { code, message, name } = cause as Error & { readonly code?: string }
      return { error: name === "TimeoutError" ? "timeout" : code ?? message }
    }
  })
  const outcome: Outcome = { ...answered, ms: (yield* Clock.currentTimeMillis) - started }
  return { id, outcome }
})

const isTaken = ({ status = 0 }: Outcome): boolean => status >= 200 && status < 300

/** Posts an event until it is taken or its attempts are used up; answers whether it was taken. */
const deliver = Effect.fnUntraced(function*(
  placed: Placed,
  input: {
    readonly to: string
    readonly keys: SigningKeys
    readonly epoch: number
    readonly retries: number
    readonly json: boolean
  }
) {
  for (let attempt = 1;; attempt++) {
    const { id, outcome } = yield* post(input.to, placed, input.keys, input.epoch)
    const { cursor, event: { event_type, id: event_id, sequence } } = placed
    const isLast = isTaken(outcome) || attempt > input.retries
    const wait = isLast ? undefined : nextDelay(attempt, 0)
    const next = wait === undefined ? "" : `, again in ${wait / 1000} s`
    yield* input.json
      ? printJsonLine({ delivery_id: id, event_id, sequence, cursor, type: event_type, attempt, ...outcome })
      : printText(
        `${event_type.padEnd(28)}  ${id}  ${outcome.status ?? outcome.error}  ${outcome.ms} ms${next}`
      )
    if (wait === undefined) return isTaken(outcome)
    yield* Effect.sleep(wait)
  }
})

const flags = {
  to: Flag.String("forward-to").pipe(Flag.withMetavar("address"), Flag.withDescription("URL of the receiver")),
  events: Flag.String("events").pipe(
    Flag.withMetavar("kinds"),
    Flag.withDescription("Only these event types or families, license.suspended,webhook.*"),
    Flag.withDefault("")
  ),
  secretFile: Flag.String("secret-file").pipe(
    Flag.withMetavar("file"),
    Flag.withDescription("File with the signing secret; default: one is created for this run and printed"),
    Flag.withDefault("")
  ),
  from,
  retries: Flag.Int("retries").pipe(
    Flag.withDescription("Number of retries, after 5 s, 30 s, 2 min … as for deliveries"),
    Flag.withDefault(1)
  ),
  follow: Flag.Boolean("follow").pipe(
    Flag.withDescription("Wait for new events; --no-follow ends with the feed and exits 1 if a delivery failed"),
    Flag.withDefault(true)
  ),
  json: Flag.Boolean("json").pipe(
    Flag.withDescription("Print one JSON object per line for each attempt"),
    Flag.withDefault(false)
  ),
  url
}

/** `countersign webhooks listen`: deliveries from the feed to a receiver on the developer's machine. */
const listen = Command.make("listen", flags, (input) =>
  Effect.gen(function*() {
    const to = yield* addressOf(input.to)
    const wanted = yield* kindsOf(input.events)
    const secret = yield* secretOf(input.secretFile)
    const { end } = yield* newest([], 0)
    const begin = Option.getOrElse(input.from, () => end)
    let starts = yield* epochStarts
    let failed = 0
    yield* printNotice(
      input.secretFile === ""
        ? [`Delivering to ${to}, from cursor ${begin} on, signed with`, `  ${secret}`]
        : `Delivering to ${to}, from cursor ${begin} on`
    )
    const keys = signingKeys(secret)
    yield* (input.follow ? followed(begin, wanted) : backlog(begin)).pipe(
      Stream.filter(isWanted(wanted)),
      Stream.runForEach(Effect.fnUntraced(function*(placed) {
        if (placed.event.event_type === "log.epoch_started") starts = yield* epochStarts
        const epoch = epochAt(starts, placed.event.sequence)
        const isDone = yield* deliver(placed, { to, keys, epoch, retries: input.retries, json: input.json })
        if (!isDone) failed += 1
      }))
    )
    if (failed > 0) return yield* new AlreadySaid({ message: `${failed} were not accepted` })
  }).pipe(Effect.provide(NodeCryptography.layer))).pipe(
    Command.withDescription(
      "Deliver events to a local receiver, with the bytes, IDs and signatures of real deliveries"
    ),
    Command.withExamples([
      {
        command: "countersign webhooks listen --forward-to http://127.0.0.1:3000/hooks",
        description: "New events, signed with a printed secret"
      },
      {
        command: "countersign webhooks listen --forward-to http://127.0.0.1:3000/hooks --events 'license.*' " +
          "--secret-file hook.secret --from 0",
        description: "All license events, signed with your own secret"
      }
    ]),
    Command.provide((input) => ServiceApi.layer(input))
  )

const id = "whk_06eqpx1trxz3h94vqjm3a6kz7c"

const asks = "Explains the effect and asks for confirmation"

/** How an attempt ended, and where a redirect leads. */
const outcomeOf = (
  { class: outcome, location, status }: Pick<WebhookLastOutcome, "class" | "location" | "status">
): string => outcome + (status === undefined ? "" : ` ${status}`) + (location === undefined ? "" : ` to ${location}`)

/** Commands for an endpoint, and its deliveries. */
const webhookAliases: ReadonlyArray<Alias> = [
  {
    name: "list",
    operation: "listWebhookEndpoints",
    description: "List the webhook endpoints and their status",
    defaults: { limit: 200 },
    columns: [
      "id",
      "status",
      "disabled_reason",
      "name",
      "url",
      "last_delivery_at",
      "last_outcome.class",
      "last_outcome.status",
      "last_outcome.next_attempt_at"
    ],
    examples: [["", "Newest first"]],
    isBare: true
  },
  {
    name: "health",
    operation: "getWebhookHealth",
    description: "Show the health of deliveries; exits 1 if they are not ok",
    examples: [["", "For all endpoints"]],
    say: ({ backlog, exhausted, last_1h, last_5m, reasons, retries_pending, status, worst }: WebhookHealth) =>
      printAnswer({ status, reasons, backlog, retries_pending, exhausted, last_5m, last_1h, worst }),
    isBare: true,
    isFine: ({ status }: WebhookHealth) => status === "ok"
  },
  {
    name: "pause",
    operation: "updateWebhookEndpoint",
    description: "Pause deliveries to an endpoint; new events queue up",
    members: ["reason"],
    body: { is_active: false },
    examples: [[id, asks]],
    say: printState
  },
  {
    name: "resume",
    operation: "updateWebhookEndpoint",
    description: "Resume deliveries to a paused or disabled endpoint",
    members: ["reason"],
    body: { is_active: true },
    switches: {
      "from-now": {
        description: "Skip the backlog; deliver only new events",
        operation: "resumeWebhookEndpointFromNow",
        body: {}
      }
    },
    examples: [[id, asks], [`${id} --from-now`, "Without its backlog"]],
    say: (data: { readonly webhook?: WebhookEndpoint; readonly skipped_events?: number }) =>
      data.skipped_events === undefined
        ? printState(data)
        : printText(`${stateLine(data)} ${data.skipped_events.toLocaleString("en-US")} events were skipped.`)
  },
  {
    name: "order",
    operation: "updateWebhookEndpoint",
    description: "Deliver events to an endpoint one at a time, in order",
    members: ["reason"],
    body: { ordered: true },
    switches: { off: { description: "Deliver several events at once (default)", body: { ordered: false } } },
    examples: [[id, asks]],
    say: ({ id, ordered }: WebhookEndpoint) => printText(`${id} is ${ordered === true ? "" : "not "}ordered.`)
  },
  {
    name: "test",
    operation: "testWebhookEndpoint",
    description: "Send a test delivery and show the result; exits 1 if it fails",
    examples: [[id, "A signed delivery of type webhook.test; works for paused endpoints too"]],
    say: (result: WebhookTestResult) =>
      printText([
        `${outcomeOf(result)} in ${result.duration_ms} ms, ${result.delivery_id}`,
        ...(result.advice === undefined ? [] : [result.advice])
      ]),
    isBare: true,
    isFine: ({ class: outcome }: WebhookTestResult) => outcome === "delivered"
  }
]

/** `countersign webhooks ...`: endpoints, and deliveries to a receiver under development. */
export const webhooks = (contract: Contract) =>
  Command.make("webhooks").pipe(
    Command.withExamples([
      {
        command: "countersign webhooks listen --forward-to http://127.0.0.1:3000/hooks",
        description: "Test a receiver during development"
      }
    ]),
    Command.withSubcommands([...aliasCommands(contract, "webhooks", webhookAliases), listen])
  )
