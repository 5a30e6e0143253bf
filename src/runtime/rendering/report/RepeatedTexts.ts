/** How many are kept, and after how many questions it is judged whether that is worth while. */
const kept = 500
const judgedAfter = 200

/**
 * A memory for columns whose texts come again and again: it keeps what was made of them. For a column of texts that are
 * all different, such as the ids of entries, it soon keeps nothing, which would only have the collector walk it.
 */
export class RepeatedTexts<Made> {
  private readonly known = new Map<string, Made>()
  private asked = 0
  private found = 0

  /** Answers what was made of the text, or what `make` makes of it now. */
  of(text: string, make: () => Made): Made {
    if (this.asked === judgedAfter && this.found * 2 < this.asked) {
      this.known.clear()
      return make()
    }
    if (this.asked < judgedAfter) this.asked += 1
    const known = this.known.get(text)
    if (known !== undefined) {
      if (this.asked < judgedAfter) this.found += 1
      return known
    }
    const made = make()
    if (this.known.size === kept) this.known.clear()
    this.known.set(text, made)
    return made
  }
}
