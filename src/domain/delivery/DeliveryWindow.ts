/** The most events that a lane holds at once, including those that arrived while an older one has no outcome. */
export const windowEvents = 256

/** The most text, in characters, that a lane holds at once. */
export const windowCharacters = 4 * 1024 * 1024

interface Slot<E> {
  readonly event: E
  state: "waiting" | "taken" | "settled"
}

/**
 * The sliding window of the feed that a lane works on. Its cursor is the highest sequence up to which every event is
 * settled: delivered, given up, or in the retry table. The cursor never passes an event that is not settled.
 */
export class DeliveryWindow<E extends { readonly sequence: number; readonly body: string }> {
  #slots: Array<Slot<E>> = []
  /** No slot before this index waits. */
  #next = 0
  #position: number
  #characters = 0
  #begun = 0
  /** Events that left the window, in order, and lie beyond the cursor as it was last written. */
  #left: Array<number> = []

  /** Starts after `position`, up to which everything is settled. */
  constructor(position: number) {
    this.#position = position
  }

  /** Up to where the feed has been read. */
  get position(): number {
    return this.#position
  }

  /** Everything up to here is settled. */
  get cursor(): number {
    const first = this.#slots[0]
    return first === undefined ? this.#position : first.event.sequence - 1
  }

  /** How many more events may be read now. */
  get room(): number {
    return this.#characters >= windowCharacters ? 0 : Math.max(0, windowEvents - this.#slots.length)
  }

  /** Whether an event waits to be taken. */
  get hasWaiting(): boolean {
    while (this.#next < this.#slots.length && this.#slots[this.#next]!.state !== "waiting") this.#next += 1
    return this.#next < this.#slots.length
  }

  /** The first event that waits, without taking it. */
  get firstWaiting(): E | undefined {
    return this.hasWaiting ? this.#slots[this.#next]!.event : undefined
  }

  /** How many attempted events lie beyond the written cursor: at most these are repeated after a crash. */
  get begun(): number {
    return this.#begun
  }

  /** Whether nothing is left to take or to settle. */
  get isEmpty(): boolean {
    return this.#slots.length === 0
  }

  /**
   * Adds events that follow everything read so far. Up to `position` there are no others. Events for which there is no
   * room are left out, and the position then stays before the first of them.
   */
  offer(events: ReadonlyArray<E>, position: number): void {
    for (const event of events) {
      if (this.room === 0) return
      this.#slots.push({ event, state: "waiting" })
      this.#characters += event.body.length
      this.#position = event.sequence
    }
    this.#position = Math.max(this.#position, position)
  }

  /**
   * Takes the first event that waits; it is in flight from now on. The one with the sequence `after` is taken only if no
   * other waits.
   */
  take(after?: number): E | undefined {
    if (!this.hasWaiting) return undefined
    const first = this.#slots[this.#next]!
    const slot = first.event.sequence !== after
      ? first
      : this.#slots.slice(this.#next + 1).find(({ state }) => state === "waiting") ?? first
    slot.state = "taken"
    this.#begun += 1
    return slot.event
  }

  /** The event was not sent after all and waits again. */
  putBack(sequence: number): void {
    const index = this.#slots.findIndex((slot) => slot.event.sequence === sequence)
    const slot = this.#slots[index]
    if (slot?.state !== "taken") return
    slot.state = "waiting"
    this.#begun -= 1
    this.#next = Math.min(this.#next, index)
  }

  /** The event is settled. Settled events at the front leave the window. */
  settle(sequence: number): void {
    const slot = this.#slots.find((slot) => slot.event.sequence === sequence)
    if (slot?.state !== "taken") return
    slot.state = "settled"
    let settled = 0
    while (this.#slots[settled]?.state === "settled") {
      const { body, sequence } = this.#slots[settled]!.event
      this.#characters -= body.length
      this.#left.push(sequence)
      settled += 1
    }
    if (settled === 0) return
    this.#slots = this.#slots.slice(settled)
    this.#next = Math.max(0, this.#next - settled)
  }

  /** This cursor is written. */
  written(cursor: number): void {
    const kept = this.#left.filter((sequence) => sequence > cursor)
    this.#begun -= this.#left.length - kept.length
    this.#left = kept
  }
}
