import { Effect } from "effect"
import { Client } from "pg"
import type { EventKind } from "../../src/domain/log/EventKind.ts"
import { resourceTypeOf } from "../../src/domain/log/EventKind.ts"
import type { Commitments } from "../../src/domain/log/EventLeaf.ts"
import { leafText } from "../../src/domain/log/EventLeaf.ts"
import { columnsOf, copyOut } from "../harness/CopyIn.ts"
import { BenchError } from "../harness/ServiceProcess.ts"
import type { Story } from "./LicenseStory.ts"
import { keptKey } from "./LicenseStory.ts"
import type { Scope, Template } from "./Template.ts"
import { keyMark, ordinalMark, sequenceMark, Slots } from "./Template.ts"

/** An event of the story: its record, its place without the hashes, and the leaf that is hashed. */
interface StoryEvent {
  readonly record: Template
  readonly place: Template
  readonly leaf: Template
}

/** What is copied of one scope: rows by their table, and events in their order. */
export interface StoryPart {
  readonly rows: ReadonlyArray<{ readonly table: string; readonly template: Template }>
  readonly events: ReadonlyArray<StoryEvent>
}

/** A story as templates. */
export interface StoryRows {
  readonly slots: Slots
  readonly account: StoryPart
  readonly license: StoryPart
  /** The columns of each table that is copied. */
  readonly columns: ReadonlyMap<string, ReadonlyArray<string>>
  /** The leaves of the events that are there, in their order. */
  readonly leaves: ReadonlyArray<string>
}

/** The tables whose rows are the story's, with the condition for the rows of each. */
const accountTables = { customers: "true", subscriptions: "true", orders: "true" }
const licenseTables = {
  licenses: "true",
  license_keys: "true",
  license_features: "true",
  devices: "true",
  leases: "true",
  usage_records: "true",
  usage_days: "true",
  idempotency_keys: `key = '${keptKey}'`
}

/** Columns of a place before its two hashes. */
export const placeColumns = ["sequence", "ordinal", "id", "event_type", "resource_id", "actor_type"]

interface EventRow {
  readonly sequence: string
  readonly id: string
  readonly event_type: EventKind
  readonly actor_type: string
  readonly actor_id: string
  readonly resource_id: string | null
  readonly metadata: string
  readonly data: string
  readonly commitments: Commitments | null
  readonly request_id: string | null
  readonly created_at: Date
}

const readStory = async (client: Client, { accountId, shared }: Story): Promise<StoryRows> => {
  const { rows: events } = await client.query<EventRow>("SELECT * FROM events ORDER BY sequence")
  const slots = new Slots(shared, events.at(-1)!.created_at.getTime())
  const columns = new Map<string, ReadonlyArray<string>>()
  const read = async (tables: Readonly<Record<string, string>>, scopeOf: (table: string) => Scope) => {
    const rows: Array<{ readonly table: string; readonly template: Template }> = []
    for (const [table, condition] of Object.entries(tables)) {
      const names = columns.get(table) ?? await columnsOf(client, table)
      columns.set(table, names)
      const lines = await copyOut(client, `SELECT ${names.join(", ")} FROM ${table} WHERE ${condition}`)
      for (const line of lines) {
        const marked = table === "license_keys" ? line.replace(/\\\\x[0-9a-f]{64}/, keyMark) : line
        rows.push({ table, template: slots.compile(marked, scopeOf(table)) })
      }
    }
    return rows
  }

  const leafOf = (row: EventRow, sequence: number) =>
    leafText({
      ...row,
      environment: "live",
      sequence,
      resource_type: resourceTypeOf(row.event_type),
      created_at: row.created_at.toISOString()
    })
  const recordColumns = await columnsOf(client, "event_records")
  columns.set("event_records", recordColumns)
  const selected = recordColumns.map((name) => name === "ordinal" ? `${ordinalMark}` : `r.${name}`).join(", ")
  const eventsOf = async (scope: Scope, from: number, to: number) => {
    const found: Array<StoryEvent> = []
    for (const row of events.slice(from, to)) {
      const [record] = await copyOut(
        client,
        `SELECT ${selected} FROM event_records r JOIN event_places p USING (ordinal) WHERE p.sequence = ${row.sequence}`
      )
      const [place] = await copyOut(
        client,
        `SELECT ${sequenceMark}, ${ordinalMark}, ${placeColumns.slice(2).join(", ")} FROM event_places
         WHERE sequence = ${row.sequence}`
      )
      found.push({
        record: slots.compile(record!, scope),
        place: slots.compile(place!, scope),
        leaf: slots.compile(leafOf(row, sequenceMark), scope)
      })
    }
    return found
  }

  // The account comes after the catalogue, and the license after the account.
  const accountFrom = events.findIndex(({ resource_id }) => resource_id === accountId)
  const licenseFrom = events.findIndex(({ event_type }) => event_type === "license.created")
  const activitiesOf = (from: number, to: number) => ({
    activities: `audit_event_id IN (${events.slice(from, to).map(({ id }) => `'${id}'`).join(", ")})`
  })
  const account = {
    rows: await read({ ...accountTables, ...activitiesOf(accountFrom, licenseFrom) }, () => "account"),
    events: await eventsOf("account", accountFrom, licenseFrom)
  }
  const license = {
    rows: await read(
      { ...licenseTables, ...activitiesOf(licenseFrom, events.length) },
      (table) => table === "idempotency_keys" ? "recent" : "license"
    ),
    events: await eventsOf("license", licenseFrom, events.length)
  }
  return { slots, account, license, columns, leaves: events.map((row) => leafOf(row, Number(row.sequence))) }
}

/** Reads the rows of a story that was told to a service with nothing else in its database, as templates. */
export const storyRows = (databaseUrl: string, story: Story): Effect.Effect<StoryRows, BenchError> =>
  Effect.acquireUseRelease(
    Effect.promise(async () => {
      const client = new Client(databaseUrl)
      await client.connect()
      return client
    }),
    (client) =>
      Effect.tryPromise({
        try: () => readStory(client, story),
        catch: (cause) => new BenchError({ message: `The story cannot be read: ${String(cause)}` })
      }),
    (client) => Effect.promise(() => client.end())
  )
