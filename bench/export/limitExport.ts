// The limit of an export: the same rows in the same order out of PostgreSQL, COPY over one connection, thrown away.
import { Client } from "pg"
import type { Submittable } from "pg"
import { answerQuestions } from "../harness/Worker.ts"

export interface CopyQuestion {
  readonly databaseUrl: string
}

export interface CopyAnswer {
  readonly rows: number
  readonly bytes: number
  readonly seconds: number
}

/** What the export of the ledger reads, see UsageReports. */
const copy = `COPY (
  SELECT id, occurred_at, action, license_id, feature_id, feature_code, amount, total_consumptions,
    max_consumptions, device_id, event_id, product_id, customer_id, order_id, subscription_id, request_id
  FROM usage_ledger ORDER BY occurred_at DESC, id DESC) TO STDOUT`

answerQuestions(async ({ databaseUrl }: CopyQuestion): Promise<CopyAnswer> => {
  const client = new Client(databaseUrl)
  await client.connect()
  const started = performance.now()
  try {
    return await new Promise((resolve, reject) => {
      let bytes = 0
      let rows = 0
      // What the client calls with the messages of a query (https://node-postgres.com/apis/client, Submittable).
      const sink = {
        submit: (connection: { readonly query: (text: string) => void }) => connection.query(copy),
        handleCopyData: ({ chunk }: { readonly chunk: Uint8Array }) => {
          rows += 1
          bytes += chunk.length
        },
        handleError: reject,
        handleCommandComplete: () => undefined,
        handleReadyForQuery: () => resolve({ rows, bytes, seconds: (performance.now() - started) / 1000 })
      }
      client.query(sink as unknown as Submittable)
    })
  } finally {
    await client.end()
  }
})
