import { Base64 } from "effect/encoding"
import type { JsonObject } from "../../ground/wire/CanonicalJson.ts"
import type { PurchaseName } from "../providers/Fact.ts"
import { objectAt } from "../providers/JsonMembers.ts"

/** What an answer of a provider's API comes to. */
export interface ReadAnswer {
  /** Events that tell what was read, as the provider would have sent them. */
  readonly bodies: ReadonlyArray<JsonObject>
  /** Paths that are to be read next, in this order: the next page, or the objects that a page only names. */
  readonly follow: ReadonlyArray<string>
}

/** How the API of a provider is asked, and what its answers say. All requests are GET. */
export interface ProviderApi {
  /** Where the API is; undefined where the key is not of the form that says so. */
  readonly origin: (key: string) => string | undefined
  /** Whether a key is of real money, or of the provider's test mode; undefined where it does not say so. */
  readonly isLive: (key: string) => boolean | undefined
  /** Whether an answer is of real money, where the key does not say it and the provider has a key for each mode. */
  readonly isLiveIn: (json: unknown) => boolean | undefined
  readonly headers: (key: string) => Readonly<Record<string, string>>
  /** The paths of the first pages of all lists that are walked, what is sold before what is paid for it. */
  readonly lists: ReadonlyArray<string>
  /** The path of a single purchase. */
  readonly pathOf: (purchase: PurchaseName) => string | undefined
  /** Reads an answer of Unix milliseconds `at`, by the provider's clock; undefined where it is no answer to that path. */
  readonly read: (path: string, json: unknown, at: number) => ReadAnswer | undefined
}

/** The parts of a purchase's name. */
export const partsOf = (purchase: PurchaseName): readonly [kind: "subscription" | "order", id: string] => {
  const at = purchase.indexOf("/")
  return [purchase.slice(0, at) as "subscription" | "order", encodeURIComponent(purchase.slice(at + 1))]
}

/** Basic credentials (RFC 7617). */
export const basic = (credentials: string): string => `Basic ${Base64.encode(new TextEncoder().encode(credentials))}`

/** The objects among the members of a list. */
export const objectsAmong = (items: ReadonlyArray<unknown>): ReadonlyArray<JsonObject> =>
  items.map((item) => objectAt(item)).filter((item) => item !== undefined)

/** The objects of a list that an answer has under a name; a single object is a list of one. */
export const objectsIn = (value: unknown): ReadonlyArray<JsonObject> | undefined => {
  if (Array.isArray(value)) return objectsAmong(value)
  const only = objectAt(value)
  return only === undefined ? undefined : [only]
}

/** A path with another value of one parameter of its query. */
export const withParameter = (path: string, name: string, value: string): string => {
  const [before, query = ""] = path.split("?")
  const rest = query.split("&").filter((pair) => pair !== "" && !pair.startsWith(`${name}=`))
  return `${before}?${[...rest, `${name}=${encodeURIComponent(value)}`].join("&")}`
}
