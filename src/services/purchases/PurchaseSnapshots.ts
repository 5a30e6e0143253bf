import { Context, Effect, Layer } from "effect"
import { erasedBody } from "../../domain/billing/ErasedBody.ts"
import type { Link, PurchaseName } from "../../domain/providers/Fact.ts"
import type { Provider } from "../../domain/providers/Provider.ts"
import { linksOf, objectsAbout, objectsOf, purchasesOf } from "../../domain/providers/ProviderEvent.ts"
import type { ProviderEvent } from "../../domain/providers/ProviderEvent.ts"
import { fold } from "../../domain/purchases/Fold.ts"
import { differences, isOwed } from "../../domain/reconciling/Difference.ts"
import type { ComparedMember } from "../../domain/reconciling/Difference.ts"
import type { JsonObject } from "../../domain/wire/CanonicalJson.ts"
import { insertEvents } from "../billing/InboxSql.ts"
import { storedOf } from "../billing/StoredEvents.ts"
import { Database } from "../persistence/Database.ts"
import { Cryptography } from "../platform/Cryptography.ts"
import { makeKnownEvents } from "./KnownEvents.ts"
import { listLinksFrom } from "./RoutingSql.ts"
import { findCompared } from "./SnapshotSql.ts"

/** What was read of an object at a provider: an event of the inbox like any other, and what it says. */
export interface Snapshot {
  readonly body: Uint8Array
  readonly events: ReadonlyArray<ProviderEvent>
}

/** A purchase as it is known here, beside what its provider says of it. */
export interface Compared {
  readonly name: PurchaseName
  readonly finding: "same" | "missing" | "differs"
  /** In what it differs. */
  readonly members: ReadonlyArray<ComparedMember>
  /** Whether the purchase itself was read, and not what was paid for it alone. */
  readonly isRead: boolean
  /** What is to be stored, so that it is the same. */
  readonly snapshots: ReadonlyArray<Snapshot>
}

/** The connection that was read by. */
interface ReadConnection {
  readonly id: string
  readonly provider: Provider
}

const utf8 = new TextEncoder()
const text = new TextDecoder()

/** How many purchases are compared at once. */
const atOnce = 4

const eventsIn = (snapshots: ReadonlyArray<Snapshot>): ReadonlyArray<ProviderEvent> =>
  snapshots.flatMap(({ events }) => events)

/**
 * Compares what was read at a provider with what its events have told, by the fold: of a purchase that is another one with
 * what was read, that is stored as events of the inbox. Nothing but the fold makes a state of them, so that an event that
 * is newer than what was read holds, whenever it comes.
 */
export class PurchaseSnapshots extends Context.Service<PurchaseSnapshots, {
  /** The purchases that bodies tell of, each as it is. Those of which nothing is known and nothing is owed are left out. */
  readonly compare: (
    connection: ReadConnection,
    bodies: ReadonlyArray<JsonObject>
  ) => Effect.Effect<ReadonlyArray<Compared>>
  /** Stores what was read, in the surrounding transaction. `isRouted`: who stores it looks at the purchase. */
  readonly store: (
    connectionId: string,
    snapshots: ReadonlyArray<Snapshot>,
    isRouted?: boolean
  ) => Effect.Effect<void>
}>()("countersign/services/purchases/PurchaseSnapshots") {
  static readonly layer = Layer.effect(
    PurchaseSnapshots,
    Effect.gen(function*() {
      const sql = yield* Database
      const crypto = yield* Cryptography
      const known = makeKnownEvents(sql, crypto)

      const snapshotOf = (provider: Provider, json: string): Snapshot => {
        const body = utf8.encode(json)
        return { body, events: known.read(provider, body) }
      }

      /** Without what is personal, where the customer was erased: nothing brings that back. */
      const allowed = (provider: Provider, isErased: boolean, snapshots: ReadonlyArray<Snapshot>) =>
        isErased ? snapshots.map(({ body }) => snapshotOf(provider, erasedBody(text.decode(body)))) : snapshots

      const compareOne = Effect.fnUntraced(function*(
        { id, provider }: ReadConnection,
        name: PurchaseName,
        read: ReadonlyArray<Snapshot>,
        links: ReadonlyArray<Link>
      ) {
        const [purchase] = yield* findCompared(sql, id, name)
        const had = yield* known.about({ connection_id: id, name, provider })
        const ids = new Set(had.map((event) => event.id))
        const isNew = ({ events }: Snapshot) => events.some((event) => !ids.has(event.id))
        const fresh = allowed(provider, purchase?.is_erased === true, read).filter(isNew)
        const before = fold(provider, name, had)
        const after = fold(provider, name, [...had, ...eventsIn(fresh)])
        const isRead = eventsIn(read).some(({ facts }) =>
          facts.some(({ about, kind }) => about === name && kind !== "link")
        )
        if (after.kind === undefined) return []
        if (before.kind === undefined) {
          return isOwed(after) ? [{ name, finding: "missing", members: [], isRead, snapshots: fresh } as const] : []
        }
        const members = differences(before, after)
        if (members.length > 0) return [{ name, finding: "differs", members, isRead, snapshots: fresh } as const]
        // What leads to it is kept, although nothing follows from it yet: a refund will be told of a payment.
        const isLinked = new Set(links.map(({ about, to }) => `${about} ${to}`))
        const leads = ({ events }: Snapshot) =>
          events.flatMap(linksOf).some(({ about, to }) => !isLinked.has(`${about} ${to}`))
        return [{ name, finding: "same", members, isRead, snapshots: fresh.filter(leads) } as const]
      })

      const compare = Effect.fnUntraced(function*(connection: ReadConnection, bodies: ReadonlyArray<JsonObject>) {
        const read = bodies.map((body) => snapshotOf(connection.provider, JSON.stringify(body)))
        const objects = [...new Set(eventsIn(read).flatMap(objectsOf))]
        if (objects.length === 0) return []
        const stored = yield* listLinksFrom(sql, connection.id, objects)
        const links = [...stored, ...eventsIn(read).flatMap(linksOf)]
        const names = new Set(objects.flatMap((object) => purchasesOf(object, links)))
        const compared = yield* Effect.forEach(names, (name) => {
          const about = objectsAbout(name, links)
          const own = read.filter(({ events }) => events.flatMap(objectsOf).some((object) => about.has(object)))
          return compareOne(connection, name, own, stored)
        }, { concurrency: atOnce })
        return compared.flat()
      })

      const store = (connectionId: string, snapshots: ReadonlyArray<Snapshot>, isRouted = false) =>
        Effect.forEach(
          snapshots,
          ({ body, events }) => insertEvents(sql, { connectionId, body, events: events.map(storedOf), isRouted }),
          { discard: true }
        )

      return PurchaseSnapshots.of({ compare, store })
    })
  )
}
