import { Effect, Result } from "effect"
import { Hex } from "effect/encoding"
import type { PurchaseShown } from "../../../domain/sales/billing/Purchase.ts"
import type { PurchaseRow } from "../../../domain/sales/billing/PurchaseView.ts"
import type { Provider } from "../../../domain/sales/providers/Provider.ts"
import type { ProviderEvent } from "../../../domain/sales/providers/ProviderEvent.ts"
import { objectsAbout } from "../../../domain/sales/providers/ProviderEvent.ts"
import { readEvents, tellingOf } from "../../../domain/sales/providers/ReadEvents.ts"
import { wireTime } from "../../../domain/sales/providers/SourceTime.ts"
import type { Database } from "../../ground/persistence/Database.ts"
import type { Cryptography } from "../../ground/platform/Cryptography.ts"
import { listEventsAbout, listLinksTo, listShownAbout } from "./RoutingSql.ts"
import type { EventShown } from "./RoutingSql.ts"

/** How many events a purchase is shown with. */
const shownEvents = 500

/** The name of a purchase, and the connection that it came by. */
type Named = Pick<PurchaseRow, "connection_id" | "name">

const eventOf = ({ api_version, id, occurred_at, received_at, type }: EventShown): PurchaseShown["events"][number] => ({
  id,
  type,
  occurred_at: wireTime(occurred_at),
  received_at: received_at.toISOString(),
  ...(api_version === null ? {} : { api_version })
})

/** Finds what leads to a purchase: its objects at the provider, and the events about them. */
export const makePurchaseStory = (sql: Database) => {
  /** The objects whose events concern a purchase, by all links that are known. */
  const objects = Effect.fnUntraced(function*({ connection_id, name }: Named) {
    const links = yield* listLinksTo(sql, connection_id, name)
    return [...objectsAbout(name, links)]
  })

  /** The last events of a purchase, as they are shown. */
  const shown = Effect.fnUntraced(function*(purchase: Named) {
    const rows = yield* listShownAbout(sql, {
      connectionId: purchase.connection_id,
      objects: yield* objects(purchase),
      limit: shownEvents
    })
    return rows.map(eventOf)
  })

  return { objects, shown }
}

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
