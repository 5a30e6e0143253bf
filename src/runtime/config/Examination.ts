import { Config, Effect } from "effect"
import * as Fs from "node:fs"
import { createServer } from "node:net"
import * as Path from "node:path"
import { AddressUnusable } from "./AddressUnusable.ts"
import { load } from "./Config.ts"
import type { AppConfig, ConfigSurroundings } from "./Config.ts"
import { table, tables } from "./ConfigTable.ts"
import type { Setting } from "./Setting.ts"

/** One setting as this process would take it. */
interface ExaminedSetting {
  readonly name: string
  /** The value that is set, or the default in words. `(set)` for a secret. */
  readonly value: string
  readonly from: "environment" | "file" | "default"
  /** The file that a `*_FILE` variable names. */
  readonly file?: string
}

/** A finding about the configuration: it prevents a start, or is only worth knowing. */
export interface Finding {
  /** `settings`: a setting is wrong; `away`: something cannot be reached or used; `note`: neither. */
  readonly kind: "settings" | "away" | "note"
  readonly message: string
  /** The variable that it is about. */
  readonly setting?: string
}

/** The result of {@link examine}. */
export interface Examination {
  readonly settings: ReadonlyArray<ExaminedSetting>
  readonly findings: ReadonlyArray<Finding>
}

/** A URL, without its query and user information, which may be secrets. */
const withoutSecrets = (text: string): string =>
  text.replace(/:\/\/.*@/s, "://(hidden)@").replace(/\?.*$/s, "?(hidden)")

const variable = (name: string): Effect.Effect<string> =>
  Effect.map(Effect.orElseSucceed(Config.String(name), () => ""), (text) => text.trim())

const settingOf = Effect.fnUntraced(function*(row: Setting<unknown>): Effect.fn.Return<ExaminedSetting> {
  const text = yield* variable(row.name)
  const file = row.isSecret === true ? yield* variable(`${row.name}_FILE`) : ""
  if (text !== "") {
    return { name: row.name, from: "environment", value: row.isSecret === true ? "(set)" : withoutSecrets(text) }
  }
  return file === ""
    ? { name: row.name, from: "default", value: row.shown }
    : { name: row.name, from: "file", value: "(set)", file }
})

/** Whether the service itself answers there. */
const isService = (host: string, port: number): Effect.Effect<boolean> =>
  Effect.tryPromise(async (signal) => {
    const name = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host
    const answer = await fetch(`http://${name}:${port}/readyz`, { signal })
    return answer.headers.get("x-request-id") !== null
  }).pipe(Effect.timeout("2 seconds"), Effect.orElseSucceed(() => false))

const listenError = (host: string, port: number): Effect.Effect<unknown> =>
  Effect.callback<unknown>((resume) => {
    const server = createServer()
    server.once("error", (cause) => resume(Effect.succeed(cause)))
    server.listen(port, host, () => server.close(() => resume(Effect.undefined)))
  })

const examinePort = Effect.fnUntraced(function*(host: string, port: number) {
  const cause = yield* listenError(host, port)
  if (cause === undefined) return []
  if ((cause as NodeJS.ErrnoException).code === "EADDRINUSE" && (yield* isService(host, port))) {
    return [{ kind: "note", message: `The service already runs at port ${port}.` } satisfies Finding]
  }
  return [{ kind: "settings", message: AddressUnusable.of(host, port, cause).message } satisfies Finding]
})

/** The directory, or its nearest existing parent. */
const nearestThere = (directory: string): string =>
  Fs.existsSync(directory) ? directory : nearestThere(Path.dirname(directory))

const examineDirectory = (directory: string): ReadonlyArray<Finding> => {
  const there = nearestThere(directory)
  try {
    Fs.accessSync(there, Fs.constants.R_OK | Fs.constants.W_OK | Fs.constants.X_OK)
    if (Fs.statSync(there).isDirectory()) return []
    return [{ kind: "away", message: `The data directory ${directory} cannot be made: ${there} is a file.` }]
  } catch (cause) {
    return [{
      kind: "away",
      message: `The data directory ${directory} cannot be used: ${(cause as Error).message}. ` +
        `Set ${table.dataDirectory.name} to a directory that this user can write to.`
    }]
  }
}

/** Reads and checks the configuration, its port and its directory. Creates and changes nothing. */
export const examine = Effect.fnUntraced(function*(
  surroundings: ConfigSurroundings
): Effect.fn.Return<Examination> {
  const rows = tables.flatMap((rows) => Object.values(rows))
  const settings = yield* Effect.forEach(rows, settingOf)
  const result = yield* Effect.result(load(surroundings, true))
  const notes = (warnings: ReadonlyArray<string>) => warnings.map((message): Finding => ({ kind: "note", message }))
  if (result._tag === "Failure") {
    if (result.failure._tag === "DataDirectoryError") {
      return { settings, findings: [{ kind: "away", message: result.failure.message }] }
    }
    const wrong = result.failure.findings.map(({ example, name, problem }): Finding => ({
      kind: "settings",
      setting: name,
      message: `${name} ${problem}. Example: ${example}`
    }))
    return { settings, findings: [...wrong, ...notes(result.failure.warnings)] }
  }
  const { databaseUrl, dataDirectory, host, isAdminTokenGiven, port, publicUrl, trustedProxies, warnings } =
    result.success
  const usesDirectory = databaseUrl === undefined || !isAdminTokenGiven
  return {
    settings,
    findings: [
      ...(port === 0 ? [] : yield* examinePort(host, port)),
      ...(usesDirectory ? examineDirectory(dataDirectory) : []),
      ...notes([...warnings, ...unnamedProxy({ publicUrl, trustedProxies })])
    ]
  }
})

/** The service speaks HTTP, so that a proxy stands before one that is published under https. */
const unnamedProxy = (
  { publicUrl, trustedProxies }: Pick<AppConfig["Service"], "publicUrl" | "trustedProxies">
): ReadonlyArray<string> =>
  publicUrl?.startsWith("https:") === true && trustedProxies.length === 0
    ? [
      "COUNTERSIGN_PUBLIC_URL is https, which a proxy has to provide, and COUNTERSIGN_TRUSTED_PROXIES names none: all callers would " +
      "share one address, and so its limits. Example: COUNTERSIGN_TRUSTED_PROXIES=10.0.0.10/32"
    ]
    : []
