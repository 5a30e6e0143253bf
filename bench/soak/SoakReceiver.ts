import { Effect } from "effect"
import type { Scope } from "effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

/** A receiver that fails now and then, and keeps what it has accepted. */
export interface SoakReceiver {
  readonly url: string
  /** The ids of the events that came to a path and were answered with 2xx. */
  readonly accepted: (path: string) => ReadonlySet<string>
  /** Deliveries that were refused, by a failure or by an outage. */
  readonly refused: () => number
  /** Never fails from now on. */
  readonly recover: () => void
}

/** The share of deliveries that are refused at all times. */
const failures = 0.02

/** How often, and for how long, everything is refused, in milliseconds. */
const outageEvery = 45_000
const outageTakes = 3_000

/** Listens on a free port of loopback, for as long as the scope. */
export const soakReceiver: Effect.Effect<SoakReceiver, never, Scope.Scope> = Effect.acquireRelease(
  Effect.callback<SoakReceiver & { readonly close: () => void }>((resume) => {
    const accepted = new Map<string, Set<string>>()
    const begun = performance.now()
    let refused = 0
    let isHealthy = false
    const of = (path: string) => {
      const known = accepted.get(path) ?? new Set<string>()
      accepted.set(path, known)
      return known
    }
    const isAway = () => (performance.now() - begun) % outageEvery > outageEvery - outageTakes
    const server = createServer((request, response) => {
      const chunks: Array<Buffer> = []
      request.on("error", () => {})
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("end", () => {
        if (!isHealthy && (isAway() || Math.random() < failures)) {
          refused++
          response.writeHead(503).end()
          return
        }
        of(request.url ?? "").add(JSON.parse(Buffer.concat(chunks).toString()).id)
        response.writeHead(204).end()
      })
    })
    server.listen(0, "127.0.0.1", () => {
      resume(Effect.succeed({
        url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        accepted: of,
        refused: () => refused,
        recover: () => {
          isHealthy = true
        },
        close: () => {
          server.close()
          server.closeAllConnections()
        }
      }))
    })
  }),
  ({ close }) => Effect.sync(close)
)
