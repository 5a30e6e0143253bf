import { Schema } from "effect"
import { membersOf } from "../../ground/parsing/JsonMembers.ts"
import type { Scope } from "../../keys/security/ManagementKey.ts"
import { familyOf, resourceTypeOf } from "../../log/EventKind.ts"
import type { EventKind, Family } from "../../log/EventKind.ts"
import type { Activity, ActivityNames } from "./Activity.ts"
import { changesBetween, comparisonOf } from "./ActivityChange.ts"
import type { ActivityChange } from "./ActivityChange.ts"
import { dataOf, metadataOf } from "./DeviceReplay.ts"
import type { StoredEvent } from "./DeviceReplay.ts"

const readRoles = Schema.is(Schema.Array(Schema.String))

/** Resources that are named by their own members of `names`. */
const named: ReadonlySet<string> = new Set(["license", "device", "customer", "product"])

const text = (value: unknown): string | undefined => typeof value === "string" && value !== "" ? value : undefined

/** The person who acted, by name and roles as the event has them. The name may have been erased. */
const actorIn = (event: StoredEvent): { readonly name?: string; readonly roles?: ReadonlyArray<string> } => {
  const name = text(event.personal?.["/metadata/actor_name"]?.value)
  const roles = metadataOf(event)["actor_roles"]
  return { ...(name === undefined ? {} : { name }), ...(readRoles(roles) ? { roles } : {}) }
}

/** The one who opened the session of the actor, where that was somebody else. */
const openerIn = (event: StoredEvent): Pick<Activity, "opened_by" | "opener_name"> => {
  const id = text(metadataOf(event)["opened_by"])
  const name = text(event.personal?.["/metadata/opener_name"]?.value)
  return { ...(id === undefined ? {} : { opened_by: id }), ...(name === undefined ? {} : { opener_name: name }) }
}

/**
 * The scope that shows what an event of a family has of its resource: the one that reads the resource itself. The feed of events
 * has all of them.
 */
const readingScopes: Readonly<Record<Family, Scope>> = {
  product: "product:read",
  policy: "product:read",
  feature: "product:read",
  version: "product:read",
  custom_field: "product:read",
  order: "product:read",
  subscription: "product:read",
  billing_connection: "product:read",
  purchase: "product:read",
  publishable_key: "product:read",
  customer: "customer:read",
  license: "license:read",
  device: "license:read",
  lease: "license:read",
  offline: "license:read",
  offline_file: "license:read",
  mail: "license:read",
  job: "license:read",
  note: "license:read",
  person: "people:read",
  passkey: "people:read",
  session: "people:read",
  approval: "people:read",
  role: "people:read",
  settings: "admin",
  mail_template: "admin",
  mail_suppression: "admin",
  api_key: "admin",
  signing_key: "admin",
  webhook: "webhook:write",
  report_export: "report:export",
  log: "event:read"
}

/** The scope that a caller lacks to see the resource of an event; undefined where it may see it. */
export const scopeLackedFor = (kind: EventKind, held: ReadonlySet<Scope>): Scope | undefined => {
  const needed = readingScopes[familyOf(kind)]
  return held.has(needed) || held.has("event:read") ? undefined : needed
}

/** All scopes that {@link scopeLackedFor} asks about. */
export const askedScopes: ReadonlyArray<Scope> = [...new Set<Scope>([...Object.values(readingScopes), "event:read"])]

/** Whether a caller may see what is personal to customers: with them, or on their licenses and devices. */
const seesCustomers = (held: ReadonlySet<Scope>): boolean =>
  held.has("customer:read") || held.has("license:read") || held.has("event:read")

/** An event as it is shown to a caller who may see its resource: what is personal to a customer only with the customers. */
export const shownTo = (event: StoredEvent, held: ReadonlySet<Scope>): StoredEvent =>
  readingScopes[familyOf(event.event_type)] === "people:read" || seesCustomers(held) ? event : withoutPersonal(event)

/** An event as somebody reads it who may not see personal values: as if they were erased. */
export const withoutPersonal = (event: StoredEvent): StoredEvent => ({ ...event, personal: null })

/** What an event calls its resource; undefined where it has no name, or the name was erased. */
const resourceNameIn = (event: StoredEvent): string | undefined => {
  if (named.has(resourceTypeOf(event.event_type))) return undefined
  const data = dataOf(event)
  return text(data["name"]) ?? text(data["feature_name"]) ?? text(data["code"]) ?? text(data["feature_code"]) ??
    text(data["version"]) ?? text(data["external_id"]) ?? text(data["url"]) ?? text(data["kid"]) ??
    (event.event_type === "session.refused" ? text(data["reason"]) : undefined)
}

/** An event, and the one before it that it is compared with. */
export interface ComparedEvent {
  readonly event: StoredEvent
  readonly before: StoredEvent | undefined
  /** Whether events were archived, so that the one before may be gone. */
  readonly isCut: boolean
}

/** What an event has changed; undefined where that cannot be said. */
export const changesIn = ({ before, event, isCut }: ComparedEvent): ReadonlyArray<ActivityChange> | undefined => {
  const comparison = comparisonOf(event.event_type)
  if (comparison === undefined || event.event_type.endsWith(".created")) return undefined
  // A part, the value of a custom field, and settings begin with their first event.
  const begins = comparison.part !== undefined || event.event_type === "settings.updated" ||
    event.event_type === "mail_template.updated" ||
    membersOf(dataOf(event)["custom_field"])["code"] !== undefined
  if (before === undefined && (isCut || !begins)) return undefined
  return changesBetween(event, before)
}

/** The names of ids, as they are looked up. */
export interface NameLookup {
  readonly of: (id: string | undefined) => string | undefined
  readonly policyOf: (licenseId: string | undefined) => string | undefined
  readonly holderOf: (licenseId: string | undefined) => string | undefined
}

/** The members that there are. */
const present = (members: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(members).filter((entry): entry is [string, string] => entry[1] !== undefined))

/** An activity with the names behind its ids, as far as whoever has the scopes `held` may see them. */
export const withNames = (
  activity: Activity,
  { event, held, names }: {
    readonly event: StoredEvent | undefined
    readonly names: NameLookup
    readonly held: ReadonlySet<Scope>
  }
): Activity => {
  const actor = event === undefined ? {} : actorIn(event)
  const name = actor.name ??
    (activity.actor_type === "license" || activity.actor_type === "license_holder"
      ? undefined
      : names.of(activity.actor_id))
  const known: ActivityNames = present({
    product: names.of(activity.product_id),
    policy: names.policyOf(activity.license_id),
    customer: !seesCustomers(held)
      ? undefined
      : activity.customer_id === undefined
      ? names.holderOf(activity.license_id)
      : names.of(activity.customer_id),
    device: seesCustomers(held) ? names.of(activity.device_id) : undefined,
    resource: event === undefined || scopeLackedFor(event.event_type, held) !== undefined
      ? undefined
      : resourceNameIn(shownTo(event, held))
  })
  return {
    ...activity,
    ...(name === undefined ? {} : { actor_name: name }),
    ...(actor.roles === undefined ? {} : { actor_roles: actor.roles }),
    ...(event === undefined ? {} : openerIn(event)),
    ...(Object.keys(known).length === 0 ? {} : { names: known })
  }
}
