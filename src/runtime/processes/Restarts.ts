/** The pause before a process that ended is started again, in milliseconds: at first, and at most. */
const pauses = { first: 500, most: 30_000 } as const

/** How long a process must have run to count as healthy, in milliseconds. */
const settled = 30_000

/**
 * How long to wait before a process that has ended is started again, in milliseconds. `before`: how long was waited the last time;
 * undefined: never. `ran`: for how long it has run since.
 */
export const waitAfterEnd = (before: number | undefined, ran: number): number =>
  before === undefined || ran > settled ? pauses.first : Math.min(2 * before, pauses.most)
