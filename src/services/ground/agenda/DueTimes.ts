import { Effect } from "effect"
import { Hint } from "../platform/Hint.ts"
import type { DueRow } from "./AgendaSql.ts"
import type { Topic } from "./Announcements.ts"

/** How much later than the time of a row its timer ends, in milliseconds: what it wakes must find it due. */
const margin = 5

/** The answer of the rows of one kind of work: when it is due, unless none is, and by which reading. */
interface Read {
  readonly at: number
  readonly reading: number
}

/**
 * The times at which work is due, as this node knows them, and one timer for the next of them. Times are milliseconds of a clock
 * that nobody sets.
 */
export class DueTimes {
  /** By what rows say. */
  readonly #read = new Map<Topic, Read>()
  /** By what was asked for, whatever rows say. */
  readonly #asked = new Map<Topic, number>()
  readonly #changed = new Hint()
  readonly #now: () => number
  readonly #call: (topic: Topic) => void
  #readings = 0

  constructor(now: () => number, call: (topic: Topic) => void) {
    this.#now = now
    this.#call = call
  }

  /** Begins a reading; answers its number. Of two that overlap the later one knows more, whichever ends first. */
  begin(): number {
    this.#readings += 1
    return this.#readings
  }

  /** Takes over what a reading has found. What is due already is called for after a pause. */
  take(reading: number, rows: ReadonlyArray<DueRow>, pause: number): void {
    for (const { millis, topic } of rows) {
      if ((this.#read.get(topic)?.reading ?? 0) > reading) continue
      const at = millis === null ? Infinity : this.#now() + (millis > 0 ? millis + margin : pause)
      this.#read.set(topic, { at, reading })
    }
    this.#changed.wakeUnsafe()
  }

  /** Has work called for within a while. */
  soon(topic: Topic, pause: number): void {
    this.#asked.set(topic, Math.min(this.#now() + pause, this.#asked.get(topic) ?? Infinity))
    this.#changed.wakeUnsafe()
  }

  forget(topic: Topic): void {
    this.#read.delete(topic)
    this.#asked.delete(topic)
  }

  /** Calls for work at its times until a time of this clock. */
  until(end: number): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.#callDue()
      if (this.#now() >= end) return Effect.void
      const wait = Math.min(end, this.#next()) - this.#now()
      return Effect.andThen(Effect.timeoutOption(this.#changed.await, wait), this.until(end))
    })
  }

  /** Calls for what is due now, each once. */
  #callDue(): void {
    const due = new Set<Topic>()
    for (const [topic, { at, reading }] of this.#read) {
      if (at > this.#now()) continue
      this.#read.set(topic, { at: Infinity, reading })
      due.add(topic)
    }
    for (const [topic, at] of this.#asked) {
      if (at > this.#now()) continue
      this.#asked.delete(topic)
      due.add(topic)
    }
    due.forEach(this.#call)
  }

  #next(): number {
    let next = Infinity
    for (const { at } of this.#read.values()) next = Math.min(next, at)
    for (const at of this.#asked.values()) next = Math.min(next, at)
    return next
  }
}
