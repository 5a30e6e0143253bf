import { Schema } from "effect"

/**
 * The archive of a log: a directory with the events in files of compressed lines (gzip), and `archive.json`, which says
 * what is in it. A line is an event as the feed serves it, without the personal values. So the lines of all files, one
 * after another, are what `countersign events export` writes but for those values and the last line.
 */

/** The name of the file that says what an archive holds. */
export const manifestName = "archive.json"

const place = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
const hash = Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/))

const EpochBegun = Schema.Struct({
  epoch: Schema.Int,
  first_sequence: Schema.Int,
  restored_sequence: Schema.Int
})

/** The position that an archive continues: the events before its first one. */
export const LogStart = Schema.Struct({
  /** The last event before; 0 when there is none. */
  sequence: place,
  /** The hash of that event, 64 zeros when there is none. */
  hash,
  /** The roots of the complete subtrees over the events before, from left to right (the largest first). */
  subtrees: Schema.Array(hash),
  /** The epochs of the log, after the first, that began before. */
  epochs: Schema.Array(EpochBegun)
})
export type LogStart = typeof LogStart.Type

/** A file of an archive. */
export const ArchiveFile = Schema.Struct({
  name: Schema.String.check(Schema.isPattern(/^events-\d+-\d+\.ndjson\.gz$/)),
  first: place,
  last: place,
  /** In bytes, compressed. */
  size: place,
  /** SHA-256 of the compressed bytes, `sha256:` and 64 hex digits. */
  digest: Schema.String.check(Schema.isPattern(/^sha256:[0-9a-f]{64}$/))
})
export type ArchiveFile = typeof ArchiveFile.Type

/** The contents of `archive.json`. It is not signed: the notes of the checkpoints vouch for the events. */
export const ArchiveManifest = Schema.Struct({
  format: Schema.Literal("countersign-log-archive/1"),
  /** The log, as its checkpoints name it in their first epoch. */
  log: Schema.String,
  start: LogStart,
  files: Schema.Array(ArchiveFile),
  /** The notes of signed checkpoints, in order of size. The last one covers all files of a complete archive. */
  checkpoints: Schema.Array(Schema.Struct({ tree_size: place, note: Schema.String }))
})
export type ArchiveManifest = typeof ArchiveManifest.Type

/** The last event that the files of an archive hold. */
export const lastArchived = ({ files, start }: Pick<ArchiveManifest, "files" | "start">): number =>
  files.at(-1)?.last ?? start.sequence

/** The name of the file of these events. Names sort as the events do. */
export const archiveFileName = (first: number, last: number): string =>
  `events-${String(first).padStart(12, "0")}-${String(last).padStart(12, "0")}.ndjson.gz`

/** The reason why the files of an archive do not follow each other; undefined if they do. */
export const fileGap = ({ files, start }: ArchiveManifest): string | undefined => {
  let next = start.sequence + 1
  for (const { first, last, name } of files) {
    if (first !== next || last < first) return `${name} does not begin with event ${next}`
    next = last + 1
  }
  return undefined
}
