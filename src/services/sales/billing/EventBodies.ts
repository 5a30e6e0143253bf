import { Context, Effect, Layer, Metric, Result } from "effect"
import { Hex } from "effect/encoding"
import { erasedFacts, isPayer } from "../../../domain/sales/billing/ErasedFacts.ts"
import type { Provider } from "../../../domain/sales/providers/Provider.ts"
import { linksOf, objectsOf } from "../../../domain/sales/providers/ProviderEvent.ts"
import type { ProviderEvent } from "../../../domain/sales/providers/ProviderEvent.ts"
import { bodiesOf, readEvents, tellingOf } from "../../../domain/sales/providers/ReadEvents.ts"
import { Database, inTransaction } from "../../ground/persistence/Database.ts"
import { Cryptography } from "../../ground/platform/Cryptography.ts"
import { fromStart } from "../../ground/platform/SeriesFromStart.ts"
import type { Vault } from "../../keys/security/Vault.ts"
import { deleteSilent, lockOldBodies, slice, updateToFacts } from "./EventBodySql.ts"
import { deletePayerObjects } from "./InboxSql.ts"
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

const unreadable = fromStart(Metric.gauge("countersign_billing_events_unreadable", {
  description:
    "Events of payment providers that are past their time and whose bodies stay, because this version cannot " +
    "read them, as the node that prunes last saw it."
}))

/**
 * Bodies of events of payment providers, which hold more of people than purchases need, and are most of what grows. Once
 * one is past its time, what was read of it is kept in its place: each look at a purchase folds all of its events, however
 * old. One that leads to no purchase keeps nothing of who it tells of, and one that says nothing goes as a whole.
 */
export class EventBodies extends Context.Service<EventBodies, {
  /**
   * Takes away bodies that came longer ago than so many days, in slices that are transactions of their own; answers how many.
   * Those that this version cannot read stay, are counted and logged.
   */
  readonly prune: (days: number) => Effect.Effect<number>
}>()("countersign/services/sales/billing/EventBodies") {
  static readonly layer = Layer.effect(
    EventBodies,
    Effect.gen(function*() {
      const sql = yield* Database
      const crypto = yield* Cryptography
      const digest = (body: Uint8Array) => Hex.encode(crypto.sha256(body))

      /** Takes the bodies of one slice away; answers how many, and where the next slice begins. */
      const pruneSlice = (days: number, after: bigint) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const rows = yield* lockOldBodies(sql, days, after)
            // A body that this version cannot read stays: the next one may.
            const told = rows.flatMap((row) => {
              const event = tellingOf(row.provider, row, digest)
              return event === undefined ? [] : [{ ...row, said: event.facts }]
            })
            yield* updateToFacts(
              sql,
              told.map(({ leads, said, sequence }) => ({
                sequence,
                // A person who has bought nothing is nobody's customer here.
                facts: JSON.stringify(leads ? said : erasedFacts(said, () => false))
              }))
            )
            yield* deletePayerObjects(sql, told.flatMap(({ leads, sequence }) => leads ? [] : [sequence]))
            return {
              pruned: told.length,
              left: rows.length - told.length,
              next: rows.length === slice ? rows.at(-1)?.sequence : undefined
            }
          })
        )

      const prune = Effect.fn("EventBodies.prune")(function*(days: number) {
        let all = 0
        let left = 0
        for (let after: bigint | undefined = 0n; after !== undefined;) {
          const found: Effect.Success<ReturnType<typeof pruneSlice>> = yield* pruneSlice(days, after)
          all += found.pruned
          left += found.left
          after = found.next
        }
        while ((yield* deleteSilent(sql, days)).length === slice);
        yield* Metric.update(unreadable, left)
        if (left > 0) {
          yield* Effect.logWarning("Events of payment providers stay whole: this version cannot read their bodies", {
            events: left
          })
        }
        return all
      })

      return EventBodies.of({ prune })
    })
  )
}
