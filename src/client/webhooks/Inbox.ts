import type { CountersignEvent } from "./CountersignEvent.ts"

/**
 * The memory of a receiver. Yours is a table beside what your handler writes, so that one transaction holds both: then each
 * event takes effect exactly once, whatever crashes. With {@link memoryInbox} an event may be handled again after a restart.
 */
export interface Inbox {
  /**
   * Runs `handle`, unless the event with this id was handled before: remembers it with what `handle` does, or not at all
   * when that rejects. Of several calls at once with one id, one runs.
   */
  readonly once: (event: CountersignEvent, handle: () => Promise<void>) => Promise<"handled" | "duplicate">
  /** The cursor of the feed up to which nothing is missing; undefined at first. */
  readonly readPlace: () => Promise<number | undefined>
  readonly writePlace: (cursor: number) => Promise<void>
}

/** An inbox that forgets with the process. It knows the last `capacity` events, 10,000 by default. */
export const memoryInbox = ({ capacity = 10_000 }: { readonly capacity?: number } = {}): Inbox => {
  const handled = new Set<string>()
  const running = new Map<string, Promise<void>>()
  let place: number | undefined
  return {
    once: async ({ id }, handle) => {
      for (;;) {
        const other = running.get(id)
        if (other === undefined) break
        // It may fail; then it is this one's turn.
        await other.catch(() => undefined)
      }
      if (handled.has(id)) return "duplicate"
      const mine = handle()
      running.set(id, mine)
      try {
        await mine
      } finally {
        running.delete(id)
      }
      handled.add(id)
      if (handled.size > capacity) {
        const [oldest] = handled
        handled.delete(oldest!)
      }
      return "handled"
    },
    readPlace: async () => place,
    writePlace: async (cursor) => {
      place = cursor
    }
  }
}
