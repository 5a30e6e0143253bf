import * as Base64 from "effect/encoding/Base64"
import { canonicalJson } from "../../ground/wire/CanonicalJson.ts"
import type { Replayed } from "./ReplayedKinds.ts"
import type { ReplayedRow } from "./ReplayTables.ts"
import { erased } from "./StoredEvent.ts"

/**
 * A difference between the tables and the log. `member` is absent when the whole row is missing on one side; a side is
 * absent when it has no value there. Personal values are not shown. For an event, `in_table` is what its record says,
 * and `by_log` is its place in the feed or that it waits for one.
 */
export interface StateDifference {
  readonly resource: Replayed | "usage_record" | "usage_key" | "usage_correction" | "usage_day" | "mail" | "event"
  readonly id: string
  readonly member?: string
  readonly in_table?: string
  readonly by_log?: string
}

/** Members that hold personal values, wherever they stand. */
const personal: ReadonlySet<string> = new Set([
  "email",
  "customer_email",
  "customer_name",
  "hostname",
  "ip_address",
  "string_value",
  "integer_value",
  "boolean_value",
  "datetime_value",
  "enum_value"
])

/** Resources whose names are personal. */
const named: ReadonlySet<StateDifference["resource"]> = new Set(["customer", "device", "person", "passkey"])

/** A cell as the log would write it: instants as RFC 3339 in UTC, bytes as base64, 64-bit counts as numbers. */
const written = (value: unknown): unknown => {
  if (value === null) return undefined
  if (value instanceof Date) return value.toISOString()
  if (value instanceof Uint8Array) return Base64.encode(value)
  if (typeof value === "bigint") return Number(value)
  return Array.isArray(value) ? value.map(written) : value
}

const text = (value: unknown): string | undefined => value === undefined ? undefined : canonicalJson(value)

/** Every member in which a row differs from the log. The row must have all of its columns, also those that are NULL. */
export const differencesOf = (
  subject: Pick<StateDifference, "resource" | "id">,
  row: ReplayedRow,
  replayed: ReplayedRow
): ReadonlyArray<StateDifference> =>
  Object.keys(row).flatMap((member) => {
    if (replayed[member] === erased) return []
    const isPersonal = personal.has(member) || (member === "name" && named.has(subject.resource))
    const table = text(written(row[member]))
    const log = text(replayed[member])
    if (table === log) return []
    const shown = (value: string | undefined) => isPersonal ? "(personal)" : value
    return [{
      ...subject,
      member,
      ...(table === undefined ? {} : { in_table: shown(table)! }),
      ...(log === undefined ? {} : { by_log: shown(log)! })
    }]
  })

/** A difference as a line for people. */
export const differenceLine = ({ by_log, id, in_table, member, resource }: StateDifference): string =>
  member === undefined
    ? `${resource} ${id}: ${
      in_table === undefined
        ? "is not in the table, by the log it exists"
        : "is in the table, by the log it does not exist"
    }`
    : `${resource} ${id}: ${member} is ${in_table ?? "nothing"} in the table, ${by_log ?? "nothing"} by the log`
