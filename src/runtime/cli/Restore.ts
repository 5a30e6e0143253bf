import { Data, Effect, Layer, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { CurrentActor } from "../../services/events/Provenance.ts"
import { Restoration } from "../../services/transparency/Restoration.ts"
import { AppConfig } from "../config/Config.ts"
import { DatabaseTarget } from "../postgres/Database.ts"
import { yes } from "../terminal/Confirm.ts"
import { WrongUsage } from "../terminal/ExitCode.ts"
import { json } from "../terminal/Output.ts"
import { printJson, printText } from "../terminal/Printing.ts"
import { described } from "./EpochBegun.ts"
import { restoreFile } from "./RestoreFile.ts"
import { layerRestoration, stoppedTarget } from "./RestoreTarget.ts"

/** The log is not as it should be, and nothing was changed. The message says what was found. */
class NotContinued extends Data.TaggedError("NotContinued")<{ readonly message: string }> {}

const flags = {
  file: Argument.String("file").pipe(
    Argument.withDescription("What `countersign backup` wrote; without it, the database was restored by other means"),
    Argument.optional
  ),
  replace: Flag.Boolean("replace").pipe(
    Flag.withDescription("Put the backup in the place of what is in the database, which is removed"),
    Flag.withDefault(false)
  ),
  sameEpoch: Flag.Boolean("same-epoch").pipe(
    Flag.withDescription("Begin no new epoch: the service was stopped before the backup and has not run since"),
    Flag.withDefault(false)
  ),
  newEpoch: Flag.Boolean("new-epoch").pipe(
    Flag.withDescription("Begin a new epoch of the event log after the last event that is there"),
    Flag.withDefault(false)
  ),
  after: Flag.Int("after").pipe(
    Flag.withDescription("The last event of the backup, when the service has run on the restored database since"),
    Flag.optional
  ),
  epoch: Flag.Int("epoch").pipe(
    Flag.withDescription("The least number of the new epoch: when the log was in later ones, and no witness says so"),
    Flag.optional
  ),
  reason: Flag.String("reason").pipe(
    Flag.withDescription("What the event says"),
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
    return input.replace || input.sameEpoch ? "--replace and --same-epoch need the file of a backup" : undefined
  }
  if (input.newEpoch && input.sameEpoch) return "--new-epoch and --same-epoch exclude each other"
  return Option.isSome(input.after) ? "--after is known from the file of a backup: leave it out" : undefined
}

/** A database that was restored by other means: what the witness says, or a new epoch. */
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
      "Nothing says that the log was restored to an earlier state: it continues what its witness keeps, or there is " +
        "no witness. If it was all the same, add --new-epoch"
    )
  }
  const restored = yield* restoration.begin({
    reason: input.reason,
    after: Option.getOrUndefined(input.after),
    least: Option.getOrUndefined(input.epoch)
  })
  if ("unneeded" in restored) return yield* printText(`Nothing to do. ${restored.unneeded}`)
  yield* input.json ? printJson(restored.begun) : printText(described(restored.begun))
})

const layer = layerRestoration.pipe(
  Layer.provide(Layer.effect(DatabaseTarget, stoppedTarget(false))),
  Layer.provide(AppConfig.layer)
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
    Command.withDescription(
      "Load a backup, or go on with a database that was restored by other means; in a new epoch of its log"
    ),
    Command.withExamples([
      {
        command: "countersign restore countersign-2026-11-24T23-55-59Z.backup",
        description: "Into the empty database that DATABASE_URL or COUNTERSIGN_DATA_DIR names"
      },
      {
        command: "countersign restore moved.backup --same-epoch",
        description: "A database that moves: the service was stopped before the backup"
      },
      { command: "countersign restore --new-epoch", description: "After pg_restore or a recovery to a point in time" }
    ]),
    Command.provideSync(CurrentActor, { type: "system", id: "cli", scopes: [] })
  )
