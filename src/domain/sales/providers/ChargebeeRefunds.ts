import type { JsonObject } from "../../ground/wire/CanonicalJson.ts"
import type { Amount, Fact, Link, ObjectName, RefundFact } from "./Fact.ts"
import { idAt, listAt, numberAt, objectAt, textAt } from "./JsonMembers.ts"

/**
 * The links from an invoice to its subscriptions, by the invoice or by a credit note for it. One that is for several
 * subscriptions names them in its lines alone.
 */
export const linksOfInvoice = (about: ObjectName, document: JsonObject, content: JsonObject): ReadonlyArray<Link> => {
  const lines = listAt(document, "line_items").flatMap((line) => idAt(line, "subscription_id") ?? [])
  const own = idAt(document, "subscription_id") ?? (lines.length > 0 ? undefined : idAt(content, "subscription", "id"))
  return [...new Set(own === undefined ? lines : [own])].map((id) => ({
    kind: "link",
    about,
    to: `subscription/${id}`
  }))
}

/** How much money was paid for an invoice. Credits that were applied to it are none, and are not given back. */
export const paidFor = (invoice: unknown): number | undefined => {
  const paid = numberAt(invoice, "amount_paid")
  return paid === undefined || paid <= 0 ? numberAt(invoice, "total") : paid
}

export const amountOf = (value: number | undefined, of: unknown): Amount | undefined =>
  value === undefined ? undefined : { value, currency: textAt(of, "currency_code") }

const undone = new Set(["failure", "voided", "timeout"])

const refundState = (status: string | undefined): RefundFact["state"] =>
  status === "success" ? "succeeded" : undone.has(status ?? "") ? "failed" : "pending"

/** The refund that a transaction makes of a credit note: both tell it, by the same name. */
const refundName = (transaction: string | undefined, note: string | undefined): string =>
  [transaction, note].filter((part) => part !== undefined).join(" ")

/** What a transaction gives back: of the invoice of each of its credit notes, as much as the note says. */
const transactionFacts = (type: string, content: JsonObject): ReadonlyArray<Fact> => {
  const transaction = objectAt(content["transaction"])
  const id = idAt(transaction, "id")
  const isRefund = type === "payment_refunded" || textAt(transaction, "type") === "refund"
  if (!isRefund) return []
  const state = refundState(textAt(transaction, "status"))
  const invoice = idAt(content, "invoice", "id")
  const notes = listAt(transaction, "linked_credit_notes").flatMap((note): ReadonlyArray<Fact> => {
    const of = idAt(note, "cn_reference_invoice_id")
    return of === undefined ? [] : [{
      kind: "refund",
      about: `invoice/${of}`,
      refund: refundName(id, idAt(note, "cn_id")),
      state,
      amount: amountOf(numberAt(note, "applied_amount"), transaction),
      ...(of === invoice ? { paid: paidFor(content["invoice"]) } : {})
    }]
  })
  if (notes.length > 0 || invoice === undefined) return notes
  return [{
    kind: "refund",
    about: `invoice/${invoice}`,
    refund: refundName(id, idAt(content, "credit_note", "id")),
    state,
    amount: amountOf(numberAt(transaction, "amount"), objectAt(content["invoice"])),
    paid: paidFor(content["invoice"])
  }]
}

/**
 * What is given back of the invoice of a credit note: what was refunded of it, in money or as tax that was withheld. A
 * note alone is credit for later invoices, or corrects one that is not paid, and gives no money back.
 */
const creditNoteFacts = (type: string, content: JsonObject): ReadonlyArray<Fact> => {
  const note = objectAt(content["credit_note"])
  const id = idAt(note, "id")
  const invoice = idAt(note, "reference_invoice_id")
  if (note === undefined || id === undefined || invoice === undefined) return []
  const about = `invoice/${invoice}` as const
  const isGone = note["deleted"] === true || textAt(note, "status") === "voided"
  const paid = invoice === idAt(content, "invoice", "id") ? { paid: paidFor(content["invoice"]) } : {}
  const refund = (name: string | undefined, state: RefundFact["state"], amount: number | undefined): Fact => ({
    kind: "refund",
    about,
    refund: refundName(name, id),
    state: isGone ? "failed" : state,
    amount: amountOf(amount, note),
    ...paid
  })
  const refunds = [
    ...listAt(note, "linked_refunds").map((one) =>
      refund(idAt(one, "txn_id"), refundState(textAt(one, "txn_status")), numberAt(one, "applied_amount"))
    ),
    ...listAt(note, "linked_tax_withheld_refunds").map((one) =>
      refund(idAt(one, "id"), "succeeded", numberAt(one, "amount"))
    )
  ]
  const isCredit = refunds.length === 0 && type.startsWith("credit_note_")
  return [
    ...refunds,
    ...(isCredit ? [{ kind: "note", about, note: "credit_without_refund" } as const] : []),
    ...linksOfInvoice(about, note, content)
  ]
}

/** What was given back of invoices, each refund once, although its transaction and its credit note both tell it. */
export const refundFacts = (type: string, content: JsonObject): ReadonlyArray<Fact> => {
  const facts = [...transactionFacts(type, content), ...creditNoteFacts(type, content)]
  const first = (fact: Fact, index: number): boolean =>
    fact.kind !== "refund" ||
    facts.findIndex((other) =>
        other.kind === "refund" && other.about === fact.about && other.refund === fact.refund
      ) === index
  return facts.filter(first)
}
