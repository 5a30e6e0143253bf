import type { JsonObject } from "../wire/CanonicalJson.ts"

/** The JSON Pointer to the name of the person who approved, the same in events of every kind. */
const pointer = "/metadata/approver_name"

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
