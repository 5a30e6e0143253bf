// The limit of a report: a statement in a bare loop over one connection, or COPY of the rows that it is about.
import { Client } from "pg"
import type { Submittable } from "pg"
import { answerQuestions } from "../harness/Worker.ts"

export interface StatementQuestion {
  readonly databaseUrl: string
  /** A SELECT, which is prepared, or a COPY to STDOUT, whose rows are thrown away. */
  readonly text: string
  readonly parameters: ReadonlyArray<unknown>
  /** For how long it is repeated; once at least. */
  readonly seconds: number
}

export interface StatementAnswer {
  /** In milliseconds, one for each time. */
  readonly latencies: Float64Array
  readonly seconds: number
}

const copied = (client: Client, text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    // What the client calls with the messages of a query (https://node-postgres.com/apis/client, Submittable).
    const sink = {
      submit: (connection: { readonly query: (text: string) => void }) => connection.query(text),
      handleCopyData: () => undefined,
      handleError: reject,
      handleCommandComplete: () => undefined,
      handleReadyForQuery: () => resolve()
    }
    client.query(sink as unknown as Submittable)
  })

let opened: Promise<Client> | undefined

const open = async (databaseUrl: string): Promise<Client> => {
  const client = new Client(databaseUrl)
  await client.connect()
  return client
}

answerQuestions(async ({ databaseUrl, parameters, seconds, text }: StatementQuestion): Promise<StatementAnswer> => {
  opened ??= open(databaseUrl)
  const client = await opened
  const latencies: Array<number> = []
  const started = performance.now()
  do {
    const begin = performance.now()
    if (text.startsWith("COPY")) await copied(client, text)
    else await client.query({ name: text.slice(0, 60) + text.length, text, values: [...parameters] })
    latencies.push(performance.now() - begin)
  } while (performance.now() < started + seconds * 1000)
  return { latencies: Float64Array.from(latencies), seconds: (performance.now() - started) / 1000 }
})
