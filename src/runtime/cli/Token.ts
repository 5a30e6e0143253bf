import { Effect, Redacted } from "effect"
import { Command, Flag } from "effect/cli"
import * as Path from "node:path"
import { BootstrapTokens } from "../../services/access/BootstrapTokens.ts"
import { CurrentEnvironment } from "../../services/environment/CurrentEnvironment.ts"
import { CurrentActor } from "../../services/events/Provenance.ts"
import { AppConfig } from "../config/Config.ts"
import { replaceSecret } from "../postgres/DataDirectory.ts"
import { printNotice, printText } from "../terminal/Printing.ts"
import { keptToken } from "./AdminToken.ts"
import * as DirectSigning from "./DirectSigning.ts"
import * as ServiceDatabase from "./ServiceDatabase.ts"

const file = Flag.Boolean("file").pipe(
  Flag.withDescription("Print the path of the token file instead of the token"),
  Flag.withDefault(false)
)

const rotate = Command.make("rotate", {}, () =>
  Effect.gen(function*() {
    const { adminTokenFile, isAdminTokenGiven } = yield* AppConfig
    const isDerived = (yield* CurrentEnvironment) !== "live"
    // Revoking another token than the service's would leave that one valid.
    yield* keptToken
    const next = Redacted.value(yield* (yield* BootstrapTokens).rotate)
    if (!isAdminTokenGiven) yield* replaceSecret(Path.dirname(adminTokenFile), Path.basename(adminTokenFile), next)
    yield* printText(next)
    yield* printNotice(
      isDerived
        ? "The previous token no longer works. Every node knows the new one, which follows from the master key."
        : isAdminTokenGiven
        ? "The previous token no longer works. COUNTERSIGN_ADMIN_TOKEN still has it: set it to the new token."
        : `The previous token no longer works. The new token is stored in ${adminTokenFile}.`
    )
  })).pipe(
    Command.withDescription("Rotate the admin token immediately on every node, and print the new one"),
    Command.withExamples([{ command: "countersign token rotate", description: "After the token was exposed" }]),
    Command.provide(DirectSigning.layer),
    Command.provide(ServiceDatabase.layerConfig),
    Command.provideSync(CurrentActor, { type: "system", id: "cli", scopes: [] })
  )

/** `countersign token`: prints the bootstrap token with the scope admin, which the first start of the service made. */
export const token = Command.make("token", { file }, (input) =>
  Effect.gen(function*() {
    const { file, isKept, otherwise, token } = yield* keptToken
    if (input.file) return yield* printText(isKept ? file : `The token is not in a file: ${otherwise.reason}`)
    yield* printText(token)
    // Another directory than the service's has another token, which would go unnoticed.
    yield* printNotice(isKept ? `Read from ${file}` : otherwise.origin)
  })).pipe(
    Command.withDescription("Print the admin token"),
    Command.withExamples([
      { command: "countersign token --file", description: "Path of the token file" },
      { command: "countersign token --environment test", description: "The admin token of the test environment" }
    ]),
    Command.withSubcommands([rotate])
  )
