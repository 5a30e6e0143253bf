import type { JsonObject } from "../../ground/wire/CanonicalJson.ts"
import { memberAt, objectAt, textAt } from "../providers/JsonMembers.ts"
import { objectsIn, partsOf } from "./ProviderApi.ts"
import type { ProviderApi } from "./ProviderApi.ts"

const nouns = ["subscriptions", "transactions", "adjustments", "customers"] as const
type Noun = typeof nouns[number]

const nounOf = (path: string): Noun | undefined => {
  const noun = /^\/([a-z]+)[/?]/.exec(path)?.[1]
  return nouns.find((known) => known === noun)
}

const event = (event_type: string, occurred_at: string, data: JsonObject): JsonObject => ({
  event_id: `read_${String(data["id"])}`,
  event_type,
  occurred_at,
  data
})

/** Its own last change, where it names one. */
const changeOf = (data: JsonObject, otherwise: string): string =>
  textAt(data, "updated_at") ?? textAt(data, "created_at") ?? otherwise

const transactionTypes: Readonly<Record<string, string>> = {
  paid: "transaction.paid",
  completed: "transaction.completed",
  past_due: "transaction.past_due"
}

const eventsOf = (noun: Noun, data: JsonObject, at: string): ReadonlyArray<JsonObject> => {
  if (textAt(data, "id") === undefined) return []
  switch (noun) {
    case "subscriptions":
      return [event(data["status"] === "canceled" ? "subscription.canceled" : "subscription.updated", at, data)]
    case "customers":
      return [event("customer.updated", at, data)]
    case "adjustments":
      return [event("adjustment.updated", changeOf(data, at), data)]
    case "transactions": {
      const type = transactionTypes[textAt(data, "status") ?? ""]
      const { customer, ...rest } = data
      const payer = objectAt(customer)
      return [
        ...(type === undefined ? [] : [event(type, textAt(data, "billed_at") ?? changeOf(data, at), rest)]),
        ...(payer === undefined ? [] : [event("customer.updated", at, payer)])
      ]
    }
  }
}

/** The next page: the path of the URL that the answer names, of which the host is never believed. */
const nextOf = (json: unknown): ReadonlyArray<string> => {
  const next = memberAt(json, "meta", "pagination", "next")
  if (memberAt(json, "meta", "pagination", "has_more") !== true || typeof next !== "string" || !URL.canParse(next)) {
    return []
  }
  const { pathname, search } = new URL(next)
  return nounOf(`${pathname}${search}`) === undefined ? [] : [`${pathname}${search}`]
}

/** Paddle Billing. A key says whether it is of a sandbox. A subscription is as it is at the instant at which it was read. */
export const paddleApi: ProviderApi = {
  origin: (key) => key.includes("sdbx_") ? "https://sandbox-api.paddle.com" : "https://api.paddle.com",
  isLive: (key) => key.includes("sdbx_") ? false : key.startsWith("pdl_live_") ? true : undefined,
  isLiveIn: () => undefined,
  headers: (key) => ({ authorization: `Bearer ${key}`, "paddle-version": "1", "skip-count": "true" }),
  lists: [
    "/subscriptions?per_page=100&order_by=id[ASC]",
    "/transactions?per_page=30&status=paid,completed,past_due&include=customer&order_by=id[ASC]",
    "/adjustments?per_page=50&order_by=id[ASC]",
    "/customers?per_page=100&order_by=id[ASC]"
  ],
  pathOf: (purchase) => {
    const [kind, id] = partsOf(purchase)
    return kind === "subscription" ? `/subscriptions/${id}` : `/transactions/${id}?include=customer`
  },
  read: (path, json, at) => {
    const noun = nounOf(path)
    const data = memberAt(json, "data")
    const objects = objectsIn(data)
    if (noun === undefined || objects === undefined) return undefined
    const payer = noun === "subscriptions" && !Array.isArray(data) ? textAt(data, "customer_id") : undefined
    // The instant of reading is a whole second: events of that second may be newer, and come after.
    const time = new Date(Math.floor(at / 1000) * 1000 - 1).toISOString()
    return {
      bodies: objects.flatMap((object) => eventsOf(noun, object, time)),
      // A subscription that is read alone names its customer by the id alone.
      follow: payer === undefined ? nextOf(json) : [`/customers/${encodeURIComponent(payer)}`]
    }
  }
}
