// The load generator: keep-alive callers over plain sockets, because on a small machine whatever the generator spends
// is taken from what it measures. Requests are bytes made beforehand, in which at most a few are changed each time; of
// an answer it reads the status and the length.
import { connect } from "node:net"
import { counterMark } from "./HttpRequest.ts"
import { answerQuestions } from "./Worker.ts"

export interface LoadQuestion {
  readonly port: number
  /** Whole HTTP/1.1 requests, with {@link counterMark} in them. Callers take them in turn, each from another place. */
  readonly requests: ReadonlyArray<Uint8Array>
  /** What a request takes over from the answer to it: so many bytes after this text, which stands in both. */
  readonly carry?: Carry | undefined
  /** The address to call from; the system's choice if there is none. */
  readonly from?: string
  readonly callers: number
  readonly seconds: number
  /**
   * Requests a second, of all callers: each request is due at its time, and its latency counts from then where its caller was
   * still waiting. Without a rate, a caller sends as soon as it was answered.
   */
  readonly rate?: number | undefined
}

export interface Carry {
  readonly after: string
  readonly length: number
}

export interface LoadAnswer {
  /** Requests answered with 2xx. */
  readonly succeeded: number
  readonly failed: number
  /** An answer that was not 2xx, if there was one. */
  readonly failure: string | undefined
  /** From writing a request to having read its answer, in milliseconds, of those that succeeded. */
  readonly latencies: Float64Array
  readonly seconds: number
  /** The requests as the last answers left them, where there was something to carry. */
  readonly carried: ReadonlyArray<Uint8Array> | undefined
}

const headEnd = Buffer.from("\r\n\r\n")

/** Counts over the life of the process, so that no two rounds send the same number. */
let counter = 0

/** A request and the places in it that change. */
interface Template {
  readonly bytes: Buffer
  readonly counters: ReadonlyArray<number>
  readonly carryTo: number
}

const templateOf = (request: Uint8Array, carry: Carry | undefined): Template => {
  const bytes = Buffer.from(request)
  const counters: Array<number> = []
  for (let at = bytes.indexOf(counterMark); at !== -1; at = bytes.indexOf(counterMark, at + 1)) counters.push(at)
  return { bytes, counters, carryTo: carry === undefined ? -1 : bytes.indexOf(carry.after) + carry.after.length }
}

/** The bytes to send; they are good until they are asked for again. */
const nextBytes = ({ bytes, counters }: Template): Buffer => {
  if (counters.length === 0) return bytes
  counter += 1
  for (const start of counters) {
    let rest = counter
    for (let at = start + counterMark.length - 1; at >= start; at--) {
      bytes[at] = 48 + rest % 10
      rest = Math.trunc(rest / 10)
    }
  }
  return bytes
}

const run = ({ callers, carry, from, port, rate, requests, seconds }: LoadQuestion): Promise<LoadAnswer> =>
  new Promise((resolve, reject) => {
    const templates = requests.map((request) => templateOf(request, carry))
    const latencies: Array<number> = []
    const started = performance.now()
    const until = started + seconds * 1000
    let failed = 0
    let failure: string | undefined
    let open = callers

    const callFrom = (caller: number) => {
      let next = Math.floor(caller * templates.length / callers)
      let sent = templates[next]!
      let sentAt = 0
      let pending: Buffer = Buffer.alloc(0)
      const socket = connect({
        host: "127.0.0.1",
        port,
        noDelay: true,
        ...(from === undefined ? {} : { localAddress: from })
      })
      let due = rate === undefined ? 0 : started + caller * 1000 / rate
      const send = (since: number) => {
        if (since >= until) {
          socket.destroy()
          return
        }
        sentAt = since
        sent = templates[next]!
        socket.write(nextBytes(sent))
        next = (next + 1) % templates.length
      }
      /** Sends the next request when it is due. */
      const go = () => {
        const now = performance.now()
        if (rate === undefined) return send(now)
        const planned = due
        due += callers * 1000 / rate
        // A timer that is late is the generator's fault, and no time of the service.
        if (planned > now) setTimeout(() => send(Math.max(planned, performance.now())), planned - now)
        else send(planned)
      }
      socket.once("connect", go)
      socket.once("error", reject)
      socket.once("close", () => {
        open -= 1
        if (open === 0) {
          resolve({
            succeeded: latencies.length,
            failed,
            failure,
            latencies: Float64Array.from(latencies),
            seconds: (performance.now() - started) / 1000,
            carried: carry === undefined ? undefined : templates.map(({ bytes }) => bytes)
          })
        }
      })
      socket.on("data", (chunk: Buffer) => {
        pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk])
        const end = pending.indexOf(headEnd)
        if (end === -1) return
        const head = pending.toString("latin1", 0, end)
        const length = Number(/content-length: (\d+)/i.exec(head)?.[1])
        if (Number.isNaN(length)) return reject(new Error(`An answer without content-length:\n${head}`))
        if (pending.length < end + 4 + length) return
        if (head.startsWith("HTTP/1.1 2")) {
          latencies.push(performance.now() - sentAt)
          if (carry !== undefined) {
            const from = pending.indexOf(carry.after, end) + carry.after.length
            pending.copy(sent.bytes, sent.carryTo, from, from + carry.length)
          }
        } else {
          failed += 1
          failure ??= pending.toString()
        }
        pending = Buffer.alloc(0)
        go()
      })
    }
    for (let caller = 0; caller < callers; caller++) callFrom(caller)
  })

answerQuestions(run)
