import { signal } from "@preact/signals"
import type { ManagementScope, Product } from "../../client/api/index.ts"
import { firstOf } from "./FirstOf.ts"
import { ask, may, onVisitEnd } from "./Session.ts"

/** How many products are named; a vendor with more sees ids for the rest. */
const most = 1000

/** The products by their ids, once they were asked for. */
export const products = signal<ReadonlyMap<string, Product> | undefined>(undefined)

/** The names of management keys by their ids, once they were asked for. */
const keyNames = signal<ReadonlyMap<string, string>>(new Map())

/** What a management key is called; undefined where that is not known. */
export const keyNameOf = (id: string): string | undefined => id === "bootstrap" ? "Admin token" : keyNames.value.get(id)

/** What a product is called; its id where that is not known. */
export const productName = (id: string): string => products.value?.get(id)?.name ?? id

/** What was asked for already, by the scope that it needs. */
const asked = new Set<ManagementScope>()

/** Asks once for what a scope lets somebody see, and again when that failed: until then ids stand for names. */
const once = async (scope: ManagementScope, name: () => Promise<void>): Promise<void> => {
  if (asked.has(scope) || !may(scope)) return
  asked.add(scope)
  try {
    await name()
  } catch {
    asked.delete(scope)
  }
}

/** Has the products named. */
export const nameProducts = (): Promise<void> =>
  once("product:read", async () => {
    const found = await ask((client) => firstOf(client.products.list({ limit: 200 }), most))
    products.value = new Map(found.map((product) => [product.id, product]))
  })

/** Has the management keys named, where the token may see them. */
export const nameKeys = (): Promise<void> =>
  once("admin", async () => {
    const found = await ask((client) => firstOf(client.apiKeys.list({ limit: 200 }), most))
    keyNames.value = new Map(found.map(({ id, name }) => [id, name]))
  })

onVisitEnd(() => {
  asked.clear()
  products.value = undefined
  keyNames.value = new Map()
})
