import { Context, Effect, Layer } from "effect"
import { Hex } from "effect/encoding"
import type { JsonObject } from "../../../domain/ground/wire/CanonicalJson.ts"
import { erasedFacts } from "../../../domain/sales/billing/ErasedFacts.ts"
import type { Link, ObjectName, PurchaseName } from "../../../domain/sales/providers/Fact.ts"
import type { Provider } from "../../../domain/sales/providers/Provider.ts"
import {
  isBeginning,
  isOnlyAbout,
  linksOf,
  objectsAbout,
  objectsOf,
  purchasesOf
} from "../../../domain/sales/providers/ProviderEvent.ts"
import type { ProviderEvent } from "../../../domain/sales/providers/ProviderEvent.ts"
import { fold } from "../../../domain/sales/purchases/Fold.ts"
import { isMappedBy } from "../../../domain/sales/purchases/Mapping.ts"
import { differences, isOwed } from "../../../domain/sales/reconciling/Difference.ts"
import type { ComparedMember } from "../../../domain/sales/reconciling/Difference.ts"
import type { ToldBody } from "../../../domain/sales/reconciling/DryReads.ts"
import { CurrentEnvironment } from "../../ground/environments/CurrentEnvironment.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { Identifiers } from "../../ground/persistence/Identifiers.ts"
import { Cryptography } from "../../ground/platform/Cryptography.ts"
import { storedOf } from "../billing/EventBodies.ts"
import { insertEvents } from "../billing/InboxSql.ts"
import { makeKnownEvents } from "./KnownEvents.ts"
import { insertReadWork } from "./PurchaseSql.ts"
import { insertPurchases, listLinksFrom, listPurchaseIds } from "./RoutingSql.ts"
import { findCompared, updateReadByName, updateUnrouted } from "./SnapshotSql.ts"

/** An object as it was read at a provider: an event of the inbox like any other, and what it says. */
interface Snapshot {
  /** None where the customer of its purchase was erased: what was read is kept instead, without who pays. */
  readonly body: Uint8Array | null
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
  /** The events that are to be stored, so that it is the same. */
  readonly snapshots: ReadonlyArray<Snapshot>
  /** Whether these concern no other purchase, so that who stores them need tell nobody else. */
  readonly isAlone: boolean
  /** The orders among them that only begin it, and that may have been taken for purchases before that was known. */
  readonly beginnings: ReadonlyArray<PurchaseName>
}

/** The connection that was read by. */
interface ReadConnection {
  readonly id: string
  readonly provider: Provider
}

const utf8 = new TextEncoder()

/** How many purchases are compared at once. */
const atOnce = 4

/** A body whose id has its content in it, where it has one: what an object says next is another event. */
const identified = (body: JsonObject, digest: string): JsonObject => {
  const name = ["id", "event_id"].find((member) => typeof body[member] === "string")
  return name === undefined ? body : { ...body, [name]: `${String(body[name])}_${digest}` }
}

/** Links as an event that nobody has sent. */
const linking = (links: ReadonlyArray<Link>): ProviderEvent => ({
  id: "links",
  type: "links",
  occurred_at: "1970-01-01T00:00:00.000000000Z",
  live: undefined,
  facts: links
})

const eventsIn = (snapshots: ReadonlyArray<Snapshot>): ReadonlyArray<ProviderEvent> =>
  snapshots.flatMap(({ events }) => events)

/**
 * Compares what was read at a provider with what its events have told, by the fold: of a purchase that is another one with
 * what was read, that is stored as events of the inbox. Nothing but the fold makes a state of them, so that an event that
 * is newer than what was read holds, whenever it comes.
 */
