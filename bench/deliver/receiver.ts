// The receiver of deliveries: it answers at once and keeps a ledger of what arrived when. A second port may be closed,
// so that the endpoints there are dead, and endpoints may be told to hang.
import { createServer } from "node:http"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import { answerQuestions } from "../harness/Worker.ts"

export type ReceiverQuestion =
  /** Listens on both ports and answers them. Every endpoint answers again. */
  | { readonly ask: "listen" }
  /** Never answers what comes for these paths from now on, and does not count it. */
  | { readonly ask: "hang"; readonly paths: ReadonlyArray<string> }
  /** Refuses each so manieth attempt with 503 from now on, and asks for a rest of so many seconds, if it says so. */
  | { readonly ask: "refuse"; readonly every: number; readonly retryAfter: number | undefined }
  /** Closes the second port and its connections. */
  | { readonly ask: "die" }
  /** Forgets what arrived. */
  | { readonly ask: "reset" }
  /** Answers once so many different deliveries arrived, or the time, in seconds, is over. */
  | { readonly ask: "await"; readonly deliveries: number; readonly seconds: number }

export interface ReceiverAnswer {
  readonly port: number
  readonly mortalPort: number
  /** Different deliveries: of one event to one endpoint. */
  readonly delivered: number
  readonly duplicates: number
  /** From the event's `created_at` to the 2xx, in milliseconds, of first arrivals. */
  readonly latencies: Float64Array
  /** From the first arrival to the last, in seconds. */
  readonly span: number
  /** The body that arrived last. */
  readonly sample: string
}

let seen = new Set<string>()
let latencies: Array<number> = []
let duplicates = 0
let firstAt = 0
let lastAt = 0
let sample = ""
let hanging: ReadonlySet<string> = new Set()
let refusing: { readonly every: number; readonly headers: Record<string, string> } | undefined
let attempts = 0
let notify: (() => void) | undefined

const createdAt = /"created_at":"([^"]+)"/

const record = (id: string, body: Buffer): void => {
  if (seen.has(id)) {
    duplicates += 1
    return
  }
  lastAt = performance.now()
  if (seen.size === 0) firstAt = lastAt
  seen.add(id)
  sample = body.toString("latin1")
  const found = createdAt.exec(sample)
  latencies.push(found === null ? Number.NaN : performance.timeOrigin + lastAt - Date.parse(found[1]!))
  notify?.()
}

const receive = (request: IncomingMessage, response: ServerResponse): void => {
  const chunks: Array<Buffer> = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", () => {
    if (hanging.has(request.url ?? "")) return
    attempts += 1
    if (refusing !== undefined && attempts % refusing.every === 0) {
      response.writeHead(503, refusing.headers).end()
      return
    }
    response.writeHead(204).end()
    record(String(request.headers["x-service-delivery-id"]), chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks))
  })
}

const server = createServer(receive)
const mortal = createServer(receive)

const listen = (server: Server): Promise<void> =>
  server.listening ? Promise.resolve() : new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))

const portOf = (server: Server): number => {
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}

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
  switch (question.ask) {
    case "listen":
      hanging = new Set()
      refusing = undefined
      await Promise.all([listen(server), listen(mortal)])
      break
    case "hang":
      hanging = new Set(question.paths)
      break
    case "refuse": {
      const { every, retryAfter } = question
      refusing = { every, headers: retryAfter === undefined ? {} : { "retry-after": String(retryAfter) } }
      break
    }
    case "die":
      mortal.close()
      mortal.closeAllConnections()
      break
    case "reset":
      seen = new Set()
      latencies = []
      duplicates = 0
      break
    case "await":
      await arrived(question.deliveries, question.seconds)
      break
  }
  return {
    port: portOf(server),
    mortalPort: portOf(mortal),
    delivered: seen.size,
    duplicates,
    latencies: Float64Array.from(latencies),
    span: (lastAt - firstAt) / 1000,
    sample
  }
})
