import { Effect, Layer, Redacted } from "effect"
import { Command } from "effect/cli"
import * as Path from "node:path"
import { maskedUrl } from "../../../domain/delivery/webhooks/MaskedUrl.ts"
import { BootstrapTokens } from "../../../services/people/access/BootstrapTokens.ts"
import { ManagementKeys } from "../../../services/people/access/ManagementKeys.ts"
import { PublishableKeys } from "../../../services/people/access/PublishableKeys.ts"
import { Events } from "../../../services/log/Events.ts"
import { Database as ServiceSql } from "../../../services/ground/persistence/Database.ts"
import { Identifiers } from "../../../services/ground/persistence/Identifiers.ts"
import { inTransaction } from "../../../services/ground/persistence/Transaction.ts"
import { Signing } from "../../../services/keys/security/Signing.ts"
import { Vault } from "../../../services/keys/security/Vault.ts"
import { checkLost, forgetLost, renewSecrets } from "../../../services/delivery/webhooks/LostMasterKey.ts"
import type { Renewed } from "../../../services/delivery/webhooks/LostMasterKey.ts"
import { WebhookSecrets } from "../../../services/delivery/webhooks/WebhookSecrets.ts"
import { AppConfig } from "../../config/Config.ts"
import * as NodeCryptography from "../../node/NodeCryptography.ts"
import * as Database from "../../postgres/Database.ts"
import { DatabaseTarget } from "../../postgres/Database.ts"
import { addressOf } from "../../postgres/DatabaseServer.ts"
import { replaceSecret } from "../../postgres/DataDirectory.ts"
import * as Migrations from "../../postgres/Migrations.ts"
import { confirmByName, yes } from "../../terminal/Confirm.ts"
import { counted, json } from "../../terminal/Output.ts"
import { printJson, printText } from "../../terminal/Printing.ts"
import * as CommittedByCommand from "../ground/CommittedByCommand.ts"
import { layerSettings } from "../ground/DirectSigning.ts"
import { stoppedTarget } from "../ground/RestoreTarget.ts"
import * as ServiceDatabase from "../ground/ServiceDatabase.ts"

/** The services that need the data keys, built once the lost ones are gone. */
const layerSecrets = Layer.mergeAll(
  Signing.layer,
  WebhookSecrets.layer,
  BootstrapTokens.layer,
  ManagementKeys.layer,
  PublishableKeys.layer
).pipe(
  Layer.provideMerge(Events.layer),
  Layer.provide(Layer.mergeAll(CommittedByCommand.layer, Identifiers.layer)),
  Layer.provide(Vault.layer)
)

const layer = Layer.mergeAll(Migrations.layer, layerSettings).pipe(
  Layer.provideMerge(NodeCryptography.layer),
  Layer.provideMerge(Database.layerTarget),
  Layer.provideMerge(Layer.effect(DatabaseTarget, stoppedTarget(false))),
  Layer.provideMerge(ServiceDatabase.layerConfigOf(AppConfig.layer))
)

const consequence = (where: string): ReadonlyArray<string> => [
  `Permanently discards the old master key of the database ${where} and all data encrypted with it:`,
  "  every license key: rotate the key of each license before it can be used again",
  "  every API key: all are revoked",
  "  webhook signing secrets: each endpoint gets a new one, which its receiver needs; custom headers must be set again",
  "  signing keys: they are retired and replaced; existing signatures still verify",
  "Before you continue, look for the key in running nodes, deployments and backup locations."
]

const described = (renewed: Renewed, token: string | undefined): ReadonlyArray<string> => [
  `The configured master key opens the database. ${renewed.signing_key.kid} is the active signing key; for apps with built-in ` +
  `public keys: ${renewed.signing_key.public_key}`,
  `${counted(renewed.licenses, "license")} need a new key: countersign licenses rotate-key <id>.`,
  `${counted(renewed.management_keys, "API key")} revoked; ` +
  `${counted(renewed.publishable_keys, "publishable key")} still valid.`,
  ...(renewed.webhooks.length === 0 ? [] : ["New webhook signing secrets, shown only once:"]),
  ...renewed.webhooks.map(({ id, lost_headers, name, secret, url }) =>
    `  ${id}  ${secret}  ${name}, ${maskedUrl(url)}` +
    (lost_headers === undefined ? "" : `; set its lost headers again: ${lost_headers.join(", ")}`)
  ),
  ...(token === undefined ? [] : [`The new admin token; all previous ones are invalid: ${token}`])
]

/** `countersign keys replace-lost`: continues with a new master key after the old one was lost. */
export const replaceLost = Command.make("replace-lost", { json, yes }, (input) =>
  Effect.gen(function*() {
    const { adminTokenFile, isAdminTokenGiven } = yield* AppConfig
    const { url } = yield* DatabaseTarget
    yield* checkLost
    const name = decodeURIComponent(new URL(Redacted.value(url)).pathname.slice(1))
    yield* confirmByName(consequence(addressOf(url)), name, input.yes)
    const renewed = yield* inTransaction(
      yield* ServiceSql,
      Effect.flatMap(forgetLost, (isTokenWithdrawn) => Effect.provide(renewSecrets(isTokenWithdrawn), layerSecrets))
    )
    const { admin_token, ...facts } = renewed
    const token = admin_token === undefined ? undefined : Redacted.value(admin_token)
    if (token !== undefined && !isAdminTokenGiven) {
      yield* replaceSecret(Path.dirname(adminTokenFile), Path.basename(adminTokenFile), token)
    }
    yield* input.json
      ? printJson({ ...facts, ...(token === undefined ? {} : { admin_token: token }) })
      : printText(described(renewed, token))
  })).pipe(
    Command.withDescription(
      "Recover from a lost master key: replace it and all secrets encrypted with it"
    ),
    Command.withExamples([{
      command: "COUNTERSIGN_MASTER_KEY=$(cat new.key) countersign keys replace-lost",
      description: "With every node stopped; asks for confirmation"
    }]),
    Command.provide(layer)
  )
