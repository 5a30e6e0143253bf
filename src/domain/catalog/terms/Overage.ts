import { Schema } from "effect"
import { bigCount, field, optional, Timestamp } from "../../ground/wire/Fields.ts"
import * as Id from "../../ground/wire/Id.ts"

const pattern = /^(deny|allow|[1-9]\d{0,3}%)$/

/**
 * What happens beyond a limit: `deny` refuses, `allow` serves and counts how far over, a percentage serves up to that
 * much more than the limit.
 */
export const OverageText = Schema.String.check(
  Schema.isPattern(pattern, {
    expected: "deny, allow, or a percentage of the limit from 1% to 9999%",
    toJsonSchema: () => ({ pattern: pattern.source })
  })
)

/**
 * The most that is served under a limit with an overage, rounded down; Infinity where nothing is refused. Exact for
 * every whole number that JSON carries.
 */
export const servedUpTo = (limit: number, overage: string | null | undefined): number => {
  if (overage === null || overage === undefined || overage === "deny") return limit
  if (overage === "allow") return Infinity
  const percent = Number.parseInt(overage, 10)
  // In two parts: the product of a large limit and a percentage is no exact number.
  return Math.min(
    limit + Math.floor(limit / 100) * percent + Math.floor((limit % 100) * percent / 100),
    Number.MAX_SAFE_INTEGER
  )
}

/** How far what is used lies over a limit: 0 within it. */
export const overBy = (used: number, limit: number): number => Math.max(0, used - limit)

/** Whether going from one use to the next crosses a limit upwards. Every crossing has its event. */
export const crosses = (
  { after, before, limit }: { readonly before: number; readonly after: number; readonly limit: number }
): boolean => before <= limit && after > limit

/** How far a license is over one of its limits, in a signed answer. */
export const Overage = Schema.Struct({
  limit: field(bigCount(0), "The limit of the terms."),
  used: field(bigCount(0), "Current usage, including this call."),
  over: field(bigCount(1), "Usage above the limit.")
}).annotate({
  identifier: "Overage",
  description: "How far the license is above its limit. Present if the terms allow overage and there is some.",
  examples: [{ limit: 25, used: 26, over: 1 }]
})
export type Overage = typeof Overage.Type

/** What the event of an overage that began says. */
export const OverageStarted = Schema.Struct({
  license_id: Id.text("lic"),
  device_id: Schema.optionalKey(Id.text("dev")),
  limit_of: field(
    Schema.Literals(["activations", "floating", "feature"]),
    "Which limit it was: that of activation seats, of floating seats, or a feature's quota."
  ),
  feature_code: optional(Schema.String, "The code of the feature."),
  overage: field(Schema.String, "The overage rule: `allow`, or a percentage."),
  ...Overage.fields,
  period_ends_at: optional(Timestamp, "The time of the next reset of the quota.")
}).annotate({
  identifier: "OverageStartedEventData",
  description: "A license exceeded one of its limits and continues to work.",
  examples: [{
    license_id: "lic_06eqpx1trxz3h94vqjm3a6kz7c",
    device_id: "dev_06eqpx1trxz3h94vqjm3a6kz7c",
    limit_of: "activations",
    overage: "10%",
    limit: 25,
    used: 26,
    over: 1
  }]
})
export type OverageStarted = typeof OverageStarted.Type

/** How far use lies over a limit that the terms serve beyond; undefined within it, or where nothing is said of that. */
export const overageOf = (
  { limit, overage, used }: { readonly limit: number; readonly used: number; readonly overage: string | undefined }
): Overage | undefined =>
  overage === undefined || overage === "deny" || used <= limit ? undefined : { limit, used, over: used - limit }
