import { Effect, Layer, Redacted } from "effect"
import * as Path from "node:path"
import { CurrentEnvironment } from "../../../services/ground/environments/CurrentEnvironment.ts"
import { CurrentActor } from "../../../services/log/Provenance.ts"
import { BootstrapTokens } from "../../../services/people/access/BootstrapTokens.ts"
import { AppConfig } from "../../config/Config.ts"
import { replaceSecret } from "../../postgres/DataDirectory.ts"
import { printNotice, printText } from "../../terminal/Printing.ts"
import { keptToken } from "../ground/AdminToken.ts"
import * as DirectSigning from "../ground/DirectSigning.ts"
import * as ServiceDatabase from "../ground/ServiceDatabase.ts"

/** Rotates the admin token of the current environment in the database and in its file, and prints the new one. */
export const rotateToken = Effect.gen(function*() {
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
}).pipe(
  Effect.provide(Layer.provideMerge(DirectSigning.layer, ServiceDatabase.layerConfig)),
  Effect.provideService(CurrentActor, { type: "system", id: "cli", scopes: [] })
)