export class PurchaseSnapshots extends Context.Service<PurchaseSnapshots, {
  /**
   * The purchases that bodies tell of, each as it is. Those of which nothing is known and nothing is owed are left out. `more`
   * finds the links that were read before and are not stored, whatever the number of steps that lead on from objects.
   */
  readonly compare: (
    connection: ReadConnection,
    bodies: ReadonlyArray<JsonObject>,
    more?: (objects: ReadonlyArray<ObjectName>) => ReadonlyArray<Link>
  ) => Effect.Effect<ReadonlyArray<Compared>>
  /** Bodies with the objects that each is about, and where these lead. */
  readonly toldIn: (provider: Provider, bodies: ReadonlyArray<JsonObject>) => ReadonlyArray<ToldBody>
  /** Stores what was read of a purchase, in the surrounding transaction of who looks at it next. */
  readonly store: (connectionId: string, compared: Compared) => Effect.Effect<void>
  /**
   * The same of who does not look: asks for looks that need not read it again, and answers whose. What concerns other
   * purchases too is told to all of them, as any event is.
   */
  readonly storeForLook: (connectionId: string, compared: Compared) => Effect.Effect<ReadonlyArray<string>>
}>()("countersign/services/sales/purchases/PurchaseSnapshots") {
  static readonly layer = Layer.effect(
    PurchaseSnapshots,
    Effect.gen(function*() {
      const sql = yield* Database
      const crypto = yield* Cryptography
      const identifiers = yield* Identifiers
      const isLive = (yield* CurrentEnvironment) === "live"
      const known = makeKnownEvents(sql, crypto)

      const digestOf = (body: JsonObject): string =>
        Hex.encode(crypto.sha256(utf8.encode(JSON.stringify(body)))).slice(0, 16)

      const snapshotOf = (provider: Provider, json: string): Snapshot => {
        const body = utf8.encode(json)
        return { body, events: known.read(provider, body) }
      }

      /** Without who pays, where the customer was erased: nothing brings that back. */
      const allowed = (purchase: Effect.Success<ReturnType<typeof findCompared>>[number] | undefined) => {
        if (purchase?.is_erased !== true) return (snapshots: ReadonlyArray<Snapshot>) => snapshots
        const isMapped = isMappedBy(purchase.mapping)
        return (snapshots: ReadonlyArray<Snapshot>) =>
          snapshots.flatMap((snapshot): ReadonlyArray<Snapshot> => {
            const events = snapshot.events.map((event) => ({ ...event, facts: erasedFacts(event.facts, isMapped) }))
              .filter(({ facts }) => facts.length > 0)
            return events.length === 0 ? [] : [{ body: null, events }]
          })
      }

      const compareOne = Effect.fnUntraced(function*(
        { id, provider }: ReadConnection,
        name: PurchaseName,
        read: ReadonlyArray<Snapshot>,
        { links, more, stored }: {
          readonly stored: ReadonlyArray<Link>
          readonly more: ReadonlyArray<Link>
          readonly links: ReadonlyArray<Link>
        }
      ) {
        const [purchase] = yield* findCompared(sql, id, name)
        const had = yield* known.about({ connection_id: id, name, provider })
        const ids = new Set(had.map((event) => event.id))
        const isNew = ({ events }: Snapshot) => events.some((event) => !ids.has(event.id))
        const fresh = allowed(purchase)(read).filter(isNew)
        const all = more.length === 0 ? had : [...had, linking(more)]
        const before = fold(provider, name, all)
        const after = fold(provider, name, [...all, ...eventsIn(fresh)])
        const isRead = eventsIn(read).some(({ facts }) =>
          facts.some(({ about, kind }) => about === name && kind !== "link")
        )
        if (after.kind === undefined) return []
        const found = (of: Pick<Compared, "finding" | "members" | "snapshots">): ReadonlyArray<Compared> => {
          const objects = eventsIn(of.snapshots).flatMap(objectsOf)
          const beginnings = objects.filter((object) => isBeginning(object, links))
          return [{ ...of, name, isRead, isAlone: isOnlyAbout(name, objects, links), beginnings }]
        }
        if (before.kind === undefined) {
          return isOwed(after) ? found({ finding: "missing", members: [], snapshots: fresh }) : []
        }
        const members = differences(before, after)
        if (members.length > 0) return found({ finding: "differs", members, snapshots: fresh })
        // Links are kept, although nothing follows from them yet: a refund will be told of a payment.
        const isLinked = new Set(stored.map(({ about, to }) => `${about} ${to}`))
        const leads = ({ events }: Snapshot) =>
          events.flatMap(linksOf).some(({ about, to }) => !isLinked.has(`${about} ${to}`))
        return found({ finding: "same", members, snapshots: fresh.filter(leads) })
      })

      /** The objects of this environment's mode: a key of the provider's test mode tells nothing to the live environment. */
      const snapshotsOf = (provider: Provider, bodies: ReadonlyArray<JsonObject>) =>
        bodies.map((body) => snapshotOf(provider, JSON.stringify(identified(body, digestOf(body)))))
          .filter(({ events }) => events.every(({ live }) => live === undefined || live === isLive))

      const compare = Effect.fnUntraced(function*(
        connection: ReadConnection,
        bodies: ReadonlyArray<JsonObject>,
        more: (objects: ReadonlyArray<ObjectName>) => ReadonlyArray<Link> = () => []
      ) {
        const read = snapshotsOf(connection.provider, bodies)
        const objects = [...new Set(eventsIn(read).flatMap(objectsOf))]
        if (objects.length === 0) return []
        const stored = yield* listLinksFrom(sql, connection.id, objects)
        const before = more(objects)
        const links = [...stored, ...before, ...eventsIn(read).flatMap(linksOf)]
        const names = new Set(objects.flatMap((object) => purchasesOf(object, links)))
        const compared = yield* Effect.forEach(names, (name) => {
          const about = objectsAbout(name, links)
          const own = read.filter(({ events }) => events.flatMap(objectsOf).some((object) => about.has(object)))
          const leading = before.filter(({ to }) => about.has(to))
          return compareOne(connection, name, own, { stored, more: leading, links })
        }, { concurrency: atOnce })
        return compared.flat()
      })

      /** Stores snapshots. Those that are of one purchase are told to others too where a link to them has come meanwhile. */
      const storeAs = Effect.fnUntraced(
        function*(connectionId: string, { name, snapshots }: Compared, isRouted: boolean) {
          if (snapshots.length === 0) return
          const stored = yield* insertEvents(
            sql,
            snapshots.map(({ body, events }) => ({
              connectionId,
              events: events.map((event) => storedOf(event, body))
            })),
            { isRouted }
          )
          if (!isRouted || stored.length === 0) return
          const objects = [...new Set(eventsIn(snapshots).flatMap(objectsOf))]
          const links = yield* listLinksFrom(sql, connectionId, objects)
          if (isOnlyAbout(name, objects, links)) return
          yield* updateUnrouted(sql, connectionId, stored.map(({ event_id }) => event_id))
        }
      )

      const store = (connectionId: string, compared: Compared) =>
        storeAs(connectionId, compared, compared.isAlone && compared.beginnings.length === 0)

      // The purchase is locked before what others may write too: an event that comes waits for no look at it.
      const storeForLook = Effect.fnUntraced(function*(connectionId: string, compared: Compared) {
        const { beginnings, isAlone, isRead, name, snapshots } = compared
        if (!isAlone || snapshots.length === 0) {
          yield* storeAs(connectionId, compared, isAlone)
          return []
        }
        const named = [name, ...beginnings].map((one) => ({ connection_id: connectionId, name: one }))
        yield* insertPurchases(sql, [{ id: identifiers.next("pur"), connection_id: connectionId, name }])
        if (isRead) yield* updateReadByName(sql, connectionId, name)
        yield* storeAs(connectionId, compared, isAlone)
        const ids = (yield* listPurchaseIds(sql, named)).map(({ id }) => id)
        yield* insertReadWork(sql, ids)
        return ids
      })

      const toldIn = (provider: Provider, bodies: ReadonlyArray<JsonObject>) =>
        bodies.map((body): ToldBody => {
          const events = eventsIn(snapshotsOf(provider, [body]))
          return { body, objects: events.flatMap(objectsOf), links: events.flatMap(linksOf) }
        })

      return PurchaseSnapshots.of({ compare, toldIn, store, storeForLook })
    })
  )
}
