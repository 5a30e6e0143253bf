import { signal } from "@preact/signals"
import type { ManagementScope, Product } from "../../../client/api/index.ts"
import { firstOf } from "./Load.ts"
import { ask, may, onVisitEnd } from "./Session.ts"

/** How many products are named; a vendor with more sees ids for the rest. */
const most = 1000

/** The products by their ids, once they are loaded. */
export const products = signal<ReadonlyMap<string, Product> | undefined>(undefined)

/** The names of API keys by their ids, once they are loaded. */
const keyNames = signal<ReadonlyMap<string, string>>(new Map())

/** The name of an API key; undefined where that is not known. */
export const keyNameOf = (id: string): string | undefined => id === "bootstrap" ? "Admin token" : keyNames.value.get(id)

/** The name of a product; its id where that is not known. */
export const productName = (id: string): string => products.value?.get(id)?.name ?? id

/** The scopes of the names that were requested already. */
const requested = new Set<ManagementScope>()

/** Loads names once if the token has the scope, and again after a failure: until then IDs are shown. */
const once = async (scope: ManagementScope, name: () => Promise<void>): Promise<void> => {
  if (requested.has(scope) || !may(scope)) return
  requested.add(scope)
  try {
    await name()
  } catch {
    requested.delete(scope)
  }
}

/** Loads the names of products. */
export const nameProducts = (): Promise<void> =>
  once("product:read", async () => {
    const found = await ask((client) => firstOf(client.products.list({ limit: 200 }), most))
    products.value = new Map(found.map((product) => [product.id, product]))
  })

/** Adds the name of a new product: all names are loaded once. */
export const nameProduct = (product: Product): void => {
  if (products.value !== undefined) products.value = new Map([...products.value, [product.id, product]])
}

/** Loads the names of API keys, where the token may see them. */
export const nameKeys = (): Promise<void> =>
  once("admin", async () => {
    const found = await ask((client) => firstOf(client.apiKeys.list({ limit: 200 }), most))
    keyNames.value = new Map(found.map(({ id, name }) => [id, name]))
  })

onVisitEnd(() => {
  requested.clear()
  products.value = undefined
  keyNames.value = new Map()
})
