import { Effect, Redacted } from "effect"
import * as Fs from "node:fs"
import type { NamedEnvironment } from "../../domain/environments/EnvironmentName.ts"
import { CurrentEnvironment } from "../../services/environment/CurrentEnvironment.ts"
import { AppConfig, keptAdminToken, load, noAdminToken, surroundings } from "../config/Config.ts"
import { adminTokenOf } from "../environments/EnvironmentSettings.ts"
import { standingOf } from "../environments/EnvironmentStanding.ts"
import * as DataDirectory from "../postgres/DataDirectory.ts"
import * as ServiceDatabase from "./ServiceDatabase.ts"

/** The source of a token that is in no file. */
interface Otherwise {
  /** The reason why it is in no file. */
  readonly reason: string
  /** Its name in an error message. */
  readonly token: string
  /** The line that says where it was read. */
  readonly origin: string
}

const given: Otherwise = {
  reason: "COUNTERSIGN_ADMIN_TOKEN is set",
  token: "COUNTERSIGN_ADMIN_TOKEN",
  origin: "Read from COUNTERSIGN_ADMIN_TOKEN"
}

const derived: Otherwise = {
  reason: "it follows from the master key",
  token: "the master key",
  origin: "Derived from the master key"
}

/** How often the admin token of an environment was rotated, as its database says; 0 where there is none yet. */
const turnOf = Effect.fnUntraced(function*(name: NamedEnvironment) {
  const { databaseUrl, dataDirectory } = yield* AppConfig
  if (databaseUrl === undefined && !DataDirectory.hasDatabase(dataDirectory)) return 0
  const target = yield* ServiceDatabase.environmentTarget(name)
  return (yield* standingOf(target)).turn
}, Effect.scoped)

/** The admin token of the current environment on this machine, and the file that keeps it, if any. */
export const keptToken = Effect.gen(function*() {
  const name = yield* CurrentEnvironment
  if (name === "live") return { ...(yield* keptAdminToken(surroundings())), otherwise: given }
  const config = yield* load(surroundings(), true)
  // Derived from a master key that was made for this command only, the token would be of no use.
  if (config.masterKeyFile !== undefined && !Fs.existsSync(config.masterKeyFile)) {
    return yield* noAdminToken(config.dataDirectory)
  }
  const turn = yield* Effect.provideService(turnOf(name), AppConfig, config)
  return {
    token: Redacted.value(adminTokenOf(name, config.masterKey, turn)),
    file: "",
    isKept: false,
    otherwise: derived
  }
})
