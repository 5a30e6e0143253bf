// The least work of a page over HTTP: a bare node:http handler that asks the SELECT of the page, prepared, over one
// connection, and answers its rows as JSON.stringify writes what the driver reads. No routing, no credential, no schema.
import { Effect } from "effect"
import { connect, jsonOf, listen } from "./LimitServer.ts"
import { answerQuestions } from "./Worker.ts"

export interface ServedPage {
  readonly databaseUrl: string
  readonly text: string
  readonly parameters: ReadonlyArray<unknown>
  /** The size of the page; the statement asks for one row more. */
  readonly limit: number
}

/** What a service adds to the rows: where the next page begins, and which request it was. */
const ends = { page_info: { has_more: true, next_cursor: "x".repeat(48) }, meta: { request_id: "x".repeat(30) } }

answerQuestions(async ({ databaseUrl, limit, parameters, text }: ServedPage): Promise<number> => {
  const [session] = await connect(databaseUrl, 1)
  const page = session!.query(text, parameters)
  return listen((_, response) => {
    Effect.runCallback(page, {
      onExit: (exit) => {
        const isFull = exit._tag === "Success" && exit.value.rows.length >= limit
        const body = isFull ? jsonOf({ data: exit.value.rows.slice(0, limit), ...ends }) : String(exit)
        response.writeHead(isFull ? 200 : 500, {
          "content-type": "application/json",
          "content-length": Buffer.byteLength(body)
        }).end(body)
      }
    })
  })
})
