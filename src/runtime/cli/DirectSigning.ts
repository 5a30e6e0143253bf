import { Effect, Layer } from "effect"
import { BootstrapTokens } from "../../services/access/BootstrapTokens.ts"
import { CurrentEnvironment } from "../../services/environment/CurrentEnvironment.ts"
import { Events } from "../../services/events/Events.ts"
import { Identifiers } from "../../services/persistence/Identifiers.ts"
import { Settings } from "../../services/platform/Settings.ts"
import { Signing } from "../../services/security/Signing.ts"
import { Vault } from "../../services/security/Vault.ts"
import { MasterKeyChange } from "../../services/webhooks/MasterKeyChange.ts"
import { AppConfig, settings } from "../config/Config.ts"
import { settingsOf } from "../environments/EnvironmentSettings.ts"
import * as NodeCryptography from "../node/NodeCryptography.ts"
import * as Migrations from "../postgres/Migrations.ts"
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
