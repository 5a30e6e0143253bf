import type { JsonObject } from "../../ground/wire/CanonicalJson.ts"
import { idAt, listAt, memberAt, numberAt, objectAt } from "../providers/JsonMembers.ts"
import { basic, objectsIn, partsOf, withParameter } from "./ProviderApi.ts"
import type { ProviderApi } from "./ProviderApi.ts"

const nouns = ["subscriptions", "orders", "returns", "accounts"] as const
type Noun = typeof nouns[number]

const nounOf = (path: string): Noun | undefined => {
  const noun = /^\/([a-z]+)[/?]/.exec(path)?.[1]
  return nouns.find((known) => known === noun)
}

const types: Readonly<Record<Noun, string>> = {
  subscriptions: "subscription.read",
  orders: "order.completed",
  returns: "return.created",
  accounts: "account.updated"
}

const event = (noun: Noun, data: JsonObject, at: number): ReadonlyArray<JsonObject> => {
  const id = idAt(data, "id") ?? idAt(data, noun.slice(0, -1))
  const isPending = noun === "orders" && data["completed"] === false
  if (id === undefined || isPending || data["result"] === "error") return []
  // An account says nothing of its last change. Events of the second in which it was read may be newer, and come after.
  const created = noun === "accounts" ? Math.floor(at / 1000) * 1000 - 1 : at
  const of = { id: `read_${id}`, type: types[noun], created, data }
  return [{ events: [typeof data["live"] === "boolean" ? { ...of, live: data["live"] } : of] }]
}

/** What an order gave back, where it names it. */
const returnsOf = (orders: ReadonlyArray<JsonObject>): ReadonlyArray<string> => {
  const ids = orders.flatMap((order) =>
    listAt(order, "returns").flatMap((given) => idAt(given, "return") ?? idAt(given) ?? [])
  )
  return ids.length === 0 ? [] : [`/returns/${ids.slice(0, 50).map(encodeURIComponent).join(",")}`]
}

/** The account of a single object, which only names it. An order has the contact of its buyer, so that lists need none. */
const accountOf = (objects: ReadonlyArray<JsonObject>): ReadonlyArray<string> => {
  const id = objects.length === 1 && objectAt(objects[0]!["account"]) === undefined
    ? idAt(objects[0]!, "account")
    : undefined
  return id === undefined ? [] : [`/accounts/${encodeURIComponent(id)}`]
}

/** FastSpring: pages name ids alone, and the objects are read by them. An order may be of the page after the last. */
export const fastSpringApi: ProviderApi = {
  origin: (key) => key.includes(":") ? "https://api.fastspring.com" : undefined,
  // One key reads the orders of both modes, and each order says which it is of.
  isLive: () => undefined,
  isLiveIn: () => undefined,
  headers: (key) => ({ authorization: basic(key) }),
  lists: ["/subscriptions?limit=50&page=1", "/orders?limit=50&page=1"],
  pathOf: (purchase) => {
    const [kind, id] = partsOf(purchase)
    return `/${kind}s/${id}`
  },
  read: (path, json, at) => {
    const noun = nounOf(path)
    if (noun === undefined || memberAt(json, "result") === "error") return undefined
    const listed = memberAt(json, noun)
    if (path.startsWith(`/${noun}?`)) {
      if (!Array.isArray(listed)) return undefined
      const ids = listed.flatMap((item) => idAt(item) ?? idAt(item, noun.slice(0, -1)) ?? [])
      const next = numberAt(json, "nextPage")
      return {
        bodies: [],
        follow: [
          ...(ids.length === 0 ? [] : [`/${noun}/${ids.map(encodeURIComponent).join(",")}`]),
          ...(next === undefined || ids.length === 0 ? [] : [withParameter(path, "page", String(next))])
        ]
      }
    }
    const objects = objectsIn(listed ?? json)
    return objects === undefined ? undefined : {
      bodies: objects.flatMap((object) => event(noun, object, at)),
      follow: [
        ...(noun === "orders" ? returnsOf(objects) : []),
        ...(noun === "orders" || noun === "subscriptions" ? accountOf(objects) : [])
      ]
    }
  }
}
