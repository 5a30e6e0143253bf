import { Effect, Layer, Redacted, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as Path from "node:path"
import { labelOf } from "../../../client/api/Labels.ts"
import { maskedUrl } from "../../../domain/delivery/webhooks/Webhook.ts"
import { Reason } from "../../../domain/ground/wire/Action.ts"
import type { SigningKey } from "../../../domain/keys/security/SigningKey.ts"
import { checkLost, forgetLost, renewSecrets } from "../../../services/delivery/webhooks/LostMasterKey.ts"
import type { Renewed } from "../../../services/delivery/webhooks/LostMasterKey.ts"
import { WebhookSecrets } from "../../../services/delivery/webhooks/WebhookSecrets.ts"
import { Database as ServiceSql, inTransaction } from "../../../services/ground/persistence/Database.ts"
import { Identifiers } from "../../../services/ground/persistence/Identifiers.ts"
import { Signing } from "../../../services/keys/security/Signing.ts"
import type { SignedByKey } from "../../../services/keys/security/SigningSql.ts"
import { Vault } from "../../../services/keys/security/Vault.ts"
import { Events } from "../../../services/log/Events.ts"
import { CurrentActor, CurrentReason } from "../../../services/log/Provenance.ts"
import { BootstrapTokens } from "../../../services/people/access/BootstrapTokens.ts"
import { ManagementKeys } from "../../../services/people/access/ManagementKeys.ts"
import { PublishableKeys } from "../../../services/people/access/PublishableKeys.ts"
import { AppConfig } from "../../config/Config.ts"
import * as NodeCryptography from "../../node/NodeCryptography.ts"
import * as Database from "../../postgres/Database.ts"
import { DatabaseTarget } from "../../postgres/Database.ts"
import { addressOf } from "../../postgres/DatabaseServer.ts"
import { replaceSecret } from "../../postgres/DataDirectory.ts"
import * as Migrations from "../../postgres/Migrations.ts"
import { confirm, confirmByName, yes } from "../../terminal/Confirm.ts"
import { Found, WrongUsage } from "../../terminal/ExitCode.ts"
import { counted, json, printJson, printTable, printText } from "../../terminal/Printing.ts"
import * as CommittedByCommand from "../ground/CommittedByCommand.ts"
import * as DirectSigning from "../ground/DirectSigning.ts"
import { layerSettings } from "../ground/DirectSigning.ts"
import { stoppedTarget } from "../ground/RestoreTarget.ts"
import * as ServiceDatabase from "../ground/ServiceDatabase.ts"
import { rewrap } from "./KeysRewrap.ts"

/** Why a key is rotated or revoked. */
const reason = Flag.String("reason").pipe(
  Flag.withMetavar("text"),
  Flag.withDescription("Reason, recorded in the event log; one line, up to 500 characters"),
  Flag.withDefault("")
)

const isReason = Schema.is(Reason)

/** The given reason, if any, checked as the API checks it. */
const reasonOf = (text: string) =>
  text === "" || isReason(text)
    ? Effect.succeed(text === "" ? undefined : text)
    : Effect.fail(new WrongUsage({ message: "--reason must be one line of visible characters, at most 500" }))

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
const replaceLost = Command.make("replace-lost", { json, yes }, (input) =>
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

const day = (time: Date): string => time.toISOString().slice(0, 10)

/** What will no longer verify, one line each. */
const consequenceOf = (kid: string, signed: SignedByKey): ReadonlyArray<string> => [
  `Signatures of ${kid} will no longer verify (revoked today):`,
  `  responses from ${day(signed.since)} to ${
    signed.until === null ? "now" : day(signed.until)
  } that apps keep; apps that are online get new ones`,
  ...(signed.envelopes + signed.files === 0
    ? ["  no valid offline envelopes or files"]
    : [
      `  ${counted(signed.envelopes, "offline envelope")} and ${counted(signed.files, "file")} for offline machines ` +
      `that are still valid, the last until ${day(signed.offlineUntil!)}: issue and distribute new ones`
    ]),
  signed.checkpointed === null
    ? "  no checkpoint of the log"
    : `  ${counted(signed.checkpoints, "checkpoint")} of the log, the last over ${
      counted(signed.checkpointed, "event")
    }, but for those that auditors kept from before`,
  `  ${counted(signed.exports, "export")} of reports: export again what must be shown`
]

const noKey = (kid: string) => new Found({ message: `${kid}: signing key not found.` })

/** `countersign keys revoke`: `print` shows the key afterwards. */
const makeRevoke = (print: (keys: ReadonlyArray<SigningKey>, asJson: boolean) => Effect.Effect<void>) =>
  Command.make(
    "revoke",
    {
      kid: Argument.String("kid").pipe(Argument.withDescription("Key ID, from `keys list`")),
      json,
      reason,
      yes
    },
    (input) =>
      Effect.gen(function*() {
        const signing = yield* Signing
        const why = yield* reasonOf(input.reason)
        const signed = yield* signing.signedBy(input.kid)
        if (signed === undefined) return yield* noKey(input.kid)
        // The service refuses an active key, and leaves a revoked one as it is.
        if (signed.status === "retired") {
          yield* confirm(consequenceOf(input.kid, signed), `Revoke ${input.kid}?`, input.yes)
        }
        const key = yield* signing.revoke(input.kid).pipe(
          Effect.provideService(CurrentReason, why),
          Effect.mapError(({ error: { detail, message } }) =>
            new Found({ message: `${input.kid}: ${message}${detail === undefined ? "" : ` ${detail}`}` })
          )
        )
        yield* print([key], input.json)
      })
  ).pipe(
    Command.withDescription(
      "Revoke a retired signing key. Lists the signatures that stop verifying"
    ),
    Command.withExamples([
      { command: "countersign keys revoke sig_01J… --yes", description: "In a script, without confirmation" }
    ])
  )

const print = (keys: ReadonlyArray<SigningKey>, asJson: boolean) =>
  asJson ? printJson(keys) : printTable([
    ["KID", "STATUS", "CREATED", "PUBLIC KEY"],
    ...keys.map((key) => [key.kid, labelOf("state", key.status), key.created_at, key.public_key])
  ])

/** Every key, read page by page. */
const all = Effect.gen(function*() {
  const signing = yield* Signing
  const keys: Array<SigningKey> = []
  for (let cursor: string | undefined;;) {
    const { items, page_info } = yield* Effect.orDie(signing.list({ limit: 200, cursor }))
    for (const item of items) keys.push(item)
    if (page_info.next_cursor === null) return keys
    cursor = page_info.next_cursor
  }
})

const list = Command.make("list", { json }, (input) => Effect.flatMap(all, (keys) => print(keys, input.json))).pipe(
  Command.withDescription("List all signing keys, newest first"),
  Command.withExamples([{ command: "countersign keys list --json", description: "For programs" }]),
  Command.provide(DirectSigning.layer)
)

const dryRun = Flag.Boolean("dry-run").pipe(
  Flag.withDescription("Make no change; show the result"),
  Flag.withDefault(false)
)

const rotate = Command.make("rotate", { json, reason, dryRun }, (input) =>
  Effect.gen(function*() {
    const signing = yield* Signing
    const why = yield* reasonOf(input.reason)
    const key = yield* input.dryRun
      ? signing.rehearseRotation
      : Effect.provideService(signing.rotate, CurrentReason, why)
    yield* print([key], input.json)
  })).pipe(
    Command.withDescription("Create a new active key; the previous key stays published, so existing signatures verify"),
    Command.withExamples([{ command: "countersign keys rotate", description: "Once a year, or before `keys revoke`" }]),
    Command.provide(DirectSigning.layer)
  )

/** `countersign keys ...`: the signing keys and the master key, while the service runs or is stopped. */
export const keys = Command.make("keys").pipe(
  Command.withExamples([{ command: "countersign keys list", description: "List them" }]),
  Command.withSubcommands([
    list,
    rotate,
    makeRevoke(print).pipe(Command.provide(DirectSigning.layer)),
    rewrap,
    replaceLost
  ]),
  Command.provideSync(CurrentActor, { type: "system", id: "cli", scopes: [] })
)
