import { Config, Data, Effect, Option, Result, Runtime } from "effect"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { byteText, strayByte } from "../../domain/ground/parsing/StrictBytes.ts"
import { exitCode } from "../terminal/ExitCode.ts"

/**
 * The text of a file with one secret, trimmed, without a byte order mark. Throws if it cannot be read, or is not
 * UTF-8: replaced bytes would be another secret.
 */
export const readSecretFile = (path: string): string => {
  const bytes = Fs.readFileSync(path)
  const stray = strayByte(bytes)
  if (stray !== undefined) throw new Error(`it is not UTF-8: its byte ${stray.offset} is ${byteText(stray.byte)}`)
  return bytes.toString("utf8").trim()
}

/** The file of a data directory that keeps the master key. */
export const masterKeyFile = (directory: string): string => Path.join(directory, "master.key")

/** The file of a data directory that keeps the admin token. */
export const adminTokenFile = (directory: string): string => Path.join(directory, "admin.token")

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

/** A setting that is missing or wrong. It never holds the value of a secret. */
interface ConfigFinding {
  readonly name: string
  /** Completes a sentence that starts with the setting's name. */
  readonly problem: string
  /** A valid value, or how to make one. */
  readonly example: string
}

/** All settings that prevent a start, together. The message is for the terminal. */
export class ConfigInvalid extends Data.TaggedError("ConfigInvalid")<{
  readonly findings: ReadonlyArray<ConfigFinding>
  /** The likely reason: the name of a missing setting may be misspelled. */
  readonly warnings: ReadonlyArray<string>
}> {
  override readonly [Runtime.errorExitCode] = exitCode.wrongUsage
  override get message(): string {
    const lines = [
      ...this.findings.map(({ name, problem, example }) => `  ${name} ${problem}\n    Example: ${example}`),
      ...this.warnings.map((warning) => `  ${warning}`)
    ]
    return `Countersign cannot start with this configuration:\n${lines.join("\n")}\n` +
      "Set environment variables and start again; --help lists all of them."
  }
}

/** Reads settings from the environment, and collects the findings. */
export interface SettingReading {
  /** All findings, in order. */
  readonly findings: ReadonlyArray<ConfigFinding>
  readonly report: (row: Setting<unknown>, problem: string) => void
  /** Whether something was reported of a setting. */
  readonly isReported: (row: Setting<unknown>) => boolean
  /** The value of a setting; its default if it is not set, or wrong, which is reported. */
  readonly read: <A, D>(row: Setting<A, D>) => Effect.Effect<A | D>
  readonly readTable: <Table extends SettingTable>(table: Table) => Effect.Effect<Values<Table>>
}

const variable = (name: string): Effect.Effect<string> =>
  Effect.map(
    Effect.orDie(Config.option(Config.String(name))),
    (option) => Option.getOrElse(option, () => "").trim()
  )

/** A reading of the environment; paths are relative to `cwd`. An empty variable counts as unset. */
export const makeSettingReading = (cwd: string): SettingReading => {
  const findings: Array<ConfigFinding> = []
  const reported = new Set<Setting<unknown>>()
  const report = (row: Setting<unknown>, problem: string, name = row.name, example = row.example) => {
    reported.add(row)
    findings.push({ name, problem, example })
  }

  /** The text of a setting, from its variable or from the file that `<name>_FILE` names. */
  const textOf = Effect.fnUntraced(function*(row: Setting<unknown>) {
    const value = yield* variable(row.name)
    if (row.isSecret !== true) return value
    const name = `${row.name}_FILE`
    const file = yield* variable(name)
    if (file === "") return value
    const example = `/run/secrets/${row.name.toLowerCase()}`
    if (value !== "") {
      report(row, `is set together with ${row.name}; set only one of them`, name, example)
      return ""
    }
    const text = yield* Effect.result(Effect.try(() => readSecretFile(Path.resolve(cwd, file))))
    if (Result.isSuccess(text) && text.success !== "") return text.success
    const why = Result.isSuccess(text) ? "it is empty" : (text.failure.cause as Error).message
    report(row, `names a file that cannot be used: ${why}`, name, example)
    return ""
  })

  const read = <A, D>(row: Setting<A, D>): Effect.Effect<A | D> =>
    Effect.map(textOf(row), (text) => {
      if (text === "") return row.default
      const parsed = row.parse(text)
      if (Result.isSuccess(parsed)) return parsed.success
      report(row, parsed.failure)
      return row.default
    })

  return {
    findings,
    report,
    isReported: (row) => reported.has(row),
    read,
    readTable: <Table extends SettingTable>(table: Table) =>
      Effect.all(
        Object.fromEntries(Object.entries(table).map(([key, row]) => [key, read(row)]))
      ) as Effect.Effect<Values<Table>>
  }
}
