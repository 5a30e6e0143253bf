import { Effect } from "effect"
import type { Scope } from "effect"
import type { PublicKey, RevokedKey } from "../../client/notes/checkpoint.ts"
import { verifyEvents } from "../../client/verify/verifyEvents.ts"
import type { EventsVerdict } from "../../client/verify/verifyEvents.ts"
import { lastArchived } from "../../domain/evidence/transparency/LogArchive.ts"
import type { ArchiveManifest } from "../../domain/evidence/transparency/LogArchive.ts"
import { readOrigin } from "../../domain/log/EpochPlace.ts"
import { LogArchive } from "../../services/evidence/retention/LogDrop.ts"
import { printNotice } from "../terminal/Printing.ts"
import { counting, makeProgress } from "../terminal/Progress.ts"
import {
  archivedLines,
  ArchiveUnusable,
  checkFiles,
  ensureDirectory,
  readManifest,
  writeEvents,
  writeManifest
} from "./ArchiveDirectory.ts"

/** The keys that checkpoints are verified with. */
export interface VerifierKeys {
  readonly publicKeys: ReadonlyArray<PublicKey>
  readonly revokedKeys: ReadonlyArray<RevokedKey>
}

/** The last signed checkpoint of an archive, and whether it covers every file. */
const coverage = (manifest: ArchiveManifest) => {
  const covered = manifest.checkpoints.at(-1)?.tree_size ?? 0
  return { covered, isWhole: covered > 0 && covered === lastArchived(manifest) }
}

/**
 * Reads an archive from the disk and verifies it: the digests of its files, the chain, and the tree against its
 * signed checkpoints and those of `notes`. Fails if the archive cannot be read, or was not finished.
 */
export const verifyArchive = Effect.fn("verifyArchive")(function*(
  directory: string,
  manifest: ArchiveManifest,
  keys: VerifierKeys,
  notes: ReadonlyArray<string> = []
): Effect.fn.Return<EventsVerdict, ArchiveUnusable, Scope.Scope> {
  const { covered, isWhole } = coverage(manifest)
  if (!isWhole) {
    return yield* new ArchiveUnusable({
      message: `${directory} is not finished: its files go up to event ${lastArchived(manifest)}, and the signed ` +
        `checkpoint covers ${covered}. Run countersign archive write again`
    })
  }
  const progress = yield* makeProgress("Verifying events", lastArchived(manifest) - manifest.start.sequence)
  yield* checkFiles(directory, manifest.files)
  return yield* Effect.tryPromise({
    try: () =>
      verifyEvents({
        lines: counting(archivedLines(directory, manifest), progress),
        start: manifest.start,
        notes: [...manifest.checkpoints.map(({ note }) => note), ...notes],
        ...keys
      }),
    catch: (cause) => new ArchiveUnusable({ message: `${directory}: ${String(cause)}` })
  })
}, Effect.scoped)

/** Fails unless a verdict is good. */
export const requireVerified = (directory: string, verdict: EventsVerdict) =>
  verdict.ok ? Effect.succeed(verdict) : Effect.fail(
    new ArchiveUnusable({
      message: `${directory} does not verify: ${
        verdict.sequence === undefined ? "" : `event ${verdict.sequence} `
      }${verdict.fault}: ${verdict.detail}`
    })
  )

/**
 * Writes the events up to the newest checkpoint over at most `to` events to an archive, continues an existing one,
 * and verifies all of it on the disk. Each file is written atomically, and the manifest is replaced after each, so
 * that a killed process loses the work on one file.
 */
export const writeArchive = Effect.fn("writeArchive")(function*(
  directory: string,
  to: number,
  eventsInFile: number
) {
  const log = yield* LogArchive
  const checkpoint = yield* log.checkpointWithin(to)
  if (checkpoint === undefined) {
    return yield* new ArchiveUnusable({ message: "No signed checkpoint covers an event that could be archived yet" })
  }
  yield* ensureDirectory(directory)
  const name = readOrigin(checkpoint.note.slice(0, checkpoint.note.indexOf("\n"))).log
  const kept = yield* log.start
  const left = yield* readManifest(directory)
  let manifest: ArchiveManifest = left ??
    { format: "countersign-log-archive/1", log: name, start: kept, files: [], checkpoints: [] }
  if (manifest.log !== name) {
    return yield* new ArchiveUnusable({
      message: `${directory} is the archive of ${manifest.log}, this log is ${name}`
    })
  }
  if (lastArchived(manifest) < kept.sequence) {
    return yield* new ArchiveUnusable({
      message: `${directory} ends with event ${lastArchived(manifest)}, and the log begins with ` +
        `${kept.sequence + 1}: continue the archive that has the events between, or begin one in another directory`
    })
  }
  if (left !== undefined && left.files.length > 0) {
    yield* printNotice(`Continuing after event ${lastArchived(left)}`)
  }
  const files = [...manifest.files]
  yield* Effect.scoped(Effect.gen(function*() {
    const progress = yield* makeProgress("Archiving events", checkpoint.tree_size - lastArchived(manifest))
    while (lastArchived(manifest) < checkpoint.tree_size) {
      const first = lastArchived(manifest) + 1
      const last = Math.min(checkpoint.tree_size, first + eventsInFile - 1)
      files.push(yield* writeEvents(directory, first, last, yield* log.lines(first, last)))
      manifest = Object.assign({}, manifest, { files })
      yield* writeManifest(directory, manifest)
      progress.advance(last - first + 1)
    }
  }))
  // An archive that ended within the files of a later checkpoint continues up to that one.
  if (lastArchived(manifest) === checkpoint.tree_size && coverage(manifest).covered < checkpoint.tree_size) {
    manifest = { ...manifest, checkpoints: [...manifest.checkpoints, checkpoint] }
    yield* writeManifest(directory, manifest)
  }
  const verdict = yield* requireVerified(directory, yield* verifyArchive(directory, manifest, yield* log.keys))
  return { manifest, verdict }
})
