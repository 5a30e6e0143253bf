import { Schema } from "effect"
import { bigCount, field, optional } from "./Fields.ts"

/** A number that is counted exactly up to a limit: to count more takes as long as reading it. */
export const CountedUpTo = Schema.Struct({
  count: field(bigCount(0), "The number, or the limit up to which it is counted."),
  has_more: field(Schema.Boolean, "Whether there are more than were counted.")
}).annotate({
  identifier: "CountedUpTo",
  description: "A number that is counted exactly up to a limit.",
  examples: [{ count: 4310, has_more: false }]
})
export type CountedUpTo = typeof CountedUpTo.Type

/** A number of rows of which one more than `most` were looked for. */
export const countedUpTo = (found: number, most: number): CountedUpTo => ({
  count: Math.min(found, most),
  has_more: found > most
})

/** How far the entries of a list are counted. */
export const totalLimit = 1000

/** The position of keyset pagination. `next_cursor` is opaque and valid only with the filters it was issued for. */
export const PageInfo = Schema.Struct({
  next_cursor: field(
    Schema.NullOr(Schema.String),
    "Pass it as `cursor` to get the next page; `null` on the last page."
  ),
  has_more: field(Schema.Boolean, "Whether there is another page."),
  total: optional(CountedUpTo, "How many entries match, counted to 1,000, if `include_total` asks for it.")
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

type Direction = "asc" | "desc"

/** An order of {@link ListOrder}, or of a list that has more of them. */
type AnyOrder = Direction | `${string}_${Direction}`

/** The part of a list that is asked for, and its order; instants are RFC 3339. */
export interface Sorting {
  readonly order?: AnyOrder
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
  /** Whether the page says how many entries match. */
  readonly isCounted?: boolean
}

/** The default page size, and the largest. */
export const pageLimit = { default: 50, maximum: 200 } as const
