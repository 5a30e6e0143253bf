import { Effect } from "effect"
import { chainHash, leafHash } from "../../src/domain/log/EventLeaf.ts"
import { copyIn } from "../harness/CopyIn.ts"
import type { CopyIn } from "../harness/CopyIn.ts"
import { BenchError } from "../harness/ServiceProcess.ts"
import { sha256 } from "../harness/Sha256.ts"
import { makeTreeWriter } from "../harness/TreeWriter.ts"
import type { StoryPart, StoryRows } from "./StoryRows.ts"
import { placeColumns } from "./StoryRows.ts"
import type { Copy, Scope } from "./Template.ts"

/** How many copies, and which of them have a key that is known. */
export interface CopiesOptions {
  readonly databaseUrl: string
  readonly story: StoryRows
  readonly licenses: number
  /** The hash of the key of a copy, 64 hex digits; undefined where nobody needs the key. */
  readonly keyHashOf: (copy: number) => string | undefined
  /** Is told the id of each copy whose key is known. */
  readonly onKnown: (copy: number, licenseId: string) => void
  readonly licenseId: string
}

/** Where the log ends. */
export interface LogEnd {
  readonly sequence: number
  readonly ordinal: number
}

/** Licenses of one customer, so that pages and summaries of a customer are of more than one row. */
const licensesOfAccount = 10

/** How far in the past the first copy is, and its answer that is kept for a day, in milliseconds. */
const past = 300 * 86_400_000
const recent = 20 * 3_600_000

/**
 * Copies are moved by whole steps of this, in milliseconds, which is longer than the story takes: none of them crosses
 * midnight, so that its uses are of one day.
 */
const step = 10_000

/** Copies between two looks at how full the sockets are. */
const stride = 500

const hex = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex")

const writeCopies = async (options: CopiesOptions): Promise<LogEnd> => {
  const { databaseUrl, keyHashOf, licenseId, licenses, onKnown, story } = options
  const { account, columns, leaves, license, slots } = story
  const tables = new Map<string, CopyIn>()
  const streamOf = async (table: string, names: ReadonlyArray<string>) => {
    const stream = await copyIn(databaseUrl, table, names)
    tables.set(table, stream)
    return stream
  }
  for (const { table } of [...account.rows, ...license.rows]) {
    if (!tables.has(table)) await streamOf(table, columns.get(table)!)
  }
  const records = await streamOf("event_records", columns.get("event_records")!)
  const places = await streamOf("event_places", [...placeColumns, "previous_hash", "hash"])
  const tiles = await streamOf("event_tiles", ["level", "index", "hashes"])
  const tree = makeTreeWriter(({ hashes, index, level }) => tiles.write(`${level}\t${index}\t\\\\x${hex(hashes)}`))

  let sequence = 0
  let chained: Uint8Array = new Uint8Array(32)
  const add = (leaf: string) => {
    const hashed = leafHash(leaf, sha256)
    tree.add(hashed)
    chained = chainHash(chained, hashed, sha256)
    sequence += 1
  }
  for (const leaf of leaves) add(leaf)

  // Ordinals have gaps, as those of transactions that were rolled back leave.
  const ordinalAfter = 1000
  const { ordinal: ordinalSlot, sequence: sequenceSlot } = slots
  const write = ({ events, rows }: StoryPart) => {
    for (const { table, template } of rows) tables.get(table)!.write(slots.render(template))
    for (const { leaf, place, record } of events) {
      slots.set(sequenceSlot, String(sequence + 1))
      slots.set(ordinalSlot, String(sequence + 1 + ordinalAfter))
      const before = hex(chained)
      add(slots.render(leaf))
      records.write(slots.render(record))
      places.write(`${slots.render(place)}\t\\\\x${before}\t\\\\x${hex(chained)}`)
    }
  }

  const idTemplate = slots.compile(licenseId, "license")
  for (let number = 1; number <= licenses; number++) {
    const share = 1 - number / licenses
    const copy: Copy = {
      number,
      shift: -Math.round(past * share / step + 1) * step,
      recentShift: -Math.round(recent * share) - 1000,
      keyHash: keyHashOf(number)
    }
    const isOfNewAccount = number % licensesOfAccount === 1
    const scopes: ReadonlyArray<Scope> = isOfNewAccount ? ["account", "license", "recent"] : ["license", "recent"]
    slots.renew(copy, scopes)
    if (isOfNewAccount) write(account)
    write(license)
    if (copy.keyHash !== undefined) onKnown(number, slots.render(idTemplate))
    if (number % stride === 0) { for (const stream of tables.values()) await stream.drain() }
  }
  tree.end()
  await Promise.all([...tables.values()].map((stream) => stream.end()))
  return { sequence, ordinal: sequence + ordinalAfter }
}

/** Writes the copies with COPY, one stream for each table, and answers where the log ends then. */
export const copies = (options: CopiesOptions): Effect.Effect<LogEnd, BenchError> =>
  Effect.tryPromise({
    try: () => writeCopies(options),
    catch: (cause) => new BenchError({ message: `The copies cannot be written: ${String(cause)}` })
  })
