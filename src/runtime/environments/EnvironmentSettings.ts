import { Redacted } from "effect"
import { createHmac } from "node:crypto"
import { environments } from "../../domain/ground/environments/Environment.ts"
import type { EnvironmentName, NamedEnvironment } from "../../domain/ground/environments/EnvironmentName.ts"
import { derivedBootstrapToken } from "../../domain/keys/security/DerivedToken.ts"
import type { Settings } from "../../services/ground/platform/Settings.ts"
import type { AppConfig } from "../config/Config.ts"
import type { DatabasePools } from "../postgres/DatabaseServer.ts"
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

/** The admin token of an environment after so many rotations, which its database counts. */
export const adminTokenOf = (
  environment: NamedEnvironment,
  masterKey: Redacted.Redacted<Uint8Array>,
  turn: number
): Redacted.Redacted =>
  Redacted.make(derivedBootstrapToken({
    environment,
    turn,
    masterKey: Redacted.value(masterKey),
    hmacSha256: (key, text) => createHmac("sha256", key).update(text).digest()
  }))

/** Stands in the configuration in place of the live token, which is valid nowhere else. */
const noToken = Redacted.make("", { label: "derived" })

/** The configuration with the secrets of another environment; its database is still that of live. */
export const secretsOf = (config: AppConfig["Service"]): AppConfig["Service"] => ({
  ...config,
  adminToken: noToken,
  // It follows from the master key, and no file has it.
  isAdminTokenGiven: true,
  isAdminTokenNew: false,
  // The file has the live key as well, which a command on another environment must not replace.
  masterKeyFile: undefined
})

/** The configuration of an environment beside the live one, on its own database. */
export const configOf = (config: AppConfig["Service"], { url }: EnvironmentTarget): AppConfig["Service"] => ({
  ...secretsOf(config),
  databaseUrl: config.databaseUrl === undefined ? undefined : url,
  // A node of an environment uses any free port: the configured one is the live node's.
  clusterPort: 0,
  // It is recreated with each reset.
  migrate: "auto",
  witness: undefined,
  cosigning: { witnesses: [], quorum: 0 }
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
  // People sign in to the live environment.
  openIdConnect: undefined,
  // Addresses in it may be those of customers, who must get nothing of what is tried.
  mail: settings.mail === undefined || config.mail === undefined || config.mail.testAddresses.length === 0
    ? undefined
    : { ...settings.mail, onlyTo: config.mail.testAddresses },
  rates: {
    ...settings.rates,
    address: atMost(settings.rates.address, smallRate),
    key: atMost(settings.rates.key, smallRate),
    token: atMost(settings.rates.token, smallRate)
  }
})
