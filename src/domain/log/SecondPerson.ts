import type { JsonObject } from "../ground/wire/CanonicalJson.ts"
import type { EventKind } from "./EventKind.ts"
import type { SecondLookAction } from "./SecondLook.ts"

/**
 * The things that may need a second person, by the events that tell of them. Whichever way leads to such an event, a person whose roles
 * ask for the action does not come there alone. An event that is one of them only sometimes says so itself.
 */
export const lookedAt = {
  "license.revoked": "revoke_license",
  "license.key_rotated": "rotate_license_key",
  "license.transferred": "rotate_license_key",
  // A person who accepts gets a new key.
  "license.transfer_requested": "rotate_license_key",
  "customer.erased": "erase_customer",
  "signing_key.created": "rotate_signing_key",
  "signing_key.revoked": "revoke_signing_key",
  "webhook.secret_rotated": "rotate_webhook_secret",
  "api_key.created": "create_api_key",
  "api_key.rotated": "rotate_api_key",
  "person.created": "change_people",
  "person.updated": "change_people",
  "person.removed": "change_people",
  "person.reinstated": "change_people",
  "person.invited": "change_people",
  "passkey.deleted": "change_people",
  "role.created": "change_roles",
  "role.updated": "change_roles",
  "role.deleted": "change_roles",
  "role.second_look_changed": "change_roles"
} as const satisfies Readonly<Partial<Record<EventKind, SecondLookAction>>>

/** The action that an event is, where a second person may be needed for it. */
export const lookOf = (
  { look, type }: { readonly type: EventKind; readonly look?: SecondLookAction | "none" | undefined }
): SecondLookAction | undefined => {
  const of: Readonly<Partial<Record<EventKind, SecondLookAction>>> = lookedAt
  return look === "none" ? undefined : look ?? of[type]
}

/** The JSON Pointers to the names of the person who approved, and of who opened the session, the same in events of every kind. */
const pointer = "/metadata/approver_name"
const openerPointer = "/metadata/opener_name"

interface EventParts {
  readonly metadata?: JsonObject
  readonly personal?: ReadonlyArray<string>
}

/** An event with the person who approved what it tells, by ID and by the name of that time. */
export const withSecondPerson = <Event extends EventParts>(
  event: Event,
  second: { readonly approvalId: string; readonly id: string; readonly name: string } | undefined
): Event & EventParts =>
  second === undefined ? event : {
    ...event,
    metadata: {
      ...event.metadata,
      approval_id: second.approvalId,
      approved_by: second.id,
      approver_name: second.name
    },
    personal: [...event.personal ?? [], pointer]
  }

/** An event of a session that somebody else opened than it is of, with who that was: a person by ID and name, or an API key by its ID. */
export const withOpener = <Event extends EventParts>(
  event: Event,
  opener: { readonly id: string; readonly name?: string | undefined } | undefined
): Event & EventParts =>
  opener === undefined ? event : {
    ...event,
    metadata: {
      ...event.metadata,
      opened_by: opener.id,
      ...(opener.name === undefined ? {} : { opener_name: opener.name })
    },
    ...(opener.name === undefined ? {} : { personal: [...event.personal ?? [], openerPointer] })
  }
