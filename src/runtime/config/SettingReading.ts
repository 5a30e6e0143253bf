import { Config, Effect, Option, Result } from "effect"
import * as Path from "node:path"
import type { ConfigFinding } from "./ConfigInvalid.ts"
import { readSecretFile } from "./SecretFile.ts"
import type { Setting, SettingTable, Values } from "./Setting.ts"

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
