import type { Result } from "effect"

/** A row of the table of settings: what `--help` prints, and how a text becomes a value or a finding. */
export interface Setting<A> {
  readonly name: string
  /** In words, when it is not a plain value. */
  readonly default: string
  readonly meaning: string
  readonly example: string
  readonly parse: (text: string) => Result.Result<A, string>
  /** Whether it may be read from a file instead, which `<name>_FILE` names. */
  readonly isSecret?: boolean
}
