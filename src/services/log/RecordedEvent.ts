import type { EventKind } from "../../domain/log/EventKind.ts"
import { withhold } from "../../domain/log/EventLeaf.ts"
import { personalOf } from "../../domain/log/PersonalMembers.ts"
import type { JsonObject } from "../../domain/ground/wire/CanonicalJson.ts"
import { canonicalJson } from "../../domain/ground/wire/CanonicalJson.ts"
import type { Cryptography } from "../ground/platform/Cryptography.ts"
import { activityOf } from "./ActivityRecorder.ts"
import type { NewActivity } from "./ActivityRecorder.ts"
import type { RecordValues } from "./EventRecordSql.ts"
import type { Actor, Origin } from "./Provenance.ts"

/** An event as it was recorded: what happened, by whom, and at whose request. */
export interface EventToRecord {
  readonly id: string
  readonly type: EventKind
  readonly resourceId: string
  /** The resource after the change. */
  readonly data: object
  readonly metadata?: JsonObject
  /** JSON Pointers (RFC 6901) to personal values outside the data, for which {@link personalOf} has them. */
  readonly personal?: ReadonlyArray<string>
  readonly actor: Pick<Actor, "type" | "id">
  readonly origin: Origin
}

/** The row of `event_records` of an event, whose personal values are withheld, and the activity that goes with it. */
export const recordedEvent = (
  { randomBytes, sha256 }: Pick<Cryptography["Service"], "randomBytes" | "sha256">,
  event: EventToRecord
): { readonly values: RecordValues; readonly activity: NewActivity | undefined } => {
  const { actor, id, origin } = event
  const pointers = ["/ip_address", ...personalOf(event.type), ...(event.personal ?? [])]
  const { leaf, personal } = withhold(
    {
      metadata: event.metadata ?? {},
      // A resource of the contract, whose type has no index.
      data: event.data as JsonObject,
      ...(origin.ipAddress === undefined ? {} : { ip_address: origin.ipAddress })
    },
    pointers,
    pointers.map(() => randomBytes(16)),
    sha256
  )
  return {
    values: {
      id,
      event_type: event.type,
      actor_type: actor.type,
      actor_id: actor.id,
      resource_id: event.resourceId,
      metadata: canonicalJson(leaf.metadata),
      data: canonicalJson(leaf.data),
      commitments: leaf.commitments === undefined ? null : JSON.stringify(leaf.commitments),
      personal: Object.keys(personal).length === 0 ? null : JSON.stringify(personal),
      request_id: origin.requestId ?? null,
      traceparent: origin.traceparent ?? null
    },
    activity: activityOf({ ...event, requestId: origin.requestId })
  }
}
