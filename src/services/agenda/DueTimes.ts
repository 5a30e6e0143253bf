import { Effect } from "effect"
import type { Topic } from "../platform/Announcements.ts"
import { Hint } from "../platform/Hint.ts"
import type { DueRow } from "./AgendaSql.ts"

/** How much later than the time of a row its timer ends, in milliseconds: what it wakes must find it due. */
const margin = 5

/**
 * The times at which work is due, as this node knows them, and one timer for the next of them. Times are milliseconds of a clock
 * that nobody sets.
 */
export class DueTimes {
  readonly #at = new Map<Topic, number>()
  readonly #changed = new Hint()
  readonly #now: () => number
  readonly #call: (topic: Topic) => void

  constructor(now: () => number, call: (topic: Topic) => void) {
    this.#now = now
    this.#call = call
  }

  /** Takes over what was read. What is due already is called for after a pause. */
  take(rows: ReadonlyArray<DueRow>, pause: number): void {
    for (const { millis, topic } of rows) {
      if (millis === null) this.#at.delete(topic)
      else this.#at.set(topic, this.#now() + (millis > 0 ? millis + margin : pause))
    }
    this.#changed.wakeUnsafe()
  }

  /** Has work called for within a while. */
  soon(topic: Topic, pause: number): void {
    this.#at.set(topic, Math.min(this.#now() + pause, this.#at.get(topic) ?? Infinity))
    this.#changed.wakeUnsafe()
  }

  forget(topic: Topic): void {
    this.#at.delete(topic)
  }

  /** Calls for work at its times until a time of this clock. */
  until(end: number): Effect.Effect<void> {
    return Effect.suspend(() => {
      for (const [topic, at] of this.#at) {
        if (at > this.#now()) continue
        this.#at.delete(topic)
        this.#call(topic)
      }
      if (this.#now() >= end) return Effect.void
      const wait = [...this.#at.values()].reduce((first, at) => Math.min(first, at), end) - this.#now()
      return Effect.andThen(Effect.timeoutOption(this.#changed.await, wait), this.until(end))
    })
  }
}
