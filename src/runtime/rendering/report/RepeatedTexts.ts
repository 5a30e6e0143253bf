/** How many texts are cached, and after how many lookups the cache is evaluated. */
const kept = 500
const judgedAfter = 200

/**
 * A cache for columns with repeated texts. For a column of distinct texts, such as the IDs of entries, it soon keeps
 * nothing: the garbage collector would walk it in vain.
 */
export class RepeatedTexts<Made> {
  private readonly known = new Map<string, Made>()
  private lookups = 0
  private found = 0

  /** Answers the cached value of a text, or makes it. */
  of(text: string, make: () => Made): Made {
    if (this.lookups === judgedAfter && this.found * 2 < this.lookups) {
      this.known.clear()
      return make()
    }
    if (this.lookups < judgedAfter) this.lookups += 1
    const known = this.known.get(text)
    if (known !== undefined) {
      if (this.lookups < judgedAfter) this.found += 1
      return known
    }
    const made = make()
    if (this.known.size === kept) this.known.clear()
    this.known.set(text, made)
    return made
  }
}
