/**
 * A delivery that was refused for the receiver's pace this often while others arrived is refused for what it is: it counts
 * as failed, and waits in the retry table.
 */
const refusalsOfOne = 20

/** The deliveries of a lane that were refused for the receiver's pace. */
export class PaceRefusals {
  /** How often a delivery was refused, and how many others had arrived before its first refusal. */
  readonly #counts = new Map<number, { count: number; readonly after: number }>()
  #arrived = 0
  /** The delivery that was refused last: others go first, in case that it is refused for what it is. */
  last: number | undefined

  /** Some delivery arrived. */
  arrived(): void {
    this.#arrived += 1
  }

  /** Counts a refusal; answers false when only this delivery is refused, again and again. */
  isOfPace(sequence: number): boolean {
    const refused = this.#counts.get(sequence) ?? { count: 0, after: this.#arrived }
    refused.count += 1
    if (refused.count >= refusalsOfOne && this.#arrived > refused.after) return false
    this.#counts.set(sequence, refused)
    this.last = sequence
    return true
  }

  /** Forgets a delivery that has ended otherwise. */
  forget(sequence: number): void {
    this.#counts.delete(sequence)
  }

  /** Forgets all, because another receiver is asked. */
  clear(): void {
    this.#counts.clear()
  }
}
