import * as Result from "effect/Result"
import type { Fact } from "./Fact.ts"
import type { Provider } from "./Provider.ts"
import type { TellingEvent } from "./ProviderEvent.ts"
import { readEvents } from "./ReadEvents.ts"
import type { SourceTime } from "./SourceTime.ts"

/**
 * An event as it is kept: with the body as it came, which is read anew by each version of the service, or later with what
 * was read of it once.
 */
export interface KeptEvent {
  readonly event_id: string
  readonly occurred_at: SourceTime
  readonly body: Uint8Array | null
  readonly facts: ReadonlyArray<Fact> | null
}

const text = new TextDecoder()

/** What a kept event tells; undefined where its body cannot be read any more. `digest` is the lower-case hex of SHA-256. */
export const tellingOf = (
  provider: Provider,
  { body, event_id, facts, occurred_at }: KeptEvent,
  digest: (body: Uint8Array) => string
): TellingEvent | undefined => {
  if (body === null) return { id: event_id, occurred_at, facts: facts ?? [] }
  const read = readEvents(provider, JSON.parse(text.decode(body)), digest(body))
  if (Result.isFailure(read)) return undefined
  // The identity of some is a digest of their body, which an erasure has written anew.
  const [only, ...others] = read.success
  return only !== undefined && others.length === 0
    ? { ...only, id: event_id }
    : read.success.find(({ id }) => id === event_id)
}
