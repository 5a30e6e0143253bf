import type { JsonObject } from "../ground/wire/CanonicalJson.ts"
import { wholeLicenseKinds } from "./EventKind.ts"
import type { EventKind } from "./EventKind.ts"

/** The JSON Pointer to the name of the person who acted, the same in events of every kind. */
const pointer = "/metadata/actor_name"

interface EventParts {
  readonly metadata?: JsonObject
  readonly personal?: ReadonlyArray<string>
}

/** An event with the person who acted, by name and roles as they were then: both may be others when the event is read. */
export const withActingPerson = <Event extends EventParts>(
  event: Event,
  person: { readonly name: string; readonly roles: ReadonlyArray<string> } | undefined
): Event & EventParts =>
  person === undefined ? event : {
    ...event,
    metadata: { ...event.metadata, actor_name: person.name, actor_roles: [...person.roles] },
    personal: [...event.personal ?? [], pointer]
  }

const owner = ["/data/customer_email", "/data/customer_name"]
/** Customers name their devices after the people who use them. */
const boundDevice = ["/data/device/name", "/data/device/hostname", "/data/device/ip_address"]
const device = ["/data/name", "/data/hostname", "/data/ip_address"]
/** The ID in a billing system may be an address. */
const customer = ["/data/name", "/data/email", "/data/external_id"]
/** The value of a custom field, whatever its type. */
const customField = ["string", "integer", "boolean", "datetime", "enum"].map((type) =>
  `/data/custom_field/${type}_value`
)
/** An account names a person as an address does. */
const user = ["/data/email", "/data/name", "/data/issuer", "/data/subject"]
const person = ["/data/name", "/data/email", "/data/identities"]
/** A reply of a mail server repeats the address. */
const mail = ["/data/recipient", "/data/reply"]
/** People name their passkeys, often after their machines and themselves. */
const passkey = ["/data/name"]

const pointers: ReadonlyMap<EventKind, ReadonlyArray<string>> = new Map<EventKind, ReadonlyArray<string>>([
  ...wholeLicenseKinds.map((kind) => [kind, owner] as const),
  ["license.updated", [...owner, ...customField]],
  ["license.activated", [...owner, ...boundDevice]],
  ["license.deactivated", [...owner, ...boundDevice]],
  // The name of one who was erased is nobody's.
  ["customer.created", customer],
  ["customer.updated", [...customer, ...customField]],
  ["customer.deleted", customer],
  ["device.reset", device],
  ["device.blacklisted", device],
  ["device.expired", device],
  ["device.components_changed", boundDevice],
  ["device.renamed", device],
  ["lease.checked_out", boundDevice],
  ["license.user_invited", user],
  ["license.user_joined", user],
  ["license.user_removed", user],
  ["customer.portal_link_mailed", mail],
  ["customer.portal_link_failed", mail],
  ["mail.sent", mail],
  ["mail.failed", mail],
  ["person.created", person],
  ["person.updated", person],
  ["person.removed", person],
  ["person.reinstated", person],
  ["person.invited", person],
  ["passkey.created", passkey],
  ["passkey.updated", passkey],
  ["passkey.deleted", passkey]
])

const none: ReadonlyArray<string> = []

/**
 * JSON Pointers (RFC 6901) to the personal values in the data of an event, which its hash covers by commitments alone. They are
 * declared here and nowhere else, so that every event of a kind keeps the same of them.
 */
export const personalOf = (kind: EventKind): ReadonlyArray<string> => pointers.get(kind) ?? none
