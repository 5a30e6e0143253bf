import type { WebhookLastOutcome } from "../../client/api/index.ts"

/** How an attempt ended, and where a redirect leads. */
export const outcomeOf = (
  { class: outcome, location, status }: Pick<WebhookLastOutcome, "class" | "location" | "status">
): string => outcome + (status === undefined ? "" : ` ${status}`) + (location === undefined ? "" : ` to ${location}`)
