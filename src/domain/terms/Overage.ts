import { Schema } from "effect"

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
