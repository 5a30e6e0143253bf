// The receiver of deliveries: it answers at once and keeps a ledger of what arrived when.
import { createServer } from "node:http"
import { answerQuestions } from "./Worker.ts"

export type ReceiverQuestion =
  /** Answers the port. */
  | { readonly ask: "listen" }
  /** Forgets what arrived. */
  | { readonly ask: "reset" }
  /** Answers once so many different deliveries arrived, or the time, in seconds, is over. */
  | { readonly ask: "await"; readonly deliveries: number; readonly seconds: number }

export interface ReceiverAnswer {
  readonly port: number
  /** Different deliveries: of one event to one endpoint. */
  readonly delivered: number
  readonly duplicates: number
  /** From the event's `created_at` to the 2xx, in milliseconds, of first arrivals. */
  readonly latencies: Float64Array
  /** The body that arrived last. */
  readonly sample: string
}

let seen = new Set<string>()
let latencies: Array<number> = []
let duplicates = 0
let sample = ""
let notify: (() => void) | undefined

const createdAt = /"created_at":"([^"]+)"/

const server = createServer((request, response) => {
  const chunks: Array<Buffer> = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", () => {
    response.writeHead(204).end()
    const body = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
    const id = String(request.headers["x-service-delivery-id"])
    if (seen.has(id)) {
      duplicates += 1
      return
    }
    seen.add(id)
    sample = body.toString("latin1")
    const found = createdAt.exec(sample)
    latencies.push(found === null ? Number.NaN : performance.timeOrigin + performance.now() - Date.parse(found[1]!))
    notify?.()
  })
})

const state = (port: number): ReceiverAnswer => ({
  port,
  delivered: seen.size,
  duplicates,
  latencies: Float64Array.from(latencies),
  sample
})

const arrived = (deliveries: number, seconds: number): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      notify = undefined
      resolve()
    }
    const timer = setTimeout(end, seconds * 1000)
    notify = () => {
      if (seen.size >= deliveries) end()
    }
    notify()
  })

answerQuestions(async (question: ReceiverQuestion): Promise<ReceiverAnswer> => {
  if (question.ask === "listen") {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  } else if (question.ask === "reset") {
    seen = new Set()
    latencies = []
    duplicates = 0
  } else {
    await arrived(question.deliveries, question.seconds)
  }
  const address = server.address()
  return state(typeof address === "object" && address !== null ? address.port : 0)
})
