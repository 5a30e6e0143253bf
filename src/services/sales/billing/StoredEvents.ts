import { Result } from "effect"
import { Hex } from "effect/encoding"
import { isPayer } from "../../../domain/sales/billing/ErasedFacts.ts"
import type { Provider } from "../../../domain/sales/providers/Provider.ts"
import { linksOf, objectsOf } from "../../../domain/sales/providers/ProviderEvent.ts"
import type { ProviderEvent } from "../../../domain/sales/providers/ProviderEvent.ts"
import { bodiesOf, readEvents } from "../../../domain/sales/providers/ReadEvents.ts"
import type { Vault } from "../../keys/security/Vault.ts"
import type { ForgettablePayer, StoredEvent } from "./InboxSql.ts"

const utf8 = new TextEncoder()

/** A keyed hash of the name of a payer who was erased: by it nobody is found, but known when they are told of again. */
export const payerDigest = (vault: Vault["Service"], system: string, payer: string): string =>
  Hex.encode(vault.keyedHash("erased-payer", `${system} ${payer}`))

/**
 * An event as it is stored, with its body. Without one, and where it says nothing that this service knows, what was read of it
 * is kept instead: no erasure would find whom such a body tells of.
 */
export const storedOf = (event: ProviderEvent, body: Uint8Array | null): StoredEvent => {
  const isKept = body !== null && event.facts.length > 0
  return {
    event_id: event.id,
    type: event.type,
    occurred_at: event.occurred_at,
    api_version: event.api_version,
    body: isKept ? body : null,
    facts: isKept ? null : event.facts,
    objects: objectsOf(event),
    links: linksOf(event).map(({ about, to }) => ({ about, to }))
  }
}

/** The payers of an event that is about them and nothing else. */
export const payersAlone = (
  vault: Vault["Service"],
  system: string,
  { objects }: Pick<StoredEvent, "objects">
): ReadonlyArray<ForgettablePayer> =>
  objects.every(isPayer) ? objects.map((object) => ({ object, digest: payerDigest(vault, system, object) })) : []

/**
 * The events of a body that was received, each with bytes of its own: events of one body may be of different people, and one
 * of them may be erased.
 */
export const storedAlone = (
  provider: Provider,
  { body, events, json }: {
    readonly body: Uint8Array
    readonly json: unknown
    readonly events: ReadonlyArray<ProviderEvent>
  }
): ReadonlyArray<StoredEvent> => {
  if (events.length <= 1) return events.map((event) => storedOf(event, body))
  const bytesOf = new Map(
    bodiesOf(provider, json).flatMap((part) => {
      const bytes = utf8.encode(JSON.stringify(part))
      return Result.getOrElse(readEvents(provider, part, ""), () => []).map(({ id }) => [id, bytes] as const)
    })
  )
  return events.map((event) => storedOf(event, bytesOf.get(event.id) ?? body))
}
