import { Effect } from "effect"
import { Command } from "effect/cli"
import type { WebhookHealthWindow } from "../../client/api/index.ts"
import { maskedUrl } from "../../domain/webhooks/MaskedUrl.ts"
import { AlreadySaid } from "../terminal/ExitCode.ts"
import { json, printFacts, printTable } from "../terminal/Output.ts"
import { printJson, printText } from "../terminal/Printing.ts"
import { ServiceApi, url } from "./ServiceApi.ts"
import { order, pause, removeHeader, resume, setHeader, test } from "./WebhookChanges.ts"
import { outcomeOf } from "./WebhookOutcome.ts"
import { listen } from "./WebhooksListen.ts"

const list = Command.make("list", { json, url }, (input) =>
  Effect.gen(function*() {
    const { ask } = yield* ServiceApi
    const found = yield* ask((client) => client.webhooks.list({ limit: 200 }))
    if (input.json) return yield* printJson(found)
    if (found.length === 0) return yield* printText("No webhook endpoints")
    yield* printTable([
      ["ID", "STATUS", "NAME", "URL", "LAST DELIVERY", "LAST OUTCOME", "NEXT ATTEMPT"],
      ...found.map(({ disabled_reason, id, last_delivery_at, last_outcome, name, status, url }) => [
        id,
        disabled_reason === undefined ? status : `${status} (${disabled_reason})`,
        name,
        // Terminals are copied into tickets and recorded; `--json` is for who needs the whole.
        maskedUrl(url),
        last_delivery_at ?? "none",
        last_outcome === undefined ? "none" : outcomeOf(last_outcome),
        last_outcome?.next_attempt_at ?? ""
      ])
    ])
  })).pipe(
    Command.withDescription("List the webhook endpoints and their status"),
    Command.withExamples([{ command: "countersign webhooks list", description: "Newest first" }]),
    Command.provide((input) => ServiceApi.layer(input))
  )

const windowOf = ({ delivered, failed_attempts, p95_ms }: WebhookHealthWindow): string =>
  `${delivered.toLocaleString("en-US")} delivered, ${failed_attempts.toLocaleString("en-US")} failed attempts` +
  (p95_ms === undefined ? "" : `, p95 ${p95_ms} ms`)

const health = Command.make("health", { json, url }, (input) =>
  Effect.gen(function*() {
    const { ask } = yield* ServiceApi
    const found = yield* ask((client) => client.webhooks.getHealth())
    if (input.json) yield* printJson(found)
    else {
      yield* printText(`Deliveries are ${found.status}`)
      for (const reason of found.reasons) yield* printText(`  ${reason}`)
      yield* printFacts([
        ["Backlog", found.backlog.toLocaleString("en-US")],
        ["Pending retries", found.retries_pending.toLocaleString("en-US")],
        ["Exhausted", found.exhausted.toLocaleString("en-US")],
        ["Last 5 minutes", windowOf(found.last_5m)],
        ["Last hour", windowOf(found.last_1h)]
      ])
      if (found.worst.length > 0) {
        yield* printText(["", "Worst endpoints"])
        yield* printTable([
          ["ID", "STATE", "WAITING", "FAILED IN A ROW", "LAST OUTCOME", "NAME"],
          ...found.worst.map(({ backlog, consecutive_failures, last_outcome, name, state, webhook_id }) => [
            webhook_id,
            state,
            String(backlog),
            String(consecutive_failures),
            last_outcome ?? "",
            name
          ])
        ])
      }
    }
    if (found.status !== "ok") return yield* new AlreadySaid({ message: found.status })
  })).pipe(
    Command.withDescription("Show the health of deliveries; exits 1 if they are not ok"),
    Command.withExamples([{ command: "countersign webhooks health", description: "For all endpoints" }]),
    Command.provide((input) => ServiceApi.layer(input))
  )

/** `countersign webhooks ...`: endpoints, and deliveries to a receiver that is being written. */
export const webhooks = Command.make("webhooks").pipe(
  Command.withDescription("Webhook endpoints, their health, and local test deliveries"),
  Command.withExamples([
    {
      command: "countersign webhooks listen --forward-to http://127.0.0.1:3000/hooks",
      description: "Test a receiver during development"
    }
  ]),
  Command.withSubcommands([list, health, pause, resume, order, test, setHeader, removeHeader, listen])
)
