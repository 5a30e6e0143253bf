import { Effect, Redacted } from "effect"
import * as Fs from "node:fs"
import { CurrentEnvironment } from "../../services/environment/CurrentEnvironment.ts"
import { keptAdminToken, load, noAdminToken, surroundings } from "../config/Config.ts"
import { adminTokenFile } from "../config/SecretFile.ts"
import { adminTokenOf } from "../environments/EnvironmentSettings.ts"

/** Where a token that no file keeps is from. */
interface Otherwise {
  /** Why no file keeps it. */
  readonly reason: string
  /** What a refusal calls it. */
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
  reason: "it follows from the master key until it is rotated",
  token: "the master key",
  origin: "Derived from the master key"
}

/** The admin token of the current environment that this machine has, and the file that keeps it if one does. */
export const keptToken = Effect.gen(function*() {
  const name = yield* CurrentEnvironment
  if (name === "live") return { ...(yield* keptAdminToken(surroundings())), otherwise: given }
  const config = yield* load(surroundings(), true)
  // Under a key that was made for this command alone, the token would open nothing.
  if (config.masterKeyFile !== undefined && !Fs.existsSync(config.masterKeyFile)) {
    return yield* noAdminToken(config.dataDirectory)
  }
  const file = adminTokenFile(config.dataDirectory, name)
  return {
    token: Redacted.value(adminTokenOf(name, config)),
    file,
    isKept: Fs.existsSync(file),
    otherwise: derived
  }
})
