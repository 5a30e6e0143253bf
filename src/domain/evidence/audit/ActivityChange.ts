import { Schema } from "effect"
import { groupedBy } from "../../ground/parsing/Grouped.ts"
import { isMembers, membersOf } from "../../ground/parsing/JsonMembers.ts"
import type { JsonMembers } from "../../ground/parsing/JsonMembers.ts"
import { canonicalJson } from "../../ground/wire/CanonicalJson.ts"
import { field, optional } from "../../ground/wire/Fields.ts"
import { familyOf, kinds, wholeLicenseKinds } from "../../log/EventKind.ts"
import type { EventKind } from "../../log/EventKind.ts"
import { dataOf, erased } from "./DeviceReplay.ts"
import type { StoredEvent } from "./DeviceReplay.ts"
import { licenseMembers } from "./LicenseReplay.ts"
import { replayOf } from "./ReplayedKinds.ts"

const single = [
  Schema.String,
  Schema.Finite,
  Schema.Boolean,
  Schema.Null,
  Schema.Record(Schema.String, Schema.Json)
]

/**
 * A value of any kind, by its kinds: a schema that takes anything says nothing to whoever reads the contract. No resource has a list
 * in a list.
 */
const Value = Schema.Union([...single, Schema.Array(Schema.Union(single))])

/** A member that an activity changed. */
export const ActivityChange = Schema.Struct({
  member: field(Schema.String, "The field of the resource; `custom_fields.` and a code for a custom field."),
  before: optional(Value, "The value until then; absent if it was not set."),
  after: optional(Value, "The value from then on; absent if it was removed.")
}).annotate({
  identifier: "ActivityChange",
  description: "A field of the resource before and after. Erased values are absent.",
  examples: [{ member: "status", before: "active", after: "suspended" }]
})
export type ActivityChange = typeof ActivityChange.Type

/** Events that show the same part of a resource: the one before tells what a change of it has replaced. */
export interface Comparison {
  readonly kinds: ReadonlyArray<EventKind>
  /** The member of `data` that names the part, where a resource has several. */
  readonly part?: "feature_id"
}

const ofPolicyFeature: ReadonlyArray<EventKind> = ["policy.feature_assigned", "policy.feature_removed"]
const ofLicenseFeature: ReadonlyArray<EventKind> = [
  "license.feature_assigned",
  "license.feature_removed",
  "license.usage_reset"
]

/** A device shows whether it holds a seat in the events of the license too. */
const ofDevice: ReadonlyArray<EventKind> = ["device.reset", "device.blacklisted", "device.expired"]

const ofSettings: ReadonlyArray<EventKind> = ["settings.updated"]

/** The kinds that show their resource whole, or take it away, by family. */
const families = groupedBy(
  kinds.filter((kind) => replayOf[kind] === "put" || replayOf[kind] === "remove"),
  familyOf
)

/** What the event of a kind is compared with; undefined where it changes nothing that can be compared. */
export const comparisonOf = (kind: EventKind): Comparison | undefined => {
  if (wholeLicenseKinds.includes(kind)) return { kinds: wholeLicenseKinds }
  if (ofLicenseFeature.includes(kind)) return { kinds: ofLicenseFeature, part: "feature_id" }
  if (ofPolicyFeature.includes(kind)) return { kinds: ofPolicyFeature, part: "feature_id" }
  if (ofDevice.includes(kind)) return { kinds: ofDevice }
  if (ofSettings.includes(kind)) return { kinds: ofSettings }
  const family = replayOf[kind] === "put" ? families.get(familyOf(kind)) : undefined
  return family === undefined ? undefined : { kinds: family }
}

/** Members that say which resource it is and when it was written, and counts that other events tell of. */
const unchanging: ReadonlySet<string> = new Set([
  "id",
  "created_at",
  "updated_at",
  "last_used_at",
  "last_seen_at",
  "last_validated_at",
  "app_version_since",
  "entitlement_version",
  "custom_field"
])

/** The kinds after which a license has another number of seats taken. */
const seatKinds: ReadonlySet<EventKind> = new Set(["license.activated", "license.deactivated", "license.revoked"])

/** The members of a license that an event of a kind changes, as a license shows them. */
const ownMembers = (kind: EventKind): ReadonlySet<string> | undefined => {
  if (!wholeLicenseKinds.includes(kind)) return undefined
  return new Set([
    ...(licenseMembers[kind] ?? []).map((member) => member === "state" ? "status" : member),
    ...(seatKinds.has(kind) ? ["active_device_count"] : [])
  ])
}

const fieldValues = ["string_value", "integer_value", "boolean_value", "datetime_value", "enum_value"]

/** The value of a custom field in an event that set or cleared it. */
const fieldIn = (data: JsonMembers): JsonMembers => {
  const custom = membersOf(data["custom_field"])
  const value = fieldValues.flatMap((member) => custom[member] === undefined ? [] : [custom[member]])[0]
  return { [`custom_fields.${String(custom["code"] ?? custom["definition_id"])}`]: value }
}

/** A JSON value of an event; undefined for one that was erased, or is not there. */
const isShown = Schema.is(Value)
const shown = (value: unknown): typeof Value.Type | undefined => value !== erased && isShown(value) ? value : undefined

/** Whether a value has an erased one in it, so that it cannot be compared. */
const hasErased = (value: unknown): boolean =>
  value === erased ||
  (Array.isArray(value) ? value.some(hasErased) : isMembers(value) && Object.values(value).some(hasErased))

const changeOf = (member: string, before: unknown, after: unknown): ReadonlyArray<ActivityChange> => {
  const [was, is] = [shown(before), shown(after)]
  const isKnown = !hasErased(before) && !hasErased(after)
  if (was === undefined && is === undefined) return []
  if (isKnown && was !== undefined && is !== undefined && canonicalJson(was) === canonicalJson(is)) return []
  return [{ member, ...(was === undefined ? {} : { before: was }), ...(is === undefined ? {} : { after: is }) }]
}

/** What an event says of its resource for a comparison. */
const compared = (event: StoredEvent): JsonMembers => {
  if (event.event_type === "license.feature_removed" || event.event_type === "policy.feature_removed") return {}
  const data = dataOf(event)
  return data["custom_field"] === undefined ? data : fieldIn(data)
}

/**
 * The members that an event changed, by the event before it about the same part of its resource; undefined `before` for a part
 * that was not there. Every event shows its resource whole, so what a kind only repeats is no change of it.
 */
export const changesBetween = (
  after: StoredEvent,
  before: StoredEvent | undefined
): ReadonlyArray<ActivityChange> => {
  const [was, is] = [before === undefined ? {} : compared(before), compared(after)]
  const isCustomField = dataOf(after)["custom_field"] !== undefined
  const own = isCustomField ? undefined : ownMembers(after.event_type)
  return [...new Set([...Object.keys(was), ...Object.keys(is)])]
    .filter((member) => (own === undefined || own.has(member)) && !unchanging.has(member))
    .toSorted()
    .flatMap((member) => changeOf(member, was[member], is[member]))
}
