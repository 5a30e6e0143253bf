/** A page of a list, as the service answers it. */
export interface Page<A> {
  readonly rows: ReadonlyArray<A>
  /** Where the next one is; null behind the last. */
  readonly next: string | null
}

/** A page that is wanted. Another number asks again, also for the page that was wanted before. */
export interface Wanted {
  /** Undefined is the first page. */
  readonly cursor: string | undefined
  readonly turn: number
  /** How many rows are wanted at least, so that a list that was longer comes back as long; none is as a page has them. */
  readonly many: number
}

/** The loaded part of a list, and the part that is wanted. */
export interface PageList<A> {
  /** Undefined until the first page is there. */
  readonly rows: ReadonlyArray<A> | undefined
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

/** A list of which nothing is known. */
export const begun = <A>(): PageList<A> => ({
  rows: undefined,
  next: null,
  error: undefined,
  isLoading: true,
  wanted: { cursor: undefined, turn: 0, many: 0 }
})

/** Wants the first page again; what is there stays until it comes. */
export const reloading = <A>(list: PageList<A>): PageList<A> => wanting(list, undefined)

/** Wants again all that is there, and no less of it, as it is now; it stays until that comes. */
export const refreshing = <A>(list: PageList<A>): PageList<A> => wanting(list, undefined, list.rows?.length ?? 0)

/** Wants the next page, also after a failure. Nothing changes while one is loading, or at the end. */
export const continuing = <A>(list: PageList<A>): PageList<A> =>
  list.isLoading || list.next === null ? list : wanting(list, list.next)

/** Wants the failed page again, and no other. */
export const retrying = <A>(list: PageList<A>): PageList<A> =>
  list.isLoading ? list : wanting(list, list.wanted.cursor, list.wanted.many)

/** A page came. What came for an earlier wish is dropped, so that no page is there twice. */
export const arrived = <A>(list: PageList<A>, wanted: Wanted, { next, rows }: Page<A>): PageList<A> =>
  wanted.turn !== list.wanted.turn ? list : {
    ...list,
    rows: wanted.cursor === undefined ? rows : [...list.rows ?? [], ...rows],
    next,
    error: undefined,
    isLoading: false
  }

/** A page could not be read; what is there stays. */
export const failed = <A>(list: PageList<A>, wanted: Wanted, error: Error): PageList<A> =>
  wanted.turn !== list.wanted.turn ? list : { ...list, error, isLoading: false }
