import type { JsonObject } from "../../ground/wire/CanonicalJson.ts"
import { idAt, memberAt, numberAt, objectAt, textAt } from "../providers/JsonMembers.ts"
import { objectsIn, partsOf, withParameter } from "./ProviderApi.ts"
import type { ProviderApi } from "./ProviderApi.ts"

/** The name of the event that an object of a type and a status would have come by. */
const nameOf = (type: string, status: string | undefined): string | undefined => {
  const isRefunded = status === "refunded" || status === "partial_refund"
  switch (type) {
    case "subscriptions":
      return status === "expired" ? "subscription_expired" : "subscription_updated"
    case "orders":
      return isRefunded ? "order_refunded" : "order_created"
    case "subscription-invoices":
      return isRefunded ? "subscription_payment_refunded" : "subscription_payment_success"
    default:
      return undefined
  }
}

/** The event of an object. Its links to a customer's portal are credentials, and are left behind. */
const eventsOf = (item: JsonObject): ReadonlyArray<JsonObject> => {
  const attributes = objectAt(item["attributes"])
  const type = textAt(item, "type")
  const id = idAt(item, "id")
  const event_name = type === undefined ? undefined : nameOf(type, textAt(attributes, "status"))
  if (event_name === undefined || attributes === undefined || id === undefined) return []
  const { urls: _urls, ...rest } = attributes
  return [{ meta: { event_name }, data: { type: type!, id, attributes: rest } }]
}

/** Lemon Squeezy, whose objects have the instant of their last change. */
export const lemonSqueezyApi: ProviderApi = {
  origin: () => "https://api.lemonsqueezy.com",
  isLive: () => undefined,
  isLiveIn: (json) => {
    const modes = (objectsIn(memberAt(json, "data")) ?? []).map((item) => memberAt(item, "attributes", "test_mode"))
      .filter((mode) => typeof mode === "boolean")
    return modes.length === 0 ? undefined : modes.some((isTest) => !isTest)
  },
  headers: (key) => ({ authorization: `Bearer ${key}`, accept: "application/vnd.api+json" }),
  lists: ["subscriptions", "orders", "subscription-invoices"].map((noun) =>
    `/v1/${noun}?page[size]=100&page[number]=1`
  ),
  pathOf: (purchase) => {
    const [kind, id] = partsOf(purchase)
    return `/v1/${kind}s/${id}`
  },
  read: (path, json) => {
    const objects = objectsIn(memberAt(json, "data"))
    if (objects === undefined) return undefined
    const [current = 1, last = 1] = [
      numberAt(json, "meta", "page", "currentPage"),
      numberAt(json, "meta", "page", "lastPage")
    ]
    return {
      bodies: objects.flatMap(eventsOf),
      follow: Array.isArray(memberAt(json, "data")) && current < last
        ? [withParameter(path, "page[number]", String(current + 1)).replace("page%5Bnumber%5D", "page[number]")]
        : []
    }
  }
}
