import { linksOf, objectsOf } from "../../domain/providers/ProviderEvent.ts"
import type { ProviderEvent } from "../../domain/providers/ProviderEvent.ts"
import type { StoredEvent } from "./InboxSql.ts"

/** An event as it is stored beside its body. */
export const storedOf = (event: ProviderEvent): StoredEvent => ({
  event_id: event.id,
  type: event.type,
  occurred_at: event.occurred_at,
  api_version: event.api_version,
  objects: objectsOf(event),
  links: linksOf(event).map(({ about, to }) => ({ about, to }))
})
