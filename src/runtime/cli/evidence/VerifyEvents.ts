import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { createReadStream } from "node:fs"
import * as Fs from "node:fs/promises"
import { vendorKeysIn } from "../../../client/evidence/Trust.ts"
import { followLogKeys } from "../../../client/notes/followLogKeys.ts"
import { verifyEvents } from "../../../client/verify/verifyEvents.ts"
import type { EventsVerdict } from "../../../client/verify/verifyEvents.ts"
import type { ArchiveManifest } from "../../../domain/evidence/transparency/LogArchive.ts"
import { parseInternetJson } from "../../../domain/ground/parsing/InternetJson.ts"
import { sequenceOf } from "../../../domain/log/EventChain.ts"
import { archivedLines, eventLines, requireManifest } from "../../archive/ArchiveDirectory.ts"
import { AlreadySaid, WrongUsage } from "../../terminal/ExitCode.ts"
import { counted, json, printJson, printText } from "../../terminal/Printing.ts"
import { counting, makeProgress } from "../../terminal/Progress.ts"
import { lastLine } from "../ground/LastLine.ts"

/** The public keys that a verification trusts. */
export const keysFlag = Flag.String("keys").pipe(
  Flag.withDescription("A file with the body of GET /api/v1/system/public-keys, from a source you trust")
)

/** Checkpoints that a reader kept from before. */
export const checkpointsFlag = Flag.String("checkpoint").pipe(
  Flag.atMost(100),
  Flag.withDefault<ReadonlyArray<string>>([]),
  Flag.withDescription("A file with the note of an earlier checkpoint, which the events must agree with; repeatable")
)

/** Proofs of what the log says of its keys. */
export const keyEventsFlag = Flag.String("key-event").pipe(
  Flag.atMost(100),
  Flag.withDefault<ReadonlyArray<string>>([]),
  Flag.withDescription(
    "A file with the tlog_proof of a log.key_introduced or signing_key.revoked, for keys that the file of keys does not have yet; " +
      "repeatable, in the order of the log"
  )
)

/** The text of a UTF-8 file; invalid bytes are an error and are not replaced. */
export const textOf = (path: string) =>
  Effect.tryPromise({
    try: async () => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await Fs.readFile(path)),
    catch: (cause) => new WrongUsage({ message: `${path}: ${String(cause)}` })
  })

/** Reads the body of the public-keys route, or its `data` alone, and follows the keys from there by the events about them. */
export const readKeys = Effect.fnUntraced(function*(path: string, keyEvents: ReadonlyArray<string> = []) {
  const text = yield* textOf(path)
  const body = yield* Effect.try({
    try: () => parseInternetJson(text),
    catch: (cause) => new WrongUsage({ message: `${path}: ${(cause as Error).message}` })
  })
  const keys = vendorKeysIn(body)
  if (keys === undefined) {
    return yield* new WrongUsage({
      message: `${path} has no public keys. Expected the body of GET /api/v1/system/public-keys: {"data": [...]}`
    })
  }
  const proofs = yield* Effect.forEach(keyEvents, textOf)
  const followed = yield* Effect.promise(() => followLogKeys({ ...keys, proofs }))
  if (followed.ok) return { publicKeys: followed.publicKeys, revokedKeys: followed.revokedKeys }
  return yield* new WrongUsage({ message: `${keyEvents[followed.proof]} is not followed: ${followed.fault}` })
})

/** The lines of an export; the last may lack its end. */
async function* linesOf(path: string): AsyncGenerator<string, void> {
  const rest = yield* eventLines(path, createReadStream(path, { highWaterMark: 1024 * 1024 }))
  if (rest !== "") yield rest
}

/** The lines of an archive that come before the first line of an export, and then those of the export. */
async function* afterArchive(
  directory: string,
  manifest: ArchiveManifest,
  path: string
): AsyncGenerator<string, void> {
  const exported = linesOf(path)
  const first = await exported.next()
  let next = manifest.start.sequence + 1
  const from = first.done === true ? undefined : sequenceIn(first.value)
  for await (const line of archivedLines(directory, manifest)) {
    if (next === from) break
    yield line
    next += 1
  }
  if (first.done !== true) yield first.value
  yield* exported
}

const parsed = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** The sequence of the event of a line; undefined when it is none. */
const sequenceIn = (line: string): unknown => sequenceOf(parsed(line))

/**
 * The number of lines of an export together with the archive before it, from its first and its last line: an event,
 * and the checkpoint. Undefined if these do not say it, or the file can be read only once.
 */
