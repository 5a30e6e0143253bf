import { Clock, Data, Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { createHash } from "node:crypto"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { exportedResources } from "../../exporting/ExportedResources.ts"
import { WrongUsage } from "../../terminal/ExitCode.ts"
import { json, printJson, printText } from "../../terminal/Printing.ts"
import type { Progress } from "../../terminal/Progress.ts"
import { makeProgress } from "../../terminal/Progress.ts"
import { ServiceApi, url } from "../ground/ServiceApi.ts"

const directory = Argument.String("directory").pipe(
  Argument.withDescription("Directory for the export; must not exist yet")
)

/** The files cannot be written. The message says where and why. */
class NotWritten extends Data.TaggedError("NotWritten")<{ readonly message: string }> {}

/** The licenses whose parts are requested concurrently. */
const atOnce = 8

/**
 * The lines of one owner that are buffered before they are written; as many are in memory for each concurrent owner.
 */
const gathered = 500

interface Owner {
  readonly id: string
  readonly product_id?: string
}

const isOwner = (name: string) =>
  name === "products" || name === "policies" || name === "customers" || name === "licenses"

/** The entry of a file in the manifest. */
interface WrittenFile {
  readonly file: string
  readonly lines: number
  readonly bytes: number
  readonly sha256: string
}

const notWritten = (path: string) => (cause: unknown) =>
  new NotWritten({ message: `${path} cannot be written: ${(cause as Error).message}` })

const onDisk = <A>(path: string, work: () => Promise<A>) => Effect.tryPromise({ try: work, catch: notWritten(path) })

/** Writes one file, entry by entry; `owners` collects those that later files ask for. */
const writeResource = Effect.fnUntraced(function*(
  part: string,
  resource: typeof exportedResources[number],
  owners: Map<string, Array<Owner>>,
  hasAny: (name: string) => boolean,
  progress: Progress
) {
  const { ask } = yield* ServiceApi
  const file = `${resource.name}.ndjson`
  const path = Path.join(part, file)
  const handle = yield* Effect.acquireRelease(
    onDisk(path, () => Fs.open(path, "wx", 0o600)),
    (handle) => Effect.promise(() => handle.close())
  )
  const hash = createHash("sha256")
  let lines = 0
  let bytes = 0
  const write = async (texts: ReadonlyArray<string>) => {
    const text = Buffer.from(texts.join(""))
    hash.update(text)
    lines += texts.length
    bytes += text.length
    try {
      await handle.writeFile(text)
    } catch (cause) {
      throw notWritten(path)(cause)
    }
  }
  const kept: Array<Owner> = []
  // Most owners have few entries, so several owners are requested concurrently. What exceeds the buffer waits for its
  // turn and is then written as it arrives: one license may have had a hundred thousand leases.
  const width = resource.of === "customers" || resource.of === "licenses" ? atOnce : 1
  let turn = Promise.resolve()
  const writeOf = (owner: Owner) =>
    ask(async (client) => {
      const before = turn
      const { promise, resolve } = Promise.withResolvers<void>()
      turn = promise
      let found: Array<string> = []
      const flush = async () => {
        await before
        await write(found)
        found = []
      }
      for await (const entry of resource.read(client, owner)) {
        found.push(`${JSON.stringify(entry)}\n`)
        if (isOwner(resource.name)) {
          const { id, product_id } = entry as Owner
          kept.push({ id, ...(product_id === undefined ? {} : { product_id }) })
        }
        progress.advance()
        if (found.length === gathered) await flush()
      }
      await flush()
      resolve()
    })
  const isNone = resource.needs !== undefined && !hasAny(resource.needs)
  const from = isNone ? [] : resource.of === undefined ? [{ id: "" }] : owners.get(resource.of) ?? []
  yield* Effect.forEach(from, writeOf, { concurrency: width, discard: true }).pipe(
    Effect.catchDefect((cause) => cause instanceof NotWritten ? Effect.fail(cause) : Effect.die(cause))
  )
  owners.set(resource.name, kept)
  yield* onDisk(path, () => handle.sync())
  return { file, lines, bytes, sha256: hash.digest("hex") } satisfies WrittenFile
}, Effect.scoped)

const readme = (address: string, at: string): string =>
  [
    `Data of ${address} on ${at}, as shown by its API. Each file has one JSON object per line (NDJSON, UTF-8).`,
    "",
    ...exportedResources.map(({ name, text }) => `${`${name}.ndjson`.padEnd(24)} ${text}`),
    `${"manifest.json".padEnd(24)} lines, bytes and SHA-256 of each file, and the feed position before and after`,
    "",
    "The service kept running: a change between the two positions in the manifest may be in one file and not in",
    "another. events.ndjson has every such change.",
    "",
    "Not included, because the service does not store them: license keys and API keys, of which it keeps only",
    "keyed hashes. Webhook secrets and private signing keys are never shown either. Database backups contain",
    "all of it: this export is for reading and for moving to another system.",
    "",
    "countersign import <this directory> --keys <your list of keys> imports it into another installation and compares the",
    "two. The list is CSV with a column license_key; keys are matched by their start and last four characters, or by",
    "a column license_id. --new-keys <file> creates new keys for licenses whose keys are unknown.",
    ""
  ].join("\n")

/** The highest sequence of the feed; 0 before the first event. */
const headOf = Effect.gen(function*() {
  const { ask } = yield* ServiceApi
  const [latest] = yield* ask((client) => client.events.list({ order: "desc", limit: 1 }))
  return latest?.sequence ?? 0
})

/** `countersign export`: everything that a vendor owns, as files. */
export const exportCommand = Command.make(
  "export",
  { directory, json, url },
  (input) =>
    Effect.scoped(Effect.gen(function*() {
      const target = Path.resolve(input.directory)
      const part = `${target}.part`
      const isThere = yield* Effect.promise(() => Fs.stat(target).then(() => true, () => false))
      if (isThere) return yield* new WrongUsage({ message: `${target} already exists. Choose a new directory` })
      const { address } = yield* ServiceApi
      const begun = yield* Clock.currentTimeMillis
      const before = yield* headOf
      // Files of an interrupted export are of another time.
      yield* onDisk(part, async () => {
        await Fs.rm(part, { recursive: true, force: true })
        await Fs.mkdir(part, { recursive: true, mode: 0o700 })
      })
      const progress = yield* makeProgress("Exporting")
      const owners = new Map<string, Array<Owner>>()
      const files: Array<WrittenFile> = []
      const hasAny = (name: string) => files.some(({ file, lines }) => file === `${name}.ndjson` && lines > 0)
      for (const resource of exportedResources) {
        files.push(yield* writeResource(part, resource, owners, hasAny, progress))
      }
      const manifest = {
        service: address,
        exported_at: new Date(begun).toISOString(),
        feed: { sequence_before: before, sequence_after: yield* headOf },
        files
      }
      yield* onDisk(part, async () => {
        const options = { mode: 0o600 }
        await Fs.writeFile(Path.join(part, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`, options)
        await Fs.writeFile(Path.join(part, "README.txt"), readme(address, manifest.exported_at), options)
        await Fs.rename(part, target)
      })
      progress.erase()
      if (input.json) return yield* printJson({ directory: target, ...manifest })
      const lines = files.reduce((sum, file) => sum + file.lines, 0)
      yield* printText(
        `${target}: ${
          lines.toLocaleString("en-US")
        } lines in ${files.length} files, feed at ${manifest.feed.sequence_after}. ` +
          "License keys are not included; see README.txt"
      )
    }))
).pipe(
  Command.withExamples([
    { command: "countersign export /backup/vendor-2026-11", description: "All data of the local service" }
  ]),
  Command.provide((input) => ServiceApi.layer(input, { maxRetries: 6 }))
)
