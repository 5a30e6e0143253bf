import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import type { SigningKey } from "../../../domain/keys/security/SigningKey.ts"
import { CurrentReason } from "../../../services/log/Provenance.ts"
import type { SignedByKey } from "../../../services/keys/security/SignedByKeySql.ts"
import { Signing } from "../../../services/keys/security/Signing.ts"
import { confirm, yes } from "../../terminal/Confirm.ts"
import { Found } from "../../terminal/ExitCode.ts"
import { counted, json } from "../../terminal/Output.ts"
import { reason, reasonOf } from "./KeyReason.ts"

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
export const makeRevoke = (print: (keys: ReadonlyArray<SigningKey>, asJson: boolean) => Effect.Effect<void>) =>
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
