// The limit of a page of licenses: the SELECT of the service, prepared, over one connection, each sent when the one
// before is answered.
import { Effect } from "effect"
import { connect } from "../harness/LimitServer.ts"
import { answerQuestions } from "../harness/Worker.ts"

export interface PageQuestion {
  readonly databaseUrl: string
  readonly text: string
  readonly parameters: ReadonlyArray<unknown>
  /** The size of the page; the statement asks for one row more. */
  readonly limit: number
  readonly seconds: number
}

export interface PageAnswer {
  /** In milliseconds, one for each page. */
  readonly latencies: Float64Array
  readonly seconds: number
}

let connection: ReturnType<typeof connect> | undefined

answerQuestions(async ({ databaseUrl, limit, parameters, seconds, text }: PageQuestion): Promise<PageAnswer> => {
  connection ??= connect(databaseUrl, 1)
  const [session] = await connection
  const page = session!.query(text, parameters)
  const latencies: Array<number> = []
  const started = performance.now()
  for (let begin = started; begin < started + seconds * 1000;) {
    const { rows } = await Effect.runPromise(page)
    if (rows.length < limit) throw new Error(`A page of ${rows.length} rows instead of ${limit}`)
    const end = performance.now()
    latencies.push(end - begin)
    begin = end
  }
  return { latencies: Float64Array.from(latencies), seconds: (performance.now() - started) / 1000 }
})
