// The load generator: keep-alive callers over plain sockets, because on a small machine whatever the generator spends
// is taken from what it measures. Requests are bytes made beforehand; of an answer it reads the status and the length.
import { connect } from "node:net"
import { answerQuestions } from "./Worker.ts"

export interface LoadQuestion {
  readonly port: number
  /** Whole HTTP/1.1 requests. Callers take them in turn, each from another place. */
  readonly requests: ReadonlyArray<Uint8Array>
  readonly callers: number
  readonly seconds: number
}

export interface LoadAnswer {
  /** Requests answered with 200. */
  readonly succeeded: number
  readonly failed: number
  /** An answer that was not 200, if there was one. */
  readonly failure: string | undefined
  /** From writing a request to having read its answer, in milliseconds, of those that succeeded. */
  readonly latencies: Float64Array
  readonly seconds: number
}

const headEnd = Buffer.from("\r\n\r\n")

const run = ({ callers, port, requests, seconds }: LoadQuestion): Promise<LoadAnswer> =>
  new Promise((resolve, reject) => {
    const latencies: Array<number> = []
    const started = performance.now()
    const until = started + seconds * 1000
    let failed = 0
    let failure: string | undefined
    let open = callers

    const callFrom = (position: number) => {
      let next = position
      let sentAt = 0
      let pending: Buffer = Buffer.alloc(0)
      const socket = connect({ host: "127.0.0.1", port, noDelay: true })
      const send = () => {
        sentAt = performance.now()
        if (sentAt >= until) {
          socket.destroy()
          return
        }
        socket.write(requests[next]!)
        next = (next + 1) % requests.length
      }
      socket.once("connect", send)
      socket.once("error", reject)
      socket.once("close", () => {
        open -= 1
        if (open === 0) {
          resolve({
            succeeded: latencies.length,
            failed,
            failure,
            latencies: Float64Array.from(latencies),
            seconds: (performance.now() - started) / 1000
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
        if (head.startsWith("HTTP/1.1 200")) {
          latencies.push(performance.now() - sentAt)
        } else {
          failed += 1
          failure ??= pending.toString()
        }
        pending = Buffer.alloc(0)
        send()
      })
    }
    for (let caller = 0; caller < callers; caller++) {
      callFrom(Math.floor(caller * requests.length / callers))
    }
  })

answerQuestions(run)
