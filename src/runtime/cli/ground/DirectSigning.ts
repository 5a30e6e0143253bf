import { Effect, Layer } from "effect"
import { MasterKeyChange } from "../../../services/delivery/webhooks/MasterKeyChange.ts"
import { CurrentEnvironment } from "../../../services/ground/environments/CurrentEnvironment.ts"
import { Identifiers } from "../../../services/ground/persistence/Identifiers.ts"
import { Settings } from "../../../services/ground/platform/Settings.ts"
import { Signing } from "../../../services/keys/security/Signing.ts"
import { Vault } from "../../../services/keys/security/Vault.ts"
import { Events } from "../../../services/log/Events.ts"
import { BootstrapTokens } from "../../../services/people/access/BootstrapTokens.ts"
import { AppConfig, settings } from "../../config/Config.ts"
import { settingsOf } from "../../environments/EnvironmentSettings.ts"
import * as NodeCryptography from "../../node/NodeCryptography.ts"
import * as Migrations from "../../postgres/Migrations.ts"
import * as CommittedByCommand from "./CommittedByCommand.ts"
import * as ServiceDatabase from "./ServiceDatabase.ts"

/** The settings of a command, which listens on no port. */
export const layerSettings = Layer.effect(
  Settings,
  Effect.gen(function*() {
    const config = yield* AppConfig
    const name = yield* CurrentEnvironment
    const live = settings(config, config.port)
    return name === "live" ? live : settingsOf(live, config, name)
  })
)

/** The keys and the bootstrap token of the service, changed directly in its database instead of through its API. */
export const layer = Layer.mergeAll(Signing.layer, MasterKeyChange.layer, BootstrapTokens.layerOfCommand).pipe(
  Layer.provide(Events.layer),
  Layer.provide(Layer.mergeAll(CommittedByCommand.layer, Identifiers.layer)),
  Layer.provide(Vault.layer),
  Layer.provide(Migrations.layer),
  Layer.provide(Layer.mergeAll(NodeCryptography.layer, layerSettings)),
  Layer.provide(ServiceDatabase.layerConnected)
)
