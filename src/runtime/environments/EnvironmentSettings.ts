import { Redacted } from "effect"
import { createHmac } from "node:crypto"
import { environments } from "../../domain/environments/Environment.ts"
import type { EnvironmentName } from "../../domain/environments/EnvironmentName.ts"
import { formatBootstrapToken } from "../../domain/security/Credential.ts"
import type { Settings } from "../../services/platform/Settings.ts"
import type { AppConfig } from "../config/Config.ts"
import { adminTokenFile } from "../config/SecretFile.ts"
import type { DatabasePools } from "../postgres/DatabasePools.ts"
import * as DataDirectory from "../postgres/DataDirectory.ts"
import type { EnvironmentTarget } from "./EnvironmentDatabase.ts"

/** The connections of an environment other than live, for each process. */
export const smallPools: DatabasePools = {
  // One more than live needs is held, to be told of moves of the clock.
  api: 7,
  groups: 1,
  questions: 2,
  delivery: 2,
  unhurried: 1,
  patientGroups: 1,
  transactionsAtOnce: 3,
  // Sent with each session, so that it overrides settings of the role.
  session: { search_path: "public, pg_catalog" },
  question: undefined
}

/** The message about an environment that is switched off. */
export const turnedOff =
  "The test environment is turned off in this service. COUNTERSIGN_TEST_ENVIRONMENT=on turns it on"

/** The limit of one caller of an environment beside the live one, in requests per second. */
const smallRate = 500

const atMost = (rate: number, most: number): number => rate === 0 ? most : Math.min(rate, most)

/**
 * The admin token of an environment: the one that the data directory keeps since a rotation, or else one derived from
 * the master key, which every node has. Neither reveals the live one.
 */
export const adminTokenOf = (
  name: EnvironmentName,
  { adminToken, dataDirectory, masterKey }: Pick<AppConfig["Service"], "adminToken" | "dataDirectory" | "masterKey">
): Redacted.Redacted => {
  if (name === "live") return adminToken
  const kept = DataDirectory.readIfPresent(adminTokenFile(dataDirectory, name))?.trim()
  const derived = createHmac("sha256", Redacted.value(masterKey)).update(`bootstrap token of ${name}`).digest()
  return Redacted.make(kept ?? formatBootstrapToken(derived, name))
}

/** The configuration with the secrets of another environment; its database is still that of live. */
export const secretsOf = (config: AppConfig["Service"], name: EnvironmentName): AppConfig["Service"] => ({
  ...config,
  adminToken: adminTokenOf(name, config),
  adminTokenFile: adminTokenFile(config.dataDirectory, name),
  isAdminTokenGiven: false,
  isAdminTokenNew: false,
  // The file has the live key as well, which a command on another environment must not replace.
  masterKeyFile: undefined
})

/** The configuration of an environment beside the live one, on its own database. */
export const configOf = (config: AppConfig["Service"], { name, url }: EnvironmentTarget): AppConfig["Service"] => ({
  ...secretsOf(config, name),
  databaseUrl: config.databaseUrl === undefined ? undefined : url,
  // A node of an environment uses any free port: the configured one is the live node's.
  clusterPort: 0,
  // It is recreated with each reset.
  migrate: "auto",
  witness: undefined
})

/** The settings of the services of an environment beside the live one. */
export const settingsOf = (
  settings: Settings["Service"],
  config: AppConfig["Service"],
  name: EnvironmentName
): Settings["Service"] => ({
  ...settings,
  publicUrl: settings.publicUrl + environments[name].pathPrefix,
  adminToken: config.adminToken,
  rates: {
    ...settings.rates,
    address: atMost(settings.rates.address, smallRate),
    key: atMost(settings.rates.key, smallRate),
    token: atMost(settings.rates.token, smallRate)
  }
})
