import { Data, Effect, Result, Schema } from "effect"
import { createHash } from "node:crypto"
import { createReadStream, createWriteStream } from "node:fs"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { createGunzip, createGzip } from "node:zlib"
import {
  archiveFileName,
  ArchiveManifest,
  fileGap,
  manifestName
} from "../../domain/evidence/transparency/LogArchive.ts"
import type { ArchiveFile } from "../../domain/evidence/transparency/LogArchive.ts"
import { replaceFile } from "./replaceFile.ts"

/** An archive cannot be read or written. The message says which file and why. */
export class ArchiveUnusable extends Data.TaggedError("ArchiveUnusable")<{ readonly message: string }> {}

const attempt = <A>(path: string, work: () => Promise<A>) =>
  Effect.tryPromise({ try: work, catch: (cause) => new ArchiveUnusable({ message: `${path}: ${String(cause)}` }) })

const decodeManifest = Schema.decodeUnknownResult(ArchiveManifest)

/** Reads the manifest of an archive; undefined if there is none in the directory. */
export const readManifest = Effect.fnUntraced(function*(directory: string) {
  const path = Path.join(directory, manifestName)
  const text = yield* attempt(path, () =>
    Fs.readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return undefined
      throw error
    }))
  if (text === undefined) return undefined
  const read = yield* attempt(path, async () => decodeManifest(JSON.parse(text)))
  if (Result.isFailure(read)) {
    return yield* new ArchiveUnusable({ message: `${path} is not that of an archive: ${read.failure.message}` })
  }
  const gap = fileGap(read.success)
  return gap === undefined ? read.success : yield* new ArchiveUnusable({ message: `${path}: ${gap}` })
})

/** {@link readManifest}; fails when there is no archive. */
export const requireManifest = Effect.fnUntraced(function*(directory: string) {
  const manifest = yield* readManifest(directory)
  if (manifest !== undefined) return manifest
  return yield* new ArchiveUnusable({ message: `There is no archive in ${directory}: it has no ${manifestName}` })
})

/** Replaces the manifest of an archive. */
export const writeManifest = (directory: string, manifest: ArchiveManifest) =>
  attempt(Path.join(directory, manifestName), () =>
    replaceFile(
      Path.join(directory, manifestName),
      (part) => Fs.writeFile(part, `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 })
    ))

/** Makes the directory of an archive if it is not there. */
export const ensureDirectory = (directory: string) =>
  attempt(directory, () => Fs.mkdir(directory, { recursive: true, mode: 0o700 }))

/** The size and the digest of a file. Memory does not grow with it. */
const measured = async (path: string): Promise<Pick<ArchiveFile, "size" | "digest">> => {
  const hash = createHash("sha256")
  let size = 0
  for await (const chunk of createReadStream(path) as AsyncIterable<Uint8Array>) {
    hash.update(chunk)
    size += chunk.length
  }
  return { size, digest: `sha256:${hash.digest("hex")}` }
}

/** The longest line of an event, in characters. A compressed file that unpacks to more would only fill the memory. */
export const longestLine = 16 * 1024 * 1024

function* terminated(lines: ReadonlyArray<string>): Generator<string, void> {
  for (const line of lines) yield `${line}\n`
}

/** Writes the events `first` to `last` to a file of the archive, and answers its entry in the manifest. */
export const writeEvents = (
  directory: string,
  first: number,
  last: number,
  lines: ReadonlyArray<string>
): Effect.Effect<ArchiveFile, ArchiveUnusable> => {
  const name = archiveFileName(first, last)
  const path = Path.join(directory, name)
  return attempt(path, async () => {
    await replaceFile(
      path,
      (part) => pipeline(Readable.from(terminated(lines)), createGzip(), createWriteStream(part, { mode: 0o600 }))
    )
    return { name, first, last, ...await measured(path) }
  })
}

/** Fails when a file of the archive is not there as the manifest says. */
export const checkFiles = (directory: string, files: ReadonlyArray<ArchiveFile>) =>
  Effect.forEach(files, ({ digest, name, size }) => {
    const path = Path.join(directory, name)
    return Effect.flatMap(attempt(path, () => measured(path)), (found) =>
      found.digest === digest && found.size === size
        ? Effect.void
        : Effect.fail(new ArchiveUnusable({ message: `${path} is not the file that was written: its digest differs` })))
  }, { discard: true })

/**
 * The lines of UTF-8 text, without their line feeds, and the rest after the last one. Node's own reader also splits
 * at U+2028, which JSON may contain. Rejects bytes that are not UTF-8, and a line longer than any event.
 */
export async function* eventLines(name: string, bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string, string> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
  let rest = ""
  for await (const chunk of bytes) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n")
    rest = lines.pop()!
    if (rest.length > longestLine) throw new Error(`${name} has a line that is longer than any event`)
    yield* lines
  }
  return rest + decoder.decode()
}

/** Every line of the archive in order, without line ends. Rejects when a file cannot be read or is cut off. */
export async function* archivedLines(
  directory: string,
  { files }: Pick<ArchiveManifest, "files">
): AsyncGenerator<string, void> {
  for (const { name } of files) {
    const unpacked = createGunzip()
    const packed = createReadStream(Path.join(directory, name))
    packed.on("error", (error) => unpacked.destroy(error))
    packed.pipe(unpacked)
    try {
      const rest = yield* eventLines(name, unpacked)
      if (rest !== "") throw new Error(`${name} does not end with a whole line`)
    } finally {
      packed.destroy()
    }
  }
}
