import { signal } from "@preact/signals"
import type { Product } from "../../client/api/index.ts"
import { client, may } from "./Session.ts"

/** How many products are named; a vendor with more sees ids for the rest. */
const most = 1000

/** The products by their ids, once they were asked for. */
export const products = signal<ReadonlyMap<string, Product> | undefined>(undefined)

/** The names of management keys by their ids, once they were asked for. */
export const keyNames = signal<ReadonlyMap<string, string>>(new Map())

let asked = false
let askedKeys = false

const all = async <A>(list: AsyncIterable<A>): Promise<ReadonlyArray<A>> => {
  const found: Array<A> = []
  for await (const each of list) {
    found.push(each)
    if (found.length >= most) break
  }
  return found
}

/** Has the products named: asked once, and again when that failed. */
export const nameProducts = async (): Promise<void> => {
  if (asked || !may("product:read")) return
  asked = true
  try {
    const found = await all(client.products.list({ limit: 200 }))
    products.value = new Map(found.map((product) => [product.id, product]))
  } catch {
    // An id stands where there is no name, until somebody asks again.
    asked = false
  }
}

/** Has the management keys named, where the token may see them. */
export const nameKeys = async (): Promise<void> => {
  if (askedKeys || !may("admin")) return
  askedKeys = true
  try {
    const found = await all(client.apiKeys.list({ limit: 200 }))
    keyNames.value = new Map(found.map(({ id, name }) => [id, name]))
  } catch {
    askedKeys = false
  }
}

/** Forgets the names, as another token may not see them. */
export const forgetNames = (): void => {
  asked = false
  askedKeys = false
  products.value = undefined
  keyNames.value = new Map()
}
