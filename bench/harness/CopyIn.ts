import { once } from "node:events"
import type { Socket } from "node:net"
import { Client } from "pg"
import type { Submittable } from "pg"

/** A COPY that is under way: rows go in, as lines of PostgreSQL's text format. */
export interface CopyIn {
  /** Adds a line, without its line feed. */
  readonly write: (line: string) => void
  /** Waits until the server has taken most of what was written. */
  readonly drain: () => Promise<void>
  /** Ends the COPY and closes its connection. */
  readonly end: () => Promise<void>
}

/** What the client tells a query and a query tells the client (https://node-postgres.com/apis/client, Submittable). */
interface Wire {
  readonly stream: Socket
  readonly query: (text: string) => void
  readonly sendCopyFromChunk: (chunk: Buffer) => void
  readonly endCopyFrom: () => void
}

/** Characters that are gathered before they are sent. */
const chunk = 1 << 17

/** Bytes that may wait in the socket. */
const highWater = 1 << 21

const connect = async (databaseUrl: string, settings: ReadonlyArray<string>): Promise<Client> => {
  const client = new Client(databaseUrl)
  await client.connect()
  for (const setting of settings) await client.query(setting)
  return client
}

/**
 * Begins a COPY into these columns of a table, on a connection of its own on which triggers, and with them foreign keys,
 * are not looked at: the rows are copies of rows that satisfied them.
 */
export const copyIn = async (databaseUrl: string, table: string, columns: ReadonlyArray<string>): Promise<CopyIn> => {
  const client = await connect(databaseUrl, ["SET session_replication_role = replica"])
  let wire: Wire | undefined
  let pending: Array<string> = []
  let length = 0
  let failure: Error | undefined
  let ready: () => void
  let ended: () => void
  const begun = new Promise<void>((resolve) => ready = resolve)
  const done = new Promise<void>((resolve) => ended = resolve)
  const query = {
    submit: (connection: Wire) => connection.query(`COPY ${table} (${columns.join(", ")}) FROM STDIN`),
    handleCopyInResponse: (connection: Wire) => {
      wire = connection
      ready()
    },
    handleError: (error: Error) => {
      failure = error
      ready()
      ended()
    },
    handleCommandComplete: () => undefined,
    handleReadyForQuery: () => ended()
  }
  client.query(query as unknown as Submittable)
  await begun

  const flush = () => {
    if (failure !== undefined) throw failure
    if (length > 0) wire!.sendCopyFromChunk(Buffer.from(pending.join("")))
    pending = []
    length = 0
  }
  return {
    write: (line) => {
      pending.push(line, "\n")
      length += line.length + 1
      if (length >= chunk) flush()
    },
    drain: async () => {
      flush()
      if (wire !== undefined && wire.stream.writableLength > highWater) await once(wire.stream, "drain")
    },
    end: async () => {
      flush()
      wire?.endCopyFrom()
      await done
      await client.end()
      if (failure !== undefined) throw failure
    }
  }
}

/** The columns of a table in their order, without those that PostgreSQL computes. */
export const columnsOf = async (client: Client, table: string): Promise<ReadonlyArray<string>> => {
  const { rows } = await client.query<{ name: string }>(
    `SELECT attname AS name FROM pg_attribute
     WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum`,
    [table]
  )
  return rows.map(({ name }) => name)
}

/** The rows of a SELECT as lines of PostgreSQL's text format. */
export const copyOut = (client: Client, select: string): Promise<ReadonlyArray<string>> =>
  new Promise((resolve, reject) => {
    let text = ""
    const sink = {
      submit: (connection: { readonly query: (text: string) => void }) =>
        connection.query(`COPY (${select}) TO STDOUT`),
      handleCopyData: ({ chunk: data }: { readonly chunk: Buffer }) => text += data.toString(),
      handleError: reject,
      handleCommandComplete: () => undefined,
      handleReadyForQuery: () => resolve(text.split("\n").slice(0, -1))
    }
    client.query(sink as unknown as Submittable)
  })
