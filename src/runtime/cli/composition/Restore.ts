import { Data, Effect, Layer, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { CurrentActor } from "../../../services/log/Provenance.ts"
import { Restoration } from "../../../services/evidence/transparency/Restoration.ts"
import { AppConfig } from "../../config/Config.ts"
import { DatabaseTarget } from "../../postgres/Database.ts"
import { yes } from "../../terminal/Confirm.ts"
import { WrongUsage } from "../../terminal/ExitCode.ts"
import { json } from "../../terminal/Output.ts"
import { printJson, printText } from "../../terminal/Printing.ts"
import { described } from "../evidence/EpochBegun.ts"
import { restoreFile } from "./RestoreFile.ts"
import { layerRestoration, stoppedTarget } from "../ground/RestoreTarget.ts"
import * as ServiceDatabase from "../ground/ServiceDatabase.ts"

/** The log is damaged, and nothing was changed. The message says how. */
class NotContinued extends Data.TaggedError("NotContinued")<{ readonly message: string }> {}

const flags = {
  file: Argument.String("file").pipe(
    Argument.withDescription("File from `countersign backup`; omit it if the database was restored by other means"),
    Argument.optional
  ),
  replace: Flag.Boolean("replace").pipe(
    Flag.withDescription("Replace the content of the database with the backup"),
    Flag.withDefault(false)
  ),
  sameEpoch: Flag.Boolean("same-epoch").pipe(
    Flag.withDescription("Do not start a new epoch: the service was stopped before the backup and has not run since"),
    Flag.withDefault(false)
  ),
  newEpoch: Flag.Boolean("new-epoch").pipe(
    Flag.withDescription("Start a new epoch of the event log after its last event"),
    Flag.withDefault(false)
  ),
  after: Flag.Int("after").pipe(
    Flag.withDescription("Last event of the backup, if the service has run on the restored database since"),
    Flag.optional
  ),
  epoch: Flag.Int("epoch").pipe(
    Flag.withDescription("Minimum number of the new epoch, if the log had later epochs that no witness knows"),
    Flag.optional
  ),
  reason: Flag.String("reason").pipe(
    Flag.withDescription("Reason, recorded in the event"),
    Flag.withDefault("restored from a backup")
  ),
  json,
  yes
}

/** Which flags need the others, or exclude them. */
const contradiction = (input: {
  readonly file: Option.Option<string>
  readonly newEpoch: boolean
  readonly sameEpoch: boolean
  readonly replace: boolean
  readonly after: Option.Option<number>
}): string | undefined => {
  if (Option.isNone(input.file)) {
    return input.replace || input.sameEpoch ? "--replace and --same-epoch need a backup file" : undefined
  }
  if (input.newEpoch && input.sameEpoch) return "--new-epoch and --same-epoch cannot be combined"
  return Option.isSome(input.after) ? "Omit --after: it is read from the backup file" : undefined
}

/** Decides about a database that was restored by other means: the witness's answer, or a new epoch. */
const continued = Effect.fnUntraced(function*(input: {
  readonly newEpoch: boolean
  readonly reason: string
  readonly after: Option.Option<number>
  readonly epoch: Option.Option<number>
  readonly json: boolean
}) {
  const restoration = yield* Restoration
  if (!input.newEpoch) {
    const found = yield* restoration.examine
    if (found !== undefined) return yield* new NotContinued({ message: found })
    return yield* printText(
      "No sign of a restore to an earlier state: the log continues the checkpoint of its witness, or has no witness. " +
        "If it was restored anyway, add --new-epoch"
    )
  }
  const restored = yield* restoration.begin({
    reason: input.reason,
    after: Option.getOrUndefined(input.after),
    least: Option.getOrUndefined(input.epoch)
  })
  if ("unneeded" in restored) return yield* printText(`No action needed. ${restored.unneeded}`)
  yield* input.json ? printJson(restored.begun) : printText(described(restored.begun))
})

const layer = layerRestoration.pipe(
  Layer.provide(Layer.effect(DatabaseTarget, stoppedTarget(false))),
  Layer.provide(ServiceDatabase.layerConfigOf(AppConfig.layer))
)

/** `countersign restore`: a backup loaded into a database, or a database that was restored by other means. */
export const restore = Command.make("restore", flags, (input) =>
  Effect.gen(function*() {
    const wrong = contradiction(input)
    if (wrong !== undefined) return yield* new WrongUsage({ message: wrong })
    if (Option.isNone(input.file)) return yield* Effect.provide(continued(input), layer)
    yield* restoreFile({
      ...input,
      file: input.file.value,
      epoch: Option.getOrUndefined(input.epoch)
    })
  })).pipe(
    Command.withExamples([
      {
        command: "countersign restore countersign-2026-11-24T23-55-59Z.backup",
        description: "Into the empty database that DATABASE_URL or COUNTERSIGN_DATA_DIR names"
      },
      {
        command: "countersign restore moved.backup --same-epoch",
        description: "A database that was moved: the service was stopped before the backup"
      },
      { command: "countersign restore --new-epoch", description: "After pg_restore or point-in-time recovery" }
    ]),
    Command.provideSync(CurrentActor, { type: "system", id: "cli", scopes: [] })
  )
