import { Data, Effect } from "effect"
import { Hex } from "effect/encoding"
import { isSameJson } from "../../../domain/ground/wire/CanonicalJson.ts"
import { erasedFacts, erasedState, isPayer } from "../../../domain/sales/billing/ErasedFacts.ts"
import type { PurchaseName } from "../../../domain/sales/providers/Fact.ts"
import { tellingOf } from "../../../domain/sales/providers/ReadEvents.ts"
import { isMappedBy } from "../../../domain/sales/purchases/Mapping.ts"
import type { Mapping } from "../../../domain/sales/purchases/Mapping.ts"
import { Database, ownTransaction } from "../../ground/persistence/Database.ts"
import { Identifiers } from "../../ground/persistence/Identifiers.ts"
import { Cryptography } from "../../ground/platform/Cryptography.ts"
import { Vault } from "../../keys/security/Vault.ts"
import { payerDigest } from "../billing/EventBodies.ts"
import { deleteEvents, updateToFacts } from "../billing/EventBodySql.ts"
import {
  deletePayerLinks,
  deletePayerObjects,
  insertErasedPayers,
  listForgotten,
  lockStoring
} from "../billing/InboxSql.ts"
import {
  findErasure,
  insertWorkOfOthers,
  listErasableConnections,
  listUnmade,
  lockEventsAbout,
  lockPurchasesOf,
  updateErasedPurchase
} from "./ErasedPurchaseSql.ts"
import type { ErasableConnection } from "./ErasedPurchaseSql.ts"
import { makePurchaseStory } from "./KnownEvents.ts"
import type { HeldPurchase } from "./PurchaseSql.ts"
import { insertPurchases } from "./RoutingSql.ts"

/** The customer of a purchase was erased while it was looked at. */
export class ErasedMeanwhile extends Data.TaggedError("ErasedMeanwhile")<{}> {}

/**
 * Erases what purchases, and the events of their providers, tell of a person. Of an event what was read of it stays in the place
 * of its body, without who pays: that is all that a purchase is made of, so that its state is what it was.
 */
export const makeErasedPurchases = Effect.gen(function*() {
  const sql = yield* Database
  const crypto = yield* Cryptography
  const identifiers = yield* Identifiers
  const vault = yield* Vault
  const story = makePurchaseStory(sql)
  const sha256 = (body: Uint8Array) => Hex.encode(crypto.sha256(body))

  /**
   * Erases events, in the surrounding transaction: those about locked purchases of one connection, and those about who pays,
   * unless they pay for somebody else's purchase, too.
   */
  const eraseEvents = Effect.fnUntraced(function*(
    { id, mapping, provider, system }: ErasableConnection,
    purchases: ReadonlyArray<PurchaseName>,
    payers: ReadonlyArray<string> = []
  ) {
    const objects = yield* Effect.forEach(purchases, (name) => story.objects({ connection_id: id, name }))
    const about = new Set(objects.flat())
    const sold = [...about].filter((object) => !isPayer(object))
    const who = [...new Set([...payers, ...[...about].filter(isPayer)])]
    yield* insertErasedPayers(sql, who.map((payer) => payerDigest(vault, system, payer)))
    yield* deletePayerLinks(sql, id, sold)
    const forgotten = (yield* listForgotten(sql, id, who)).map(({ object }) => object)
    const rows = (yield* lockEventsAbout(sql, id, [...sold, ...forgotten])).map((row) => {
      const told = tellingOf(provider, row, sha256)
      return Object.assign({}, row, { told, left: erasedFacts(told?.facts ?? [], isMappedBy(mapping)) })
    })
    const isErased = ({ body, facts, left }: (typeof rows)[number]) => body === null && isSameJson(facts, left)
    const written = rows.filter((row) => !isErased(row))
    if (written.length === 0) return
    const unread = written.filter(({ told }) => told === undefined).length
    if (unread > 0) {
      yield* Effect.logWarning("Events of an erased customer, which this version cannot read, were emptied", {
        events: unread
      })
    }
    yield* updateToFacts(sql, written.map(({ left, sequence }) => ({ sequence, facts: JSON.stringify(left) })))
    yield* deletePayerObjects(sql, written.map(({ sequence }) => sequence))
    // An event that told of who pays alone goes as a whole: its ID may be theirs.
    const isEmpty = ({ left, told }: (typeof rows)[number]) => told !== undefined && left.length === 0
    yield* deleteEvents(sql, written.filter(isEmpty).map(({ sequence }) => sequence))
  })

  /**
   * Makes the purchases that a customer's events tell of and nobody has been told of yet: they are the customer's, too. In a
   * transaction of its own, for a router that makes the same one holds events that an erasure waits for.
   */
  const makeAll = Effect.fnUntraced(function*(customerId: string) {
    const unmade = yield* listUnmade(sql, customerId)
    if (unmade.length === 0) return
    yield* insertPurchases(
      sql,
      unmade.map(({ connection_id, name }) => ({ id: identifiers.next("pur"), connection_id, name }))
    )
  })

  /** Erases the purchases of a customer, and stays with whom they are; answers their ids. */
  const ofCustomer = Effect.fnUntraced(function*(customerId: string) {
    const purchases = yield* lockPurchasesOf(sql, customerId)
    const connections = yield* listErasableConnections(sql, customerId, purchases.map(({ id }) => id))
    for (const connection of connections) {
      const own = purchases.filter(({ connection_id }) => connection_id === connection.id)
      const payers = connection.payer === null ? [] : [connection.payer]
      yield* eraseEvents(connection, own.map(({ name }) => name), payers)
      const isMapped = isMappedBy(connection.mapping)
      for (const { id, state } of own) {
        yield* updateErasedPurchase(sql, id, { customerId, state: state && erasedState(state, isMapped) })
      }
    }
    return purchases.map(({ id }) => id)
  })

  /** Erases what came of a locked purchase since its customer was erased: its provider tells of them again. */
  const since = ({ connection_id, name, provider, system }: HeldPurchase, mapping: Mapping) =>
    eraseEvents({ id: connection_id, provider, system, mapping }, [name])

  /** Refuses to give a purchase to another customer, where its own was erased while it was looked at. */
  const judgeOwner = Effect.fnUntraced(function*({ customer_id }: HeldPurchase, after: string | undefined) {
    if (customer_id === null || after === undefined || after === customer_id) return
    if ((yield* findErasure(sql, customer_id)).length > 0) return yield* new ErasedMeanwhile()
  })

  return {
    judgeOwner,
    makeAll: (customerId: string) => ownTransaction(sql, makeAll(customerId)),
    ofCustomer,
    since,
    /** Waits for the events that are being stored by somebody who does not know yet of what {@link ofCustomer} has committed. */
    settle: ownTransaction(sql, lockStoring(sql).unprepared),
    /**
     * Asks for looks at purchases that became a locked customer's since their purchases were locked. No other will: a look that
     * gives a purchase to a customer locks the customer before it.
     */
    lookAtOthers: (customerId: string, erased: ReadonlyArray<string>) =>
      Effect.asVoid(insertWorkOfOthers(sql, customerId, erased))
  }
})
