import { Effect, Option, Stream } from "effect"

/** An answer that is one page of a list. */
interface Page<Entry> {
  readonly data: ReadonlyArray<Entry>
  readonly page_info: { readonly next_cursor: string | null; readonly has_more: boolean }
}

/** Where a page begins: at the beginning, or where the page before ended. */
export type From = { readonly cursor?: string }

/**
 * The entries of all pages of a list, in order, each page asked for when it is needed. `ask` asks for one page:
 * `entries((from) => client.licenses.listLicenses({ query: { status: "active", ...from } }))`.
 */
export const entries = <Entry, E, R>(
  ask: (from: From) => Effect.Effect<Page<Entry>, E, R>
): Stream.Stream<Entry, E, R> =>
  Stream.paginate({} as From, (from) =>
    Effect.map(ask(from), ({ data, page_info: { has_more, next_cursor } }) =>
      [
        data,
        has_more && next_cursor !== null ? Option.some({ cursor: next_cursor }) : Option.none<From>()
      ] as const))
