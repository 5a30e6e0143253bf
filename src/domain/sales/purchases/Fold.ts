import type { CustomerFact, Fact, Link, OrderFact, Origin, PurchaseName, SubscriptionFact } from "../providers/Fact.ts"
import type { Payer, PaymentFact } from "../providers/Fact.ts"
import type { Provider } from "../providers/Provider.ts"
import { isBeginning, linksOf, objectsAbout } from "../providers/ProviderEvent.ts"
import type { TellingEvent } from "../providers/ProviderEvent.ts"
import { byText, earliest } from "../providers/SourceTime.ts"
import type { SourceTime } from "../providers/SourceTime.ts"
import { byInstant, inOrder } from "./FactOrder.ts"
import type { DatedFact } from "./FactOrder.ts"
import { moneyOfOrder, moneyOfSubscription } from "./Money.ts"
import { definedOf } from "./PurchaseState.ts"
import type { Note, PurchaseState, Slot } from "./PurchaseState.ts"
import { heldSlots, slotsAfter } from "./Slots.ts"
import type { SlotsSince } from "./Slots.ts"

/** The facts of one kind, sorted by instant. */
type OfKind = <Kind extends Fact["kind"]>(
  kind: Kind
) => ReadonlyArray<DatedFact<Extract<Fact, { readonly kind: Kind }>>>

/** A fact, with the quantity of the order that begins its subscription where it does not say how many. */
const counted = (ordered: number | undefined) => (dated: DatedFact<Fact>): DatedFact<Fact> => {
  const { fact } = dated
  if (fact.kind !== "subscription" || fact.items?.some(({ uncounted }) => uncounted === true) !== true) return dated
  const items = fact.items.map(({ uncounted, ...item }) =>
    uncounted === true ? { ...item, quantity: ordered ?? item.quantity } : item
  )
  return { ...dated, fact: { ...fact, items } }
}

/** The facts that concern a purchase: every event once, whatever repeats it. */
export const factsAbout = (purchase: PurchaseName, events: ReadonlyArray<TellingEvent>) => {
  const once = [...new Map(events.map((event) => [event.id, event])).values()]
  const links = once.flatMap(linksOf)
  const objects = objectsAbout(purchase, links)
  const told: ReadonlyArray<DatedFact<Fact>> = once.flatMap(({ facts, id, occurred_at }) =>
    facts.filter(({ about }) => objects.has(about)).map((fact) => ({ fact, at: occurred_at, event_id: id }))
  ).toSorted(byInstant)
  const ordered = told.flatMap(({ fact }) => fact.kind === "order" ? fact.items.slice(0, 1) : []).at(-1)
  const dated = told.map(counted(ordered?.quantity))
  const ofKind = ((kind) => dated.filter(({ fact }) => fact.kind === kind)) as OfKind
  return { dated, ofKind, links, once }
}

const isOver = (state: PurchaseState["state"]): boolean => state === "canceled" || state === "incomplete_expired"

/** What the states of a subscription come to. */
interface Lived extends
  Pick<
    PurchaseState,
    | "state"
    | "said"
    | "slots"
    | "trial_end"
    | "cancel_at"
    | "canceled_at"
    | "ended_at"
    | "end_reason"
    | "collection_paused"
    | "by_invoice"
  >
{
  readonly payer: Payer | undefined
  readonly origin: Origin
  readonly lacksItems: boolean
  readonly isDue: boolean
  /** Since when its own word is that it is not paid. */
  readonly due_since: SourceTime | undefined
  readonly notes: ReadonlyArray<Note>
}

const unborn: Lived = {
  state: undefined,
  slots: [],
  payer: undefined,
  origin: {},
  lacksItems: false,
  isDue: false,
  due_since: undefined,
  notes: []
}

const noteOf = (dated: DatedFact<unknown>, note: string, detail?: string): Note => ({
  note,
  at: dated.at,
  ...(detail === undefined ? {} : { detail }),
  event_id: dated.event_id
})

