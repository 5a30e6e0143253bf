import type { Event } from "../../../client/api/index.ts"

/** An event in the format of CloudEvents 1.0, which meters and event buses of others read. */
export interface CloudEvent {
  readonly specversion: "1.0"
  readonly id: string
  readonly source: string
  readonly type: string
  readonly subject?: string
  readonly time: string
  readonly datacontenttype: "application/json"
  /** An extension attribute: the cursor to go on from. Those of CloudEvents have no numbers beyond 32 bits. */
  readonly cursor: string
  readonly data: Event["data"]
}

/** The time of a use that a backend reported; other events have none beside their own. */
const usedAt = ({ data, event_type }: Event): string | undefined =>
  event_type === "license.usage_recorded" && "used_at" in data && typeof data.used_at === "string"
    ? data.used_at
    : undefined

/** An event of the feed as a CloudEvent. `source` and `id` name it once and for all, so that a meter counts it once. */
export const cloudEventOf = (event: Event, cursor: number): CloudEvent => ({
  specversion: "1.0",
  id: event.id,
  source: `urn:countersign:${event.environment ?? "live"}`,
  type: event.event_type,
  ...(event.resource_id == null ? {} : { subject: event.resource_id }),
  time: usedAt(event) ?? event.created_at,
  datacontenttype: "application/json",
  cursor: String(cursor),
  data: event.data
})
