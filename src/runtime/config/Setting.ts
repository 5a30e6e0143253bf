import type { Result } from "effect"

/**
 * A setting. Reading, `--help`, `config check`, the hint at a misspelled name and the reference derive from its row
 * in a table.
 */
export interface Setting<A, D = A | undefined> {
  readonly name: string
  /** The default; undefined if it depends on more than this row, or if there is none. */
  readonly default: D
  /** The default in words. */
  readonly shown: string
  readonly meaning: string
  readonly example: string
  readonly parse: (text: string) => Result.Result<A, string>
  /** Whether it may be read from the file that `<name>_FILE` names. */
  readonly isSecret?: boolean
}

/** A table of settings, in the order of `--help`. */
export type SettingTable = Readonly<Record<string, Setting<any, any>>>

/** The values of a table, with defaults where nothing is set. */
export type Values<Table extends SettingTable> = {
  readonly [Key in keyof Table]: Table[Key] extends Setting<infer A, infer D> ? A | D : never
}

/** A row of a table. Its default is shown as it is, unless `shown` has words for it. */
export const setting = <A, const D extends A | undefined>(
  row: Omit<Setting<A, D>, "shown"> & { readonly shown?: string }
): Setting<A, D> => ({ ...row, shown: row.shown ?? String(row.default) })
