import { Schema } from "effect"
import type { Rules } from "../../catalog/terms/Rules.ts"
import { field, optional } from "../../ground/wire/Fields.ts"
import * as Id from "../../ground/wire/Id.ts"
import { Device } from "./Device.ts"

/** How many components a device may name. */
const most = 8

const namePattern = /^[a-z0-9_-]{1,32}$/
const hashPattern = /^[\x21-\x7e]+$/

const ComponentHash = Schema.String.check(
  // Of any text half the minimum would be documented; here no character counts twice.
  Schema.isBetweenLength(8, 128, { toJsonSchema: () => ({ minLength: 8, maxLength: 128 }) }),
  Schema.isPattern(hashPattern, {
    expected: "visible ASCII",
    toJsonSchema: () => ({ pattern: hashPattern.source })
  })
)

/** The components of a device, each as a hash of what identifies it, by their names. */
export const Components = Schema.Record(Schema.String, ComponentHash).annotate({
  description:
    "Hashes of what the machine is made of, by names such as `board`, `disk` or `network`: at most 8, of up " +
    "to 32 lower-case letters, digits, `_` and `-`. Where the terms have `component_match`, activate and " +
    "checkout know a device of the license by them whose fingerprint has changed; without it they are not " +
    "stored.",
  examples: [{ board: "9f86d081884c7d65", disk: "2c624232cc221d9f" }]
}).check(Schema.makeFilter(
  (components: { readonly [name: string]: string }) => {
    const names = Object.keys(components)
    if (names.length > most) return `must have at most ${most} fields`
    return names.every((name) => namePattern.test(name))
      ? undefined
      : "must have names of 1 to 32 lower-case letters, digits, '_' and '-'"
  },
  { toJsonSchema: () => ({ maxProperties: most, propertyNames: { pattern: namePattern.source } }) }
)).annotate({ identifier: "DeviceComponents" })
export type Components = typeof Components.Type

/** How many components must match: the rule `component_match`. */
export type ComponentMatch = NonNullable<Rules["component_match"]>

/** Whether `matched` of the `named` components of a device are enough for it to be the same device. */
export const isSameBy = (rule: ComponentMatch, { matched, named }: Pick<Candidate, "matched" | "named">): boolean => {
  switch (rule) {
    case "any":
      return matched >= 1
    case "most":
      return matched * 2 > named
    case "all":
      return named > 0 && matched === named
    default:
      return matched >= Number(rule)
  }
}

/** A device of the license that has components in common with the one that asks. */
export interface Candidate {
  readonly id: string
  /** How many components it has, and how many of them are those of the device that asks. */
  readonly named: number
  readonly matched: number
  readonly isBlocked: boolean
  /** Unix milliseconds. */
  readonly lastSeen: number
}

/**
 * The device that the one that asks is: the one with the most matches of those with enough. Of several with as many a
 * blocked one goes first, so that no block is left by a change of the fingerprint, then the one that was seen last.
 */
export const sameDevice = <Known extends Candidate>(
  rule: ComponentMatch,
  candidates: ReadonlyArray<Known>
): Known | undefined =>
  candidates.filter((candidate) => isSameBy(rule, candidate)).toSorted((a, b) =>
    b.matched - a.matched || Number(b.isBlocked) - Number(a.isBlocked) || b.lastSeen - a.lastSeen ||
    (a.id < b.id ? -1 : 1)
  )[0]

/** A device with components as a candidate for one that names its own. */
export const candidateFor = (named: Components, device: Device, components: Components): Candidate => ({
  id: device.id,
  named: Object.keys(components).length,
  matched: Object.keys(components).filter((name) => components[name] === named[name]).length,
  isBlocked: device.status === "blacklisted",
  lastSeen: Date.parse(device.last_seen_at)
})

/** The names of the components that are others than before, that came or that went, in their order. */
export const changedComponents = (before: Components, after: Components): ReadonlyArray<string> =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) => before[name] !== after[name])
    .toSorted()

/** What the event of a device says whose components were named or changed. */
export const ComponentsChanged = Schema.Struct({
  license_id: Id.text("lic"),
  device: field(Device, "The device as it is now."),
  components: field(
    Schema.Record(Schema.String, Schema.String),
    "The current components: their hashes, by name."
  ),
  changed: field(
    Schema.Array(Schema.String),
    "The names of the components that are others than before, that came or that went."
  ),
  previous_fingerprint_hash: optional(
    Schema.String,
    "The SHA-256 of the binding key that the device had before, in hex; absent when it kept it."
  )
}).annotate({
  identifier: "ComponentsChangedEventData",
  description: "The components of a device, and which of them are others than before.",
  examples: [{
    license_id: "lic_06eqpx1trxz3h94vqjm3a6kz7c",
    device: {
      id: "dev_06eqpx1trxz3h94vqjm3a6kz7c",
      license_id: "lic_06eqpx1trxz3h94vqjm3a6kz7c",
      binding_kind: "hardware",
      binding_key: "c7f20e9a31",
      fingerprint: "c7f20e9a31",
      is_vm: false,
      is_container: false,
      status: "active",
      first_seen_at: "2026-11-21T10:30:00.000Z",
      last_seen_at: "2026-11-22T09:00:00.000Z",
      metadata: {},
      created_at: "2026-11-21T10:30:00.000Z",
      updated_at: "2026-11-22T09:00:00.000Z",
      components: ["board", "disk"],
      components_changed_at: "2026-11-22T09:00:00.000Z"
    },
    components: { board: "9f86d081884c7d65", disk: "2c624232cc221d9f" },
    changed: ["disk"],
    previous_fingerprint_hash: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
  }]
})
export type ComponentsChanged = typeof ComponentsChanged.Type
