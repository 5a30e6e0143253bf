import { Effect, Layer } from "effect"
import { BootstrapTokens } from "../../services/BootstrapTokens.ts"
import { Events } from "../../services/Events.ts"
import { Identifiers } from "../../services/Identifiers.ts"
import { MasterKeyChange } from "../../services/MasterKeyChange.ts"
import { SequencerSignal } from "../../services/SequencerSignal.ts"
import { Settings } from "../../services/Settings.ts"
import { Signing } from "../../services/Signing.ts"
import { Vault } from "../../services/Vault.ts"
import { AppConfig, settings } from "../Config.ts"
import * as Database from "../Database.ts"
import * as Migrations from "../Migrations.ts"
import * as NodeCryptography from "../NodeCryptography.ts"
import * as ServiceDatabase from "./ServiceDatabase.ts"

/** The settings of a command, which listens on no port. */
export const layerSettings = Layer.effect(Settings, Effect.map(AppConfig, (config) => settings(config, config.port)))

/** The keys of the service and its bootstrap token, worked on in its database and not through its API. */
export const layer = Layer.mergeAll(Signing.layer, MasterKeyChange.layer, BootstrapTokens.layer).pipe(
  Layer.provide(Events.layer),
  Layer.provide(Layer.mergeAll(SequencerSignal.layer, Identifiers.layer)),
  Layer.provide(Vault.layer),
  Layer.provide(Migrations.layer),
  Layer.provide(Layer.mergeAll(NodeCryptography.layer, layerSettings)),
  Layer.provide(Database.layerTarget),
  Layer.provide(ServiceDatabase.layer),
  Layer.provide(AppConfig.layer)
)
