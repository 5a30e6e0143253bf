import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { lastArchived } from "../../../domain/evidence/transparency/LogArchive.ts"
import { DropRefused, LogArchive, LogDrop } from "../../../services/evidence/retention/LogDrop.ts"
import { CurrentActor } from "../../../services/log/Provenance.ts"
import { requireManifest } from "../../archive/ArchiveDirectory.ts"
import { requireVerified, verifyArchive, writeArchive } from "../../archive/writeArchive.ts"
import { AppConfig } from "../../config/Config.ts"
import { AlreadySaid } from "../../terminal/ExitCode.ts"
import { counted, json, printJson, printText } from "../../terminal/Printing.ts"
import * as ServiceDatabase from "../ground/ServiceDatabase.ts"
import * as ArchiveServices from "./ArchiveServices.ts"
import { checkpointsFlag, fault, keyEventsFlag, keysFlag, readKeys, summary, textOf } from "./VerifyEvents.ts"

const directory = Argument.String("directory").pipe(
  Argument.withDescription("Directory of the archive: compressed event files and archive.json")
)
const to = Flag.Int("to").pipe(Flag.optional, Flag.withDescription("Last event to archive"))

const write = Command.make("write", {
  directory,
  to,
  eventsInFile: Flag.Int("events-in-file").pipe(
    Flag.filter((count) => count >= 1, (count) => `must be 1 or more, not ${count}`),
    Flag.withDefault(16_384),
    Flag.withDescription("Maximum events per file; a file is held in memory while it is written")
  ),
  json
}, (input) =>
  Effect.gen(function*() {
    const { manifest, verdict } = yield* writeArchive(
      input.directory,
      Option.getOrElse(input.to, () => Number.MAX_SAFE_INTEGER),
      input.eventsInFile
    )
    const said = {
      archived: lastArchived(manifest),
      first: manifest.start.sequence + 1,
      files: manifest.files.length,
      checkpoint: verdict.checkpoints.at(-1)
    }
    yield* input.json
      ? printJson(said)
      : printText(
        `${input.directory}: events ${said.first} to ${said.archived} in ${said.files} files, read again and verified`
      )
  })).pipe(
    Command.withDescription("Archive the event log to files, continue an existing archive, and verify all of it"),
    Command.withExamples([{ command: "countersign archive write /mnt/archive", description: "Every night" }]),
    Command.provide(ArchiveServices.layer)
  )

const verify = Command.make("verify", {
  directory,
  keys: keysFlag,
  checkpoint: checkpointsFlag,
  keyEvent: keyEventsFlag,
  json
}, (input) =>
  Effect.gen(function*() {
    const keys = yield* readKeys(input.keys, input.keyEvent)
    const notes = yield* Effect.forEach(input.checkpoint, textOf)
    const verdict = yield* verifyArchive(input.directory, yield* requireManifest(input.directory), keys, notes)
    yield* input.json ? printJson(verdict) : printText(verdict.ok ? summary(verdict) : fault(verdict))
    if (!verdict.ok) return yield* new AlreadySaid({ message: verdict.fault })
  })).pipe(
    Command.withDescription("Verify an archive offline: files, hash chain, tree and signatures"),
    Command.withExamples([{
      command: "countersign archive verify /mnt/archive --keys keys.json",
      description: "Without the service"
    }])
  )

/** Verifies an archive, and that it is of the log of this database; answers its last checkpoint. */
const verifiedHere = Effect.fnUntraced(function*(path: string) {
  const log = yield* LogArchive
  const kept = yield* log.start
  const manifest = yield* requireManifest(path)
  const verdict = yield* requireVerified(path, yield* verifyArchive(path, manifest, yield* log.keys))
  const { origin, rootHash, size } = verdict.checkpoints.at(-1)!
  if (manifest.start.sequence > kept.sequence) {
    return yield* new DropRefused({
      message: `${path} begins with event ${manifest.start.sequence + 1}, but the log with ${kept.sequence + 1}: ` +
        "the events in between are not archived"
    })
  }
  if (size >= kept.sequence && (yield* log.root(size)) !== rootHash) {
    return yield* new DropRefused({
      message: `${path} is not an archive of this log: the first ${counted(size, "event")} here are others`
    })
  }
  return { origin, tree_size: size, root_hash: rootHash }
})

const drop = Command.make("drop", {
  directory,
  to,
  dryRun: Flag.Boolean("dry-run").pipe(
    Flag.withDefault(false),
    Flag.withDescription("Verify only; show which events could be dropped and which must be kept")
  ),
  json
}, (input) =>
  Effect.gen(function*() {
    const { retainEventDays: days } = yield* AppConfig
    if (days === undefined) {
      return yield* new DropRefused({
        message: "All events are kept: COUNTERSIGN_RETAIN_EVENT_DAYS is not set. Set it to the number of days " +
          "that the feed keeps events, for the service as well"
      })
    }
    const log = yield* LogDrop
    // The rest of an interrupted drop.
    const before = yield* log.dropped
    const left = input.dryRun ? 0 : yield* log.sweep
    const checkpoint = yield* verifiedHere(input.directory)
    const holds = yield* log.holds(checkpoint.tree_size, days)
    const requested = Option.getOrElse(input.to, () => Number.MAX_SAFE_INTEGER)
    const upto = Math.max(before, Math.min(holds[0]!.sequence, Math.floor(requested / 16) * 16))
    const isNew = upto > before && !input.dryRun
    if (isNew) yield* log.begin(upto, checkpoint, days)
    const deleted = isNew ? left + (yield* log.sweep) : left
    if (input.json) {
      return yield* printJson({ dropped: upto, before, deleted, dry_run: input.dryRun, holds })
    }
    const done = input.dryRun ? "The log could be dropped" : "The log is dropped"
    yield* printText(
      upto === before && !input.dryRun
        ? `No events to drop: the log begins with event ${before + 1}${
          left === 0 ? "" : `; ${counted(left, "event")} deleted`
        }`
        : `${done} up to event ${upto}${isNew ? `: ${counted(deleted, "event")} deleted` : ""}`
    )
    const first = holds[0]!
    yield* printText(`Events after ${first.sequence} is kept for ${first.by}`)
  })).pipe(
    Command.withDescription("Drop archived events that are no longer needed from the database"),
    Command.withExamples([{
      command: "countersign archive drop /mnt/archive --dry-run",
      description: "Preview: what would be dropped and what is kept"
    }]),
    Command.provide(ArchiveServices.layer),
    Command.provide(ServiceDatabase.layerConfig),
    Command.provideSync(CurrentActor, { type: "system", id: "cli", scopes: [] })
  )

/** `countersign archive ...`: archives the event log in files, and drops archived events. */
export const archive = Command.make("archive").pipe(
  Command.withExamples([{ command: "countersign archive write /mnt/archive", description: "Every night" }]),
  Command.withSubcommands([write, verify, drop])
)
