import type { Result } from "effect"

/** A row of the settings table: what `--help` prints, and how a text is parsed into a value or a finding. */
export interface Setting<A> {
  readonly name: string
  /** The default, in words if it is not a plain value. */
  readonly default: string
  readonly meaning: string
  readonly example: string
  readonly parse: (text: string) => Result.Result<A, string>
  /** Whether it may be read from the file that `<name>_FILE` names. */
  readonly isSecret?: boolean
}

/** A row, of which the compiler finds out what it is parsed into. */
export const setting = <A>(row: Setting<A>): Setting<A> => row
