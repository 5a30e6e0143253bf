/** For how long a kind of line has one line, in milliseconds. */
const quiet = 1_000

/**
 * Throttles floods of log lines: the first of a kind is written at once, then one line a second for all since the
 * previous one, until a second without any. Its owner calls `end`.
 */
export class LineThrottle<Line> {
  readonly #write: (line: Line, count: number | undefined) => void
  readonly #join: (before: Line, line: Line) => Line
  readonly #mostKinds: number
  /** The lines of each kind since the last one that was written. */
  readonly #held = new Map<string, { line: Line; count: number } | undefined>()
  #releasing: NodeJS.Timeout | undefined

  /**
   * `write` receives the first line without a count, later ones with it. `join` makes one line of two; by default the
   * second. Beyond `mostKinds`, all further kinds count as one.
   */
  constructor(
    write: (line: Line, count: number | undefined) => void,
    { join = (_, line) => line, mostKinds = Infinity }: {
      readonly mostKinds?: number
      readonly join?: (before: Line, line: Line) => Line
    } = {}
  ) {
    this.#write = write
    this.#join = join
    this.#mostKinds = mostKinds
  }

  add(kind: string, line: Line): void {
    const name = this.#held.has(kind) || this.#held.size < this.#mostKinds ? kind : ""
    if (this.#held.has(name)) {
      const before = this.#held.get(name)
      this.#held.set(
        name,
        before === undefined ? { line, count: 1 } : { line: this.#join(before.line, line), count: before.count + 1 }
      )
    } else {
      this.#held.set(name, undefined)
      this.#write(line, undefined)
    }
    this.#releasing ??= setTimeout(() => this.#release(), quiet).unref()
  }

  #release(): void {
    this.#releasing = undefined
    for (const [name, held] of this.#held) {
      if (held === undefined) this.#held.delete(name)
      else {
        this.#held.set(name, undefined)
        this.#write(held.line, held.count)
      }
    }
    if (this.#held.size > 0) this.#releasing ??= setTimeout(() => this.#release(), quiet).unref()
  }

  /** Writes what is held. */
  end(): void {
    clearTimeout(this.#releasing)
    for (const held of this.#held.values()) if (held !== undefined) this.#write(held.line, held.count)
    this.#held.clear()
  }
}
