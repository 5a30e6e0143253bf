import { Schema } from "effect"

/** The position of keyset pagination. `next_cursor` is opaque and valid only with the filters it was issued for. */
export const PageInfo = Schema.Struct({
  next_cursor: Schema.NullOr(Schema.String),
  has_more: Schema.Boolean
}).annotate({ identifier: "PageInfo", examples: [{ next_cursor: null, has_more: false }] })
export type PageInfo = typeof PageInfo.Type

/** One page of a list. */
export interface Page<A> {
  readonly items: ReadonlyArray<A>
  readonly page_info: PageInfo
}

/** The query of every list; `limit` is already clamped to 200. */
export interface PageRequest {
  readonly limit: number
  readonly cursor: string | undefined
}

/** The default page size, and the largest. */
export const pageLimit = { default: 50, maximum: 200 } as const
