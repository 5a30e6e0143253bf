import * as Result from "effect/Result"
import type { JsonObject } from "../../ground/wire/CanonicalJson.ts"
import { amountOf, linksOfInvoice, paidFor, refundFacts } from "./ChargebeeRefunds.ts"
import { periodsOf } from "./Fact.ts"
import type { BilledLine, Fact, Item, Payer, SubscriptionFact, SubscriptionState } from "./Fact.ts"
import { idAt, listAt, memberAt, numberAt, objectAt, quantityAt, textAt, textsAt } from "./JsonMembers.ts"
import type { EventReader } from "./ProviderEvent.ts"
import { unreadable } from "./ProviderEvent.ts"
import type { SourceTime } from "./SourceTime.ts"
import { timeOfSeconds } from "./SourceTime.ts"

const states: Readonly<Record<string, SubscriptionState>> = {
  future: "future",
  in_trial: "trialing",
  active: "active",
  non_renewing: "active",
  paused: "paused",
  cancelled: "canceled",
  transferred: "canceled"
}

/** Changes that are planned, and none yet. */
const planned = /^subscription_(changes|pause|resumption|scheduled_(changes|pause|resumption))_/

const payerOf = (content: JsonObject): Payer => {
  const customer = objectAt(content["customer"])
  const names = [textAt(customer, "first_name"), textAt(customer, "last_name")].filter((name) => name !== undefined)
  return {
    id: idAt(content, "subscription", "customer_id") ?? idAt(customer, "id"),
    email: textAt(customer, "email"),
    name: names.length > 0 ? names.join(" ") : textAt(customer, "company")
  }
}

/** The items: of catalogue 2 a list with plans and addons, of catalogue 1 a plan and its addons. Charges are paid once. */
const itemsOf = (subscription: JsonObject): ReadonlyArray<Item> => {
  const period = {
    period_start: timeOfSeconds(subscription["current_term_start"]) ?? timeOfSeconds(subscription["trial_start"]),
    period_end: timeOfSeconds(subscription["current_term_end"]) ?? timeOfSeconds(subscription["trial_end"])
  }
  const items = listAt(subscription, "subscription_items")
  if (items.length > 0) {
    return items.filter((item) => textAt(item, "item_type") !== "charge").map((item) =>
      withPeriod({
        // A subscription has one plan, whatever its price is: items have no IDs.
        ...(textAt(item, "item_type") === "plan" ? { id: "plan" } : {}),
        price: idAt(item, "item_price_id"),
        quantity: quantityAt(item, "quantity")
      }, period)
    )
  }
  const plan = idAt(subscription, "plan_id")
  if (plan === undefined) return []
  return [
    withPeriod({ id: "plan", price: plan, quantity: quantityAt(subscription, "plan_quantity") }, period),
    ...listAt(subscription, "addons").map((addon) =>
      withPeriod({ price: idAt(addon, "id"), quantity: quantityAt(addon, "quantity") }, period)
    )
  ]
}

const withPeriod = (item: Item, period: Pick<Item, "period_start" | "period_end">): Item => ({ ...item, ...period })

/** Custom fields, which lie beside the others. */
const customFields = (subscription: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(subscription).filter(([name]) => name.startsWith("cf_")))

const rankOf = (type: string): SubscriptionFact["rank"] =>
  type === "subscription_created" ? 0 : /^subscription_(cancell?ed|deleted|moved_out)/.test(type) ? 2 : 1

const subscriptionFacts = (
  type: string,
  content: JsonObject,
  subscription: JsonObject,
  at: SourceTime
): ReadonlyArray<Fact> => {
  const id = idAt(subscription, "id")
  if (id === undefined) return []
  const about = `subscription/${id}` as const
  const payer = payerOf(content)
  const link: ReadonlyArray<Fact> = payer.id === undefined
    ? []
    : [{ kind: "link", about: `customer/${payer.id}`, to: about }]
  if (planned.test(type)) return [{ kind: "note", about, note: type }, ...link]
  const said = textAt(subscription, "status") ?? ""
  const isGone = subscription["deleted"] === true || type.startsWith("subscription_moved_out")
  const state = isGone ? "canceled" : states[said]
  const cancelled = timeOfSeconds(subscription["cancelled_at"])
  const items = itemsOf(subscription)
  return [
    {
      kind: "subscription",
      about,
      rank: rankOf(type),
      state,
      said,
      ...(items.length === 0 ? {} : { items }),
      payer,
      origin: { metadata: { ...textsAt(subscription, "meta_data"), ...textsAt(customFields(subscription)) } },
      began_at: timeOfSeconds(subscription["started_at"]) ?? timeOfSeconds(subscription["created_at"]),
      trial_end: timeOfSeconds(subscription["trial_end"]),
      cancel_at: said === "non_renewing" ? timeOfSeconds(subscription["current_term_end"]) ?? cancelled : undefined,
      canceled_at: cancelled,
      // Gone to another site, or deleted, it ends when that is said.
      ended_at: state === "canceled" ? (isGone && said !== "cancelled" ? undefined : cancelled) ?? at : undefined,
      end_reason: textAt(subscription, "cancel_reason"),
      is_due: (numberAt(subscription, "due_invoices_count") ?? 0) > 0,
      version: numberAt(subscription, "resource_version"),
      reopens: type.startsWith("subscription_reactivated")
    },
    ...(isGone ? [{ kind: "note", about, note: "gone", detail: type } as const] : []),
    ...link
  ]
}

