import { Effect, Layer, Redacted } from "effect"
import { Command } from "effect/cli"
import * as Path from "node:path"
import { maskedUrl } from "../../domain/webhooks/MaskedUrl.ts"
import { BootstrapTokens } from "../../services/access/BootstrapTokens.ts"
import { ManagementKeys } from "../../services/access/ManagementKeys.ts"
import { PublishableKeys } from "../../services/access/PublishableKeys.ts"
import { Events } from "../../services/events/Events.ts"
import { SequencerSignal } from "../../services/events/SequencerSignal.ts"
import { Database as ServiceSql } from "../../services/persistence/Database.ts"
import { Identifiers } from "../../services/persistence/Identifiers.ts"
import { inTransaction } from "../../services/persistence/Transaction.ts"
import { Signing } from "../../services/security/Signing.ts"
import { Vault } from "../../services/security/Vault.ts"
import { checkLost, forgetLost, renewSecrets } from "../../services/webhooks/LostMasterKey.ts"
import type { Renewed } from "../../services/webhooks/LostMasterKey.ts"
import { WebhookSecrets } from "../../services/webhooks/WebhookSecrets.ts"
import { AppConfig } from "../config/Config.ts"
import * as NodeCryptography from "../node/NodeCryptography.ts"
import * as Database from "../postgres/Database.ts"
import { DatabaseTarget } from "../postgres/Database.ts"
import { replaceSecret } from "../postgres/DataDirectory.ts"
import * as Migrations from "../postgres/Migrations.ts"
import { confirmByName, yes } from "../terminal/Confirm.ts"
import { json } from "../terminal/Output.ts"
import { printJson, printText } from "../terminal/Printing.ts"
import { layerSettings } from "./DirectSigning.ts"
import { stoppedTarget } from "./RestoreTarget.ts"

/** What needs the data keys, to be built once those that were lost are gone. */
const layerSecrets = Layer.mergeAll(
  Signing.layer,
  WebhookSecrets.layer,
  BootstrapTokens.layer,
  ManagementKeys.layer,
  PublishableKeys.layer
).pipe(
  Layer.provideMerge(Events.layer),
  Layer.provide(Layer.mergeAll(SequencerSignal.layer, Identifiers.layer)),
  Layer.provide(Vault.layer)
)

const layer = Layer.mergeAll(Migrations.layer, layerSettings).pipe(
  Layer.provideMerge(NodeCryptography.layer),
  Layer.provideMerge(Database.layerTarget),
  Layer.provideMerge(Layer.effect(DatabaseTarget, stoppedTarget(false))),
  Layer.provideMerge(AppConfig.layer)
)

const consequence = (where: string): ReadonlyArray<string> => [
  `The master key of the database ${where} is given up, and everything that only it opens, for ever:`,
  "  every license key: none is recognized until it is replaced, license by license",
  "  every management key: all are revoked",
  "  the secrets of webhooks: each endpoint gets a new one, which its receiver needs; headers must be set again",
  "  the signing keys: they are retired, and a new one signs. What they signed still verifies",
  "Look once more for the key first: in running nodes, in deployments, where backups are kept."
]

const counted = (count: number, noun: string) => `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`

const described = (renewed: Renewed, token: string | undefined): ReadonlyArray<string> => [
  `The configured master key opens the database. ${renewed.signing_key.kid} signs; its public key for apps that have ` +
  `theirs built in: ${renewed.signing_key.public_key}`,
  `${counted(renewed.licenses, "license")} need a new key: countersign licenses rotate-key <id>.`,
  `${counted(renewed.management_keys, "management key")} revoked; ` +
  `${counted(renewed.publishable_keys, "publishable key")} of trials go on.`,
  ...(renewed.webhooks.length === 0 ? [] : ["New secrets of webhooks, shown this once:"]),
  ...renewed.webhooks.map(({ id, lost_headers, name, secret, url }) =>
    `  ${id}  ${secret}  ${name}, ${maskedUrl(url)}` +
    (lost_headers === undefined ? "" : `; its headers are gone, set them again: ${lost_headers.join(", ")}`)
  ),
  ...(token === undefined ? [] : [`The admin token, which takes the place of every one before: ${token}`])
]

/** `countersign keys replace-lost`: goes on under a new master key when nobody has the one before any more. */
export const replaceLost = Command.make("replace-lost", { json, yes }, (input) =>
  Effect.gen(function*() {
    const { adminTokenFile, isAdminTokenGiven } = yield* AppConfig
    const { url } = yield* DatabaseTarget
    yield* checkLost
    const name = decodeURIComponent(new URL(Redacted.value(url)).pathname.slice(1))
    yield* confirmByName(consequence(Database.addressOf(url)), name, input.yes)
    const renewed = yield* inTransaction(
      yield* ServiceSql,
      Effect.flatMap(forgetLost, (isTokenWithdrawn) => Effect.provide(renewSecrets(isTokenWithdrawn), layerSecrets))
    )
    const { admin_token, ...told } = renewed
    const token = admin_token === undefined ? undefined : Redacted.value(admin_token)
    if (token !== undefined && !isAdminTokenGiven) {
      yield* replaceSecret(Path.dirname(adminTokenFile), Path.basename(adminTokenFile), token)
    }
    yield* input.json
      ? printJson({ ...told, ...(token === undefined ? {} : { admin_token: token }) })
      : printText(described(renewed, token))
  })).pipe(
    Command.withDescription(
      "Go on under a new master key when the one before is lost, with new secrets in the place of those it opened"
    ),
    Command.withExamples([{
      command: "COUNTERSIGN_MASTER_KEY=$(cat new.key) countersign keys replace-lost",
      description: "With every node stopped; asks first"
    }]),
    Command.provide(layer)
  )
