import type { JsonObject } from "../ground/wire/CanonicalJson.ts"

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
