/** Values by name of which the latest are remembered: at least `size` of those that were used last, at most twice as many. */
export class RecentMap<Value> {
  readonly #size: number
  #recent = new Map<string, Value>()
  #older = new Map<string, Value>()

  constructor(size: number) {
    this.#size = size
  }

  /** The remembered value; asking for it makes it recent. */
  get(name: string): Value | undefined {
    const found = this.#recent.get(name)
    if (found !== undefined) return found
    const before = this.#older.get(name)
    if (before !== undefined) this.set(name, before)
    return before
  }

  set(name: string, value: Value): void {
    this.#recent.set(name, value)
    if (this.#recent.size < this.#size) return
    this.#older = this.#recent
    this.#recent = new Map()
  }

  delete(name: string): void {
    this.#recent.delete(name)
    this.#older.delete(name)
  }
}