export const lineCount = async (
  path: string,
  archive?: { readonly start: { readonly sequence: number } }
): Promise<number | undefined> => {
  if (!(await Fs.stat(path)).isFile()) return undefined
  const file = await Fs.open(path)
  const last = await lastLine(file).finally(() => file.close())
  const size = (parsed(last?.line ?? "") as { readonly checkpoint?: { readonly tree_size?: unknown } } | undefined)
    ?.checkpoint?.tree_size
  if (typeof size !== "number") return undefined
  if (archive !== undefined) return size - archive.start.sequence + 1
  for await (const line of linesOf(path)) {
    const first = sequenceIn(line)
    return typeof first === "number" ? size - first + 2 : undefined
  }
  return undefined
}

export const summary = (verdict: Extract<EventsVerdict, { ok: true }>): ReadonlyArray<string> => {
  const last = verdict.checkpoints.at(-1)!
  const at = last.time === undefined ? "" : ` at ${last.time}`
  const { epochs } = verdict
  const begun = epochs.length === 0
    ? ""
    : `, restored to an earlier state ${counted(epochs.length, "time")} (epoch ${
      epochs.map(({ epoch, first_sequence }) => `${epoch} from event ${first_sequence}`).join(", ")
    })`
  const erased = verdict.erased === 0 ? "" : `, ${counted(verdict.erased, "personal value")} erased`
  const withdrawn = verdict.checkpoints.filter(({ revokedAt }) => revokedAt !== undefined).map((checkpoint) =>
    `remark: the kept checkpoint of ${
      counted(checkpoint.size, "event")
    } was signed with ${checkpoint.kid}, which was ` +
    `revoked at ${checkpoint.revokedAt}. It claims to be signed before, at ${checkpoint.time}. Anyone with the key can ` +
    "claim that, so trust it only as far as you trust where it was stored."
  )
  return [
    `verified: ${counted(verdict.events, "event")} of ${last.origin}${
      verdict.environment === undefined ? "" : `, of the ${verdict.environment} environment`
    }, chain and tree, signed by ${last.kid}${at}${begun}${erased}`,
    ...withdrawn
  ]
}

export const fault = ({ detail, fault, sequence }: Extract<EventsVerdict, { ok: false }>): string =>
  `not verified: ${sequence === undefined ? fault : `event ${sequence} ${fault}`}: ${detail}`

const inputs = {
  file: Argument.String("file").pipe(Argument.withDescription("A file from `countersign events export`")),
  keys: keysFlag,
  checkpoint: checkpointsFlag,
  keyEvent: keyEventsFlag,
  archive: Flag.String("archive").pipe(
    Flag.optional,
    Flag.withDescription("Archive directory with the events before those of the file")
  ),
  json
}

/** `countersign verify events`: verifies an export of the feed offline. */
export const verifyEventsCommand = Command.make("events", inputs, (input) =>
  Effect.gen(function*() {
    const keys = yield* readKeys(input.keys, input.keyEvent)
    const notes = yield* Effect.forEach(input.checkpoint, textOf)
    const directory = Option.getOrUndefined(input.archive)
    const manifest = directory === undefined ? undefined : yield* requireManifest(directory)
    // The verification reports a file that cannot be read.
    const total = yield* Effect.promise(() => lineCount(input.file, manifest).catch(() => undefined))
    const progress = yield* makeProgress("Verifying events", total)
    const verdict = yield* Effect.tryPromise({
      try: () =>
        verifyEvents({
          ...(manifest === undefined
            ? { lines: counting(linesOf(input.file), progress) }
            : { lines: counting(afterArchive(directory!, manifest, input.file), progress), start: manifest.start }),
          ...keys,
          notes: [...manifest?.checkpoints.map(({ note }) => note) ?? [], ...notes]
        }),
      catch: (cause) => new WrongUsage({ message: `${input.file}: ${String(cause)}` })
    })
    progress.erase()
    yield* input.json ? printJson(verdict) : printText(verdict.ok ? summary(verdict) : fault(verdict))
    if (!verdict.ok) return yield* new AlreadySaid({ message: verdict.fault })
  }).pipe(Effect.scoped)).pipe(
    Command.withDescription("Verify an export of the event feed offline: hash chain, tree and signatures"),
    Command.withExamples([{
      command: "countersign verify events events.jsonl --keys keys.json",
      description: "A file from `events export`"
    }])
  )
