import { membersOf } from "../ground/parsing/JsonMembers.ts"
import type { JsonObject } from "../ground/wire/CanonicalJson.ts"
import type { EventKind } from "./EventKind.ts"

/** Metadata of an event. The reason that a person gave is not part of it: it has its own column. */
export interface EventMetadata extends JsonObject {
  readonly reason_given?: never
}

/** The JSON Pointer to what a person gave as the reason, the same in events of every kind. */
const pointer = "/metadata/reason_given"

interface EventParts {
  readonly type: EventKind
  readonly metadata?: JsonObject
  readonly personal?: ReadonlyArray<string>
}

/**
 * An event with the reason that a person gave for it. The member is no other's: `reason` of the metadata is what ended a
 * lease. A reason may name a person, so it is erased with the events of the customer that they are about. The reason of an
 * erasure stays: it says what nobody can look up any more.
 */
export const withGivenReason = <Event extends EventParts>(
  event: Event,
  reason: string | undefined
): Event & EventParts =>
  reason === undefined ? event : {
    ...event,
    metadata: { ...event.metadata, reason_given: reason },
    ...(event.type === "customer.erased" ? {} : { personal: [...event.personal ?? [], pointer] })
  }

/** The reason that a person gave for what an event tells; undefined where none was given, or it was erased. */
export const givenReason = (metadata: object | undefined): string | undefined => {
  const reason = membersOf(metadata)["reason_given"]
  return typeof reason === "string" ? reason : undefined
}
