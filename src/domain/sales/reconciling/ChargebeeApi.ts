import type { JsonObject } from "../../ground/wire/CanonicalJson.ts"
import { listAt, memberAt, numberAt, objectAt, textAt } from "../providers/JsonMembers.ts"
import { basic, objectsAmong, partsOf, withParameter } from "./ProviderApi.ts"
import type { ProviderApi } from "./ProviderApi.ts"

/** A key is given with the site that it is of: `acme:live_…`. The site is a part of the host's name, and nothing more. */
const keyForm = /^([a-z0-9][a-z0-9-]{0,62}):(\S+)$/i

const event = (event_type: string, object: JsonObject, content: JsonObject, occurred_at: number): JsonObject => ({
  id: `read_${String(object["id"])}`,
  event_type,
  occurred_at,
  api_version: "v2",
  content
})

const failing = new Set(["in_progress", "exhausted"])

const invoiceType = (invoice: JsonObject): string | undefined => {
  switch (textAt(invoice, "status")) {
    case "paid":
      return "payment_succeeded"
    case "voided":
      return "invoice_updated"
    default:
      return failing.has(textAt(invoice, "dunning_status") ?? "") ? "payment_failed" : undefined
  }
}

/** When a credit note was refunded, which it stays; undefined of one that was not, or that is void. */
const noteTime = (note: JsonObject): number | undefined =>
  note["deleted"] === true || textAt(note, "status") !== "refunded" ? undefined : numberAt(note, "refunded_at")

const eventsOf = (entry: JsonObject, at: number): ReadonlyArray<JsonObject> => {
  const subscription = objectAt(entry["subscription"])
  const invoice = objectAt(entry["invoice"])
  const customer = objectAt(entry["customer"])
  const note = objectAt(entry["credit_note"])
  const changed = (object: JsonObject) => numberAt(object, "updated_at") ?? at
  const type = invoice === undefined ? undefined : invoiceType(invoice)
  return [
    ...(textAt(subscription, "id") === undefined ? [] : [
      event(
        // The event that took it up again may be the one that was lost.
        subscription!["status"] === "cancelled" ? "subscription_cancelled" : "subscription_reactivated",
        subscription!,
        { subscription: subscription!, ...(customer === undefined ? {} : { customer }) },
        changed(subscription!)
      )
    ]),
    ...(textAt(invoice, "id") === undefined || type === undefined ? [] : [
      event(type, invoice!, { invoice: invoice! }, numberAt(invoice, "paid_at") ?? changed(invoice!))
    ]),
    ...(textAt(note, "id") === undefined ? [] : [
      event("credit_note_updated", note!, { credit_note: note! }, noteTime(note!) ?? changed(note!))
    ])
  ]
}

/** Chargebee, whose objects have versions. What is given back is on its credit notes. */
export const chargebeeApi: ProviderApi = {
  origin: (key) => {
    const site = keyForm.exec(key)?.[1]
    return site === undefined ? undefined : `https://${site.toLowerCase()}.chargebee.com`
  },
  isLive: (key) => {
    const [, site = "", secret = ""] = keyForm.exec(key) ?? []
    return site.endsWith("-test") || secret.startsWith("test_") ? false : secret.startsWith("live_") ? true : undefined
  },
  isLiveIn: () => undefined,
  headers: (key) => ({ authorization: basic(`${keyForm.exec(key)?.[2] ?? ""}:`) }),
  lists: [
    "/api/v2/subscriptions?limit=100&include_deleted=true",
    "/api/v2/invoices?limit=100",
    "/api/v2/credit_notes?limit=100&include_deleted=true"
  ],
  pathOf: (purchase) => {
    const [kind, id] = partsOf(purchase)
    return kind === "subscription" ? `/api/v2/subscriptions/${id}` : undefined
  },
  read: (path, json, at) => {
    const list = memberAt(json, "list")
    const isList = Array.isArray(list)
    const only = objectAt(json)
    if (!isList && objectAt(only?.["subscription"]) === undefined) return undefined
    const entries = isList ? objectsAmong(listAt(json, "list")) : [only!]
    const next = memberAt(json, "next_offset")
    const subscription = isList ? undefined : textAt(only, "subscription", "id")
    return {
      bodies: entries.flatMap((entry) => eventsOf(entry, Math.floor(at / 1000))),
      follow: subscription !== undefined
        ? [`/api/v2/credit_notes?limit=100&subscription_id[is]=${encodeURIComponent(subscription)}`]
        : typeof next === "string" && next !== ""
        ? [withParameter(path, "offset", next)]
        : []
    }
  }
}