/** The lines of an invoice for plans and addons. Those of a change in the middle of a period are described as prorated. */
const linesOf = (invoice: JsonObject): ReadonlyArray<BilledLine> =>
  listAt(invoice, "line_items").filter((line) => /^(plan|addon)/.test(textAt(line, "entity_type") ?? ""))
    .map((line) => {
      const isProrated = /prorated/i.test(textAt(line, "description") ?? "")
      return {
        price: idAt(line, "entity_id"),
        // A prorated line may be for those that were added alone.
        quantity: isProrated ? undefined : numberAt(line, "quantity"),
        start: timeOfSeconds(memberAt(line, "date_from")),
        end: timeOfSeconds(memberAt(line, "date_to")),
        proration: isProrated ? true : undefined
      }
    })

/** Whether nothing was paid for an invoice that counts as paid: what was due is written off. */
const isWrittenOff = (invoice: JsonObject): boolean =>
  (numberAt(invoice, "write_off_amount") ?? 0) > 0 && (numberAt(invoice, "amount_paid") ?? 0) === 0

/** The facts of an invoice, beside what was given back of it. */
const invoiceFacts = (type: string, content: JsonObject): ReadonlyArray<Fact> => {
  const invoice = objectAt(content["invoice"])
  const id = idAt(invoice, "id")
  if (invoice === undefined || id === undefined) return []
  const about = `invoice/${id}` as const
  const links = linksOfInvoice(about, invoice, content)
  if (links.length === 0) return []
  const lines = linesOf(invoice)
  const through = periodsOf(lines, "end").at(-1)
  if (type === "payment_failed") {
    return [{
      kind: "payment",
      about,
      state: "failed",
      aside: through === undefined,
      lines,
      tries_again: textAt(invoice, "dunning_status") === "in_progress",
      period_start: periodsOf(lines, "start")[0]
    }, ...links]
  }
  const status = textAt(invoice, "status")
  const told = { kind: "payment", about, aside: through === undefined, lines } as const
  if (status === "paid" && /^(payment_succeeded|invoice_|subscription_)/.test(type)) {
    return isWrittenOff(invoice)
      ? [{ ...told, state: "uncollectible" }, ...links]
      : [{ ...told, state: "paid", paid_through: through, amount: amountOf(paidFor(invoice), invoice) }, ...links]
  }
  if (status === "voided") return [{ ...told, state: "void" }, ...links]
  // What was given back is told by what gives it back.
  const isTold = type === "payment_refunded" || type.startsWith("credit_note_")
  return isTold ? links : [{ kind: "note", about, note: type }, ...links]
}

/**
 * Reads an event of Chargebee. Nearly every one holds the whole subscription, with a version that tells which state is
 * the later one, and the invoice, on which the dunning is told. What is given back is told by the transaction of the refund, and
 * by the credit note for which it is made.
 */
export const readChargebee: EventReader = (json) => {
  const id = textAt(json, "id")
  const type = textAt(json, "event_type")
  const at = timeOfSeconds(memberAt(json, "occurred_at"))
  const content = objectAt(memberAt(json, "content"))
  if (id === undefined || type === undefined || at === undefined || content === undefined) {
    return unreadable("not_an_event", "The body is no event of Chargebee: id, event_type, occurred_at and content.")
  }
  const subscription = objectAt(content["subscription"])
  const payer = payerOf(content)
  return Result.succeed([{
    id,
    type,
    occurred_at: at,
    live: undefined,
    api_version: textAt(json, "api_version"),
    facts: [
      ...(subscription === undefined ? [] : subscriptionFacts(type, content, subscription, at)),
      ...invoiceFacts(type, content),
      ...refundFacts(type, content),
      ...(type.startsWith("customer_") && payer.id !== undefined
        ? [{ kind: "customer", about: `customer/${payer.id}`, payer } as const]
        : [])
    ]
  }])
}
