import { Effect } from "effect"
import { Client } from "pg"
import type { ChainEnd, UnplacedEvent } from "../../src/domain/evidence/transparency/ChainExtension.ts"
import { extendChain } from "../../src/domain/evidence/transparency/ChainExtension.ts"
import type { LicenseEnds } from "../../src/domain/log/LicenseChain.ts"
import { data } from "../feed/feed.ts"
import { bulkLoad } from "../harness/BulkLoad.ts"
import type { CopyIn } from "../harness/CopyIn.ts"
import { copyIn } from "../harness/CopyIn.ts"
import { BenchError } from "../harness/ServiceProcess.ts"
import { sha256 } from "../harness/Sha256.ts"
import { makeTreeWriter } from "../harness/TreeWriter.ts"

/** Licenses that the other events are of. */
const others = 100_000

/** The tables of a log. */
const tables = ["event_records", "event_places", "event_tiles", "event_checkpoints"] as const

const recordColumns = [
  "ordinal",
  "id",
  "event_type",
  "actor_type",
  "actor_id",
  "resource_id",
  "metadata",
  "data",
  "commitments",
  "request_id",
  "created_at"
]
const placeColumns = [
  "sequence",
  "ordinal",
  "id",
  "event_type",
  "resource_id",
  "actor_type",
  "previous_hash",
  "hash",
  "license_id",
  "license_previous",
  "license_previous_hash"
]

/** A field of a line of COPY (https://www.postgresql.org/docs/current/sql-copy.html, text format). */
const field = (value: unknown): string => {
  if (value === null || value === undefined) return "\\N"
  if (value instanceof Uint8Array) return `\\\\x${Buffer.from(value).toString("hex")}`
  if (value instanceof Date) return value.toISOString()
  if (typeof value === "object") return JSON.stringify(value)
  return String(value).replaceAll("\\", "\\\\").replaceAll("\t", "\\t").replaceAll("\n", "\\n")
}

const line = (values: ReadonlyArray<unknown>): string => values.map(field).join("\t")

/** A text of 26 letters that looks random, as an id has. */
const drawn = (number: number): string => Buffer.from(sha256(String(number))).toString("hex").slice(0, 26)

const otherEvent = (number: number, created_at: Date): UnplacedEvent => {
  const license = `lic_${drawn(number % others)}`
  return {
    id: `evt_${drawn(number)}`,
    event_type: "license.usage_recorded",
    actor_type: "license",
    actor_id: license,
    resource_id: license,
    metadata: "{}",
    data,
    request_id: null,
    created_at
  }
}

/** Writes a log of events from its beginning. */
const logWriter = async (databaseUrl: string) => {
  const streams = new Map<string, CopyIn>()
  const streamOf = async (table: string, columns: ReadonlyArray<string>) => {
    const stream = await copyIn(databaseUrl, table, columns)
    streams.set(table, stream)
    return stream
  }
  const records = await streamOf("event_records", recordColumns)
  const places = await streamOf("event_places", placeColumns)
  const tiles = await streamOf("event_tiles", ["level", "index", "hashes"])
  const tree = makeTreeWriter(({ hashes, index, level }) => tiles.write(line([level, index, hashes])))
  const licenseEnds: LicenseEnds & Map<string, { readonly sequence: number; readonly hash: Uint8Array }> = new Map()
  let end: ChainEnd = { sequence: 0, hash: new Uint8Array(32) }
  return {
    append: async (events: ReadonlyArray<UnplacedEvent>) => {
      const grown = extendChain(end, events, "live", sha256, licenseEnds)
      for (const [index, event] of events.entries()) {
        const {
          actor_id,
          actor_type,
          commitments,
          created_at,
          data,
          event_type,
          id,
          metadata,
          request_id,
          resource_id
        } = event
        const sequence = grown.sequences[index]!
        const license = grown.licenses[index]
        records.write(line([
          sequence,
          id,
          event_type,
          actor_type,
          actor_id,
          resource_id,
          metadata,
          data,
          commitments,
          request_id,
          created_at
        ]))
        places.write(line([
          sequence,
          sequence,
          id,
          event_type,
          resource_id,
          actor_type,
          Buffer.from(grown.previousHashes[index]!, "hex"),
          Buffer.from(grown.hashes[index]!, "hex"),
          // As the sequencer writes it: where the resource is the license, its ID stands in the row already.
          license?.license_id === resource_id ? undefined : license?.license_id,
          license?.license_previous,
          license?.license_previous_hash
        ]))
        tree.add(grown.leaves[index]!)
      }
      for (const [license, last] of grown.licenseEnds) licenseEnds.set(license, last)
      end = grown.end
      for (const stream of streams.values()) await stream.drain()
    },
    end: async () => {
      tree.end()
      for (const stream of streams.values()) await stream.end()
      return end.sequence
    }
  }
}

/** Writes the events that are there anew, and after each use so many of other licenses; answers where the log ends. */
const write = async (databaseUrl: string, between: number): Promise<number> => {
  const client = new Client(databaseUrl)
  await client.connect()
  const { rows } = await client.query<UnplacedEvent>("SELECT * FROM events ORDER BY sequence")
  await client.query(`TRUNCATE ${tables.join(", ")}`)
  await client.end()
  const log = await logWriter(databaseUrl)
  let number = 0
  for (const event of rows) {
    await log.append([event])
    if (event.event_type !== "license.usage_recorded") continue
    await log.append(Array.from({ length: between }, () => otherEvent(++number, event.created_at)))
  }
  return log.end()
}

/**
 * Spreads the uses that are there over a log, with so many events of other licenses after each: as if they had all been
 * recorded in this order. No service may use the database meanwhile.
 */
export const spreadUses = (databaseUrl: string, between: number) =>
  bulkLoad(
    databaseUrl,
    tables,
    Effect.tryPromise({
      try: async () => {
        const end = String(await write(databaseUrl, between))
        return [
          ["UPDATE event_chain SET last_sequence = $1::int8, tree_size = $1::int8, linked_from = 1", [end]],
          ["SELECT setval(pg_get_serial_sequence('event_pending', 'ordinal'), $1::int8)", [end]]
        ] as const
      },
      catch: (cause) => new BenchError({ message: `The log cannot be written: ${String(cause)}` })
    })
  )