/** The next state. What is over stays over, whatever is said later, unless the provider takes it up again by its id. */
const lived = (before: Lived, dated: DatedFact<SubscriptionFact>): Lived => {
  const { fact } = dated
  if (isOver(before.state) && !isOver(fact.state ?? before.state) && fact.reopens !== true) {
    return { ...before, notes: [...before.notes, noteOf(dated, "came_after_the_end", fact.said)] }
  }
  const state = fact.state ?? before.state
  return {
    state,
    said: fact.said,
    slots: fact.items === undefined ? before.slots : slotsAfter(before.slots, fact.items, dated.at),
    trial_end: fact.trial_end ?? before.trial_end,
    cancel_at: fact.cancel_at,
    canceled_at: fact.canceled_at,
    ended_at: fact.ended_at,
    end_reason: fact.end_reason,
    collection_paused: fact.collection_paused,
    by_invoice: fact.by_invoice,
    payer: fact.payer ?? before.payer,
    origin: { ...before.origin, ...definedOf(fact.origin ?? {}) },
    isDue: fact.is_due === true,
    due_since: state === "past_due" || state === "unpaid" ? before.due_since ?? dated.at : undefined,
    lacksItems: fact.items === undefined ? fact.lacks_items === true || before.lacksItems : false,
    notes: fact.state === undefined ? [...before.notes, noteOf(dated, "unknown_status", fact.said)] : before.notes
  }
}

/** The order as it stands: paid once it was, whatever a late word of a wait says. */
const orderOf = (orders: ReadonlyArray<DatedFact<OrderFact>>): DatedFact<OrderFact> | undefined =>
  orders.findLast(({ fact }) => fact.state === "paid") ?? orders.findLast(({ fact }) => fact.state === "failed") ??
    orders.at(-1)

/** The slots of an order. Where its own events name no price, its invoice does. */
const slotsOfOrder = (
  order: DatedFact<OrderFact>,
  orders: ReadonlyArray<DatedFact<OrderFact>>,
  payments: ReadonlyArray<DatedFact<PaymentFact>>
): ReadonlyArray<Slot> => {
  const since = orders[0]!.at
  const slots = slotsAfter([], order.fact.items, since)
  const isNamed = slots.every(({ price, product, variant }) => (price ?? product ?? variant) !== undefined)
  const items = payments.flatMap(({ fact }) => fact.state === "paid" ? [fact.items ?? []] : []).findLast((found) =>
    found.length > 0
  )
  return isNamed || items === undefined ? slots : slotsAfter(slots, items, since)
}

/** Whether a payment failed that was not made up for since. */
const hasFailed = (payments: ReadonlyArray<DatedFact<PaymentFact>>): boolean => {
  const settled = new Set(payments.filter(({ fact }) => fact.state !== "failed").map(({ fact }) => fact.about))
  return payments.some(({ fact }) => !settled.has(fact.about))
}

/** Providers that begin the next period before it is paid. */
const advancing: ReadonlySet<Provider> = new Set(["stripe", "paddle"])

/** The slots of a subscription that are held after each state that is told of it, in the order of these. */
export const slotsSince = (facts: ReadonlyArray<DatedFact<SubscriptionFact>>): SlotsSince => {
  let life = unborn
  return facts.map((dated) => {
    life = lived(life, dated)
    return { at: dated.at, slots: heldSlots(life.slots) }
  })
}

/** Who pays: by the last that is said of the customer, and of the purchase. */
const payerOf = (
  own: Payer | undefined,
  subscriptions: ReadonlyArray<DatedFact<SubscriptionFact>>,
  orders: ReadonlyArray<DatedFact<OrderFact>>,
  customers: ReadonlyArray<DatedFact<CustomerFact>>
): Payer => {
  const id = own?.id ?? orders.findLast(({ fact }) => fact.payer?.id !== undefined)?.fact.payer?.id
  const named = customers.filter(({ fact }) => id === undefined || fact.about === `customer/${id}`)
  const said = [...subscriptions, ...orders, ...named].toSorted(byInstant).map(({ fact }) => fact.payer ?? {})
  const lastOf = (member: "email" | "name") => said.findLast((payer) => payer[member] !== undefined)?.[member]
  return definedOf({
    id: id ?? said.findLast((payer) => payer.id !== undefined)?.id,
    email: lastOf("email"),
    name: lastOf("name")
  })
}

/** When a purchase began: by its own account, or by the first that is known of it. */
const beganAt = (facts: ReadonlyArray<DatedFact<SubscriptionFact | OrderFact>>): SourceTime | undefined =>
  earliest(facts.map(({ fact }) => fact.began_at)) ?? facts[0]?.at

