import { Effect, Hash, Result } from "effect"
import { Base64Url } from "effect/encoding"
import { failing, InvalidCursor } from "../../domain/wire/Errors.ts"
import type { Page, PageRequest } from "../../domain/wire/Page.ts"

/**
 * Keyset pagination. A cursor is the sort key of the last row of a page, together with a fingerprint of the list and
 * its filters: a cursor of another list is refused instead of returning wrong rows.
 */

const fingerprint = (list: string, filters: object): string =>
  (Hash.string(`${list}\n${JSON.stringify(filters)}`) >>> 0).toString(36)

/** The cursor after the row with this sort key. */
const encodeCursor = (list: string, filters: object, after: string): string =>
  Base64Url.encode(`${fingerprint(list, filters)}:${after}`)

/** The sort key to continue after; undefined for the first page. */
const decodeCursor = (
  list: string,
  filters: object,
  cursor: string | undefined
): Effect.Effect<string | undefined, InvalidCursor> => {
  if (cursor === undefined) return Effect.undefined
  const text = Result.getOrElse(Base64Url.decodeString(cursor), () => "")
  const [mark, after] = text.split(":", 2)
  return mark === fingerprint(list, filters) && after !== undefined && after !== ""
    ? Effect.succeed(after)
    : Effect.fail(failing(InvalidCursor, "This cursor does not belong to this list with these filters."))
}

/** A list, the requested page, and the function that reads its rows after a position. */
interface KeysetOptions<A, E, R, Position = string> {
  readonly list: string
  readonly filters: object
  readonly page: PageRequest
  readonly rows: (after: Position | undefined, limit: number) => Effect.Effect<ReadonlyArray<A>, E, R>
}

/**
 * Reads one page, newest first. `rows(after, limit)` returns up to `limit` rows whose `idOf` is below `after`, in
 * descending order. It is asked for one row more than the page holds, which tells whether there is a next page.
 */
export const keysetPageBy = <A, E, R>(
  options: KeysetOptions<A, E, R> & { readonly idOf: (row: A) => string }
): Effect.Effect<Page<A>, E | InvalidCursor, R> =>
  Effect.gen(function*() {
    const after = yield* decodeCursor(options.list, options.filters, options.page.cursor)
    const rows = yield* options.rows(after, options.page.limit + 1)
    const has_more = rows.length > options.page.limit
    const items = has_more ? rows.slice(0, options.page.limit) : rows
    const last = items.at(-1)
    return {
      items,
      page_info: {
        has_more,
        next_cursor: has_more && last !== undefined
          ? encodeCursor(options.list, options.filters, options.idOf(last))
          : null
      }
    }
  })

/** {@link keysetPageBy} with the rows' id as the sort key. */
export const keysetPage = <A extends { readonly id: string }, E, R>(
  options: KeysetOptions<A, E, R>
): Effect.Effect<Page<A>, E | InvalidCursor, R> => keysetPageBy({ ...options, idOf: ({ id }) => id })

/** A position in a list ordered by time: Unix milliseconds, and the id among rows of the same time. */
export interface TimedPosition {
  readonly at: number
  readonly id: string
}

/**
 * {@link keysetPage} for rows ordered by their time (RFC 3339 with milliseconds) and then by id, both descending.
 * `rows(after, limit)` returns the rows after a position.
 */
export const timedPage = <A extends { readonly id: string; readonly occurred_at: string }, E, R>(
  options: KeysetOptions<A, E, R, TimedPosition>
): Effect.Effect<Page<A>, E | InvalidCursor, R> =>
  keysetPageBy({
    ...options,
    idOf: (row) => `${Date.parse(row.occurred_at)}~${row.id}`,
    rows: (after, limit) => {
      const [at, id = ""] = after === undefined ? [] : after.split("~", 2)
      return options.rows(at === undefined ? undefined : { at: Number(at), id }, limit)
    }
  })
