import type {
  WebhookEndpoint,
  WebhookHealth,
  WebhookLastOutcome,
  WebhookTestResult
} from "../../../client/api/index.ts"
import { printAnswer } from "../../terminal/Answers.ts"
import { printText } from "../../terminal/Printing.ts"
import type { Alias } from "../ground/api/Alias.ts"
import { standing, standingOf } from "../ground/api/Alias.ts"

const id = "whk_06eqpx1trxz3h94vqjm3a6kz7c"

const asks = "Explains the effect and asks for confirmation"

/** How an attempt ended, and where a redirect leads. */
const outcomeOf = (
  { class: outcome, location, status }: Pick<WebhookLastOutcome, "class" | "location" | "status">
): string => outcome + (status === undefined ? "" : ` ${status}`) + (location === undefined ? "" : ` to ${location}`)

/** Commands for an endpoint, and its deliveries. */
export const webhookAliases: ReadonlyArray<Alias> = [
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
    say: standing
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
        ? standing(data)
        : printText(`${standingOf(data)} ${data.skipped_events.toLocaleString("en-US")} events were skipped.`)
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
