import type { JsonMembers } from "../../domain/ground/parsing/JsonMembers.ts"
import type { Limits } from "./Machine.ts"

/** An instant of signed data in Unix milliseconds; undefined where it is none. */
export const instantOf = (value: unknown): number | undefined => {
  const at = typeof value === "string" ? Date.parse(value) : Number.NaN
  return Number.isNaN(at) ? undefined : at
}

/** Until when signed data may be relied on without the service. A trial's end, which is known, is the end. */
export const limitsOf = (data: JsonMembers, graceMs: number): Limits => {
  const validUntil = instantOf(data["valid_until"])
  if (validUntil === undefined) return {}
  const isTrial = data["license_type"] === "trial"
  const end = isTrial ? Math.max(validUntil, instantOf(data["expires_at"]) ?? Infinity) : Infinity
  return { validUntil, graceUntil: Math.min(validUntil + graceMs, end), isTrial }
}

/** Whether signed data is of the test environment, whose clock may be moved. */
export const isOfTest = (data: JsonMembers): boolean => data["environment"] === "test"
