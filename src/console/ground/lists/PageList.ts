/** How many rows match. The service counts to 1,000, and says whether there are more. */
export interface Total {
  readonly count: number
  readonly has_more: boolean
}

/** A page of a list, as the service answers it. */
export interface Page<A> {
  readonly rows: ReadonlyArray<A>
  /** With the first page of a list that asks for it. */
  readonly total?: Total
  /** Where the next one is; null behind the last. */
  readonly next: string | null
}

/** A requested page. Another number requests it again. */
export interface Wanted {
  /** Undefined is the first page. */
  readonly cursor: string | undefined
  readonly turn: number
  /** The least number of rows, so that a longer list comes back at its length; undefined for one page. */
  readonly many: number
}

/** The loaded part of a list, and the part that is requested. */
export interface PageList<A> {
  /** Undefined until the first page is there. */
  readonly rows: ReadonlyArray<A> | undefined
  /** That of the first page. */
  readonly total?: Total
  readonly next: string | null
  readonly error: Error | undefined
  readonly isLoading: boolean
  readonly wanted: Wanted
}

const wanting = <A>(list: PageList<A>, cursor: string | undefined, many = 0): PageList<A> => ({
  ...list,
  isLoading: true,
  wanted: { cursor, turn: list.wanted.turn + 1, many }
})

/** An empty list, before its first page. */
export const begun = <A>(): PageList<A> => ({
  rows: undefined,
  next: null,
  error: undefined,
  isLoading: true,
  wanted: { cursor: undefined, turn: 0, many: 0 }
})

/** Requests the first page again; the loaded rows stay until it arrives. */
export const reloading = <A>(list: PageList<A>): PageList<A> => wanting(list, undefined)

/** Requests all loaded rows again; they stay until the answer arrives. */
export const refreshing = <A>(list: PageList<A>): PageList<A> => wanting(list, undefined, list.rows?.length ?? 0)

/** Requests the next page, also after a failure. Does nothing while one is loading, or at the end. */
export const continuing = <A>(list: PageList<A>): PageList<A> =>
  list.isLoading || list.next === null ? list : wanting(list, list.next)

/** Requests only the failed page again. */
export const retrying = <A>(list: PageList<A>): PageList<A> =>
  list.isLoading ? list : wanting(list, list.wanted.cursor, list.wanted.many)

/** Adds a page that arrived. One for an earlier request is dropped, so that no page appears twice. */
export const arrived = <A>(list: PageList<A>, wanted: Wanted, { next, rows, total }: Page<A>): PageList<A> =>
  wanted.turn !== list.wanted.turn ? list : {
    ...list,
    rows: wanted.cursor === undefined ? rows : [...list.rows ?? [], ...rows],
    ...(total === undefined ? {} : { total }),
    next,
    error: undefined,
    isLoading: false
  }

/** Notes that a page could not be read; the loaded rows stay. */
export const failed = <A>(list: PageList<A>, wanted: Wanted, error: Error): PageList<A> =>
  wanted.turn !== list.wanted.turn ? list : { ...list, error, isLoading: false }
