import { Effect, Result } from "effect"
import { Hex } from "effect/encoding"
import type { PurchaseRow } from "../../../domain/sales/billing/PurchaseView.ts"
import type { Provider } from "../../../domain/sales/providers/Provider.ts"
import type { ProviderEvent } from "../../../domain/sales/providers/ProviderEvent.ts"
import { readEvents, tellingOf } from "../../../domain/sales/providers/ReadEvents.ts"
import type { Database } from "../../ground/persistence/Database.ts"
import type { Cryptography } from "../../ground/platform/Cryptography.ts"
import { makePurchaseStory } from "./PurchaseStory.ts"
import { listEventsAbout } from "./RoutingSql.ts"

const text = new TextDecoder()

/** Reads the events of purchases from what is stored of them. */
export const makeKnownEvents = (sql: Database, crypto: Cryptography["Service"]) => {
  const story = makePurchaseStory(sql)
  const digest = (body: Uint8Array) => Hex.encode(crypto.sha256(body))

  /** The events of a body; none where it cannot be read. */
  const read = (provider: Provider, body: Uint8Array): ReadonlyArray<ProviderEvent> => {
    const found = readEvents(provider, JSON.parse(text.decode(body)), digest(body))
    return Result.isFailure(found) ? [] : found.success
  }

  /** All events about a purchase that are known. */
  const about = Effect.fnUntraced(
    function*({ connection_id, name, provider }: Pick<PurchaseRow, "connection_id" | "name" | "provider">) {
      const objects = yield* story.objects({ connection_id, name })
      const rows = yield* listEventsAbout(sql, connection_id, objects)
      return rows.flatMap((row) => tellingOf(provider, row, digest) ?? [])
    }
  )

  return { about, read }
}
