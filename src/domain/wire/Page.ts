import { Schema } from "effect"
import { field } from "./Fields.ts"

/** The position of keyset pagination. `next_cursor` is opaque and valid only with the filters it was issued for. */
export const PageInfo = Schema.Struct({
  next_cursor: field(
    Schema.NullOr(Schema.String),
    "Pass it as `cursor` to get the next page; `null` on the last page."
  ),
  has_more: field(Schema.Boolean, "Whether there is another page.")
}).annotate({
  identifier: "PageInfo",
  description: "The position in a list. A cursor is opaque and valid only with the filters that it was issued for.",
  examples: [{ next_cursor: null, has_more: false }]
})
export type PageInfo = typeof PageInfo.Type

/** One page of a list. */
export interface Page<A> {
  readonly items: ReadonlyArray<A>
  readonly page_info: PageInfo
}

/** By creation, newest or oldest first, or by the last change. */
export const ListOrder = Schema.Literals(["desc", "asc", "updated_desc", "updated_asc"])
export type ListOrder = typeof ListOrder.Type

/** The part of a list that is asked for, and its order; instants are RFC 3339. */
export interface Sorting {
  readonly order?: ListOrder
  /** The instant itself belongs to it. */
  readonly created_from?: string
  /** The instant itself does not belong to it. */
  readonly created_to?: string
  /** Without an `order`, what was changed last comes first. */
  readonly updated_from?: string
}

/** The query of every list; `limit` is already clamped to 200. */
export interface PageRequest {
  readonly limit: number
  readonly cursor: string | undefined
  readonly sorting?: Sorting
}

/** The default page size, and the largest. */
export const pageLimit = { default: 50, maximum: 200 } as const
