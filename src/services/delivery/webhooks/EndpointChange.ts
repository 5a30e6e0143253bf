import type { WebhookEndpointUpdate } from "../../../domain/delivery/webhooks/Webhook.ts"
import type { SealedHeaders } from "./SealedHeaders.ts"

/** The settings of an endpoint. */
export interface EndpointSettings {
  readonly name: string
  readonly url: string
  readonly event_types: ReadonlyArray<string>
  readonly ordered: boolean
  readonly is_active: boolean
}

/** An endpoint as it is locked for a change, its headers sealed. */
export interface LockedEndpoint extends EndpointSettings {
  readonly headers: Uint8Array | null
}

/** The changed settings of an endpoint: only those that differ. */
export type EndpointChange = Partial<EndpointSettings> & { readonly headers?: SealedHeaders }

const isSameList = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): boolean =>
  one.length === other.length && one.every((value, index) => value === other[index])

/** The changes of an update: a value that is set already is no change. */
export const changeOf = (
  before: EndpointSettings,
  { event_types, is_active, name, ordered, url }:
    & Pick<WebhookEndpointUpdate, "event_types" | "is_active" | "name" | "ordered">
    & { readonly url: string | undefined }
): EndpointChange => {
  const kinds = event_types === undefined ? before.event_types : [...new Set(event_types)]
  return {
    ...(name === undefined || name === before.name ? {} : { name }),
    ...(url === undefined || url === before.url ? {} : { url }),
    ...(isSameList(kinds, before.event_types) ? {} : { event_types: kinds }),
    ...(ordered === undefined || ordered === before.ordered ? {} : { ordered }),
    ...(is_active === undefined || is_active === before.is_active ? {} : { is_active })
  }
}
