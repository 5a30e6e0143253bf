import { Effect, Redacted } from "effect"
import * as Fs from "node:fs"
import type { NamedEnvironment } from "../../../domain/ground/environments/EnvironmentName.ts"
import { AppConfig, load, noAdminToken, surroundings } from "../../config/Config.ts"
import { databaseUseOf } from "../../environments/EnvironmentDatabase.ts"
import { adminTokenOf } from "../../environments/EnvironmentSettings.ts"
import * as DataDirectory from "../../postgres/DataDirectory.ts"
import * as ServiceDatabase from "./ServiceDatabase.ts"

/** How often the admin token of an environment was rotated, as its database says; 0 where there is none yet. */
const turnOf = Effect.fnUntraced(function*(name: NamedEnvironment) {
  const { databaseUrl, dataDirectory } = yield* AppConfig
  if (databaseUrl === undefined && !DataDirectory.hasDatabase(dataDirectory)) return 0
  const target = yield* ServiceDatabase.environmentTarget(name)
  return (yield* databaseUseOf(target)).turn
}, Effect.scoped)

/** The admin token of an environment beside the live one, which follows from the master key. */
export const derivedToken = Effect.fnUntraced(function*(name: NamedEnvironment) {
  const config = yield* load(surroundings(), true)
  // Derived from a master key that was made for this command only, the token would be of no use.
  if (config.masterKeyFile !== undefined && !Fs.existsSync(config.masterKeyFile)) {
    return yield* noAdminToken(config.dataDirectory)
  }
  const turn = yield* Effect.provideService(turnOf(name), AppConfig, config)
  return Redacted.value(adminTokenOf(name, config.masterKey, turn))
})
