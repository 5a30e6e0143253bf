import type { PageInfo } from "../wire/Page.ts"

/** Rows of a resource in their wire form, already written: JSON in UTF-8, with commas between the rows. */
export interface WrittenRows<A> {
  readonly bytes: Uint8Array
  /** What the bytes say. It is for the compiler alone. */
  readonly of?: A
}

/** One page of a list whose rows are written. */
export interface WrittenPage<A> {
  readonly rows: WrittenRows<A>
  readonly page_info: PageInfo
}