/** What is told of a purchase beside its state. */
const notesAbout = (dated: ReadonlyArray<DatedFact<Fact>>): ReadonlyArray<Note> =>
  dated.flatMap((one): ReadonlyArray<Note> => {
    const { fact } = one
    switch (fact.kind) {
      case "note":
        return [noteOf(one, fact.note, fact.detail)]
      case "payment":
        return [noteOf(one, fact.state === "paid" ? "paid" : `payment_${fact.state}`)]
      case "refund":
        return [noteOf(one, `refund_${fact.state}`, fact.full === true ? "full" : undefined)]
      case "dispute":
        return [noteOf(one, `dispute_${fact.state}`, fact.said)]
      default:
        return []
    }
  })

const keyOf = ({ at, event_id, note }: Note): string => `${at} ${event_id} ${note}`

const byNote = (a: Note, b: Note): number => byText(keyOf(a), keyOf(b))

const originOf = (dated: ReadonlyArray<DatedFact<Extract<Fact, { readonly kind: "origin" }>>>): Origin =>
  Object.assign({}, ...dated.map(({ fact }) => definedOf(fact.origin)))

/**
 * A state with what the state before has of no event: what a person said of it, and its instant, which never goes back, although an event that
 * told a later one was erased.
 */
export const since = (state: PurchaseState, before: PurchaseState | null): PurchaseState => {
  const kept = before?.is_apart === true ? { ...state, is_apart: before.is_apart } : state
  return before === null || before.source_updated_at <= state.source_updated_at
    ? kept
    : { ...kept, source_updated_at: before.source_updated_at }
}

/**
 * What a purchase has become by all events that are known of it: the same for every order in which they arrived, and for
 * every repeat. Events that concern other purchases alone may be among them; a payment, refund or dispute counts as
 * soon as the links are there that lead from it to the purchase.
 */
export const fold = (
  provider: Provider,
  purchase: PurchaseName,
  events: ReadonlyArray<TellingEvent>
): PurchaseState => {
  const { links, ofKind, once, dated } = factsAbout(purchase, events)
  // Nothing leads from one subscription to another purchase: all that is said of one is of this.
  const ordered = inOrder(ofKind("subscription"))
  const orders = ofKind("order")
  const payments = ofKind("payment")
  const life = ordered.facts.reduce(lived, unborn)
  const isSubscription = ordered.facts.length > 0
  const order = orderOf(orders.filter(({ fact }) => fact.about === purchase))
  const slots = order === undefined ? life.slots : slotsOfOrder(order, orders, payments)
  const ownState = life.state === "active" && life.isDue && hasFailed(payments) ? "past_due" : life.state
  const state = order === undefined ? ownState : order.fact.state
  const facts = {
    payments,
    orders,
    refunds: ofKind("refund"),
    disputes: ofKind("dispute"),
    links: links as ReadonlyArray<Link>
  }
  const money = order === undefined
    ? moneyOfSubscription(facts, {
      slots,
      held: heldSlots(slots),
      dueness: { state, isAdvancing: advancing.has(provider), due_since: life.due_since },
      since: slotsSince(ordered.facts)
    })
    : moneyOfOrder(facts)
  const { due_since: _due, isDue: _isDue, lacksItems, notes, payer, ...rest } = life
  const began = beganAt(order === undefined ? ordered.facts : orders)
  return definedOf<PurchaseState>({
    provider,
    purchase,
    ...rest,
    kind: isSubscription ? "subscription" : order === undefined ? undefined : "order",
    state,
    said: order?.fact.said ?? life.said,
    slots,
    payer: payerOf(payer, ordered.facts, orders, ofKind("customer")),
    origin: { ...originOf(ofKind("origin")), ...definedOf(order?.fact.origin ?? {}), ...life.origin },
    is_beginning: isBeginning(purchase, links) ? true : undefined,
    began_at: began,
    ...money,
    source_updated_at: once.map(({ occurred_at }) => occurred_at).toSorted().at(-1) ?? "1970-01-01T00:00:00.000000000Z",
    ambiguous: ordered.ambiguous || lacksItems,
    notes: [...notesAbout(dated), ...notes].toSorted(byNote)
  })
}
