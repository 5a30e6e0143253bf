import { createServer } from "node:http"
import type { IncomingHttpHeaders } from "node:http"
import { DemoStop } from "./DemoService.ts"

/** A delivery as it arrived. */
interface Arrival {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** A webhook receiver on loopback, as a customer would run one. */
export interface DemoReceiver {
  readonly url: string
  /** The delivery of this type about this resource; rejects with a DemoStop when none comes within 15 seconds. */
  readonly arrival: (type: string, resourceId: string) => Promise<Arrival>
  readonly close: () => void
}

const patience = 15_000

/** Starts the receiver on a free port. */
export const startReceiver = (): Promise<DemoReceiver> => {
  const arrived = new Map<string, Arrival>()
  const waiting = new Map<string, (arrival: Arrival) => void>()
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      response.writeHead(204).end()
      const arrival = { headers: request.headers, body: Buffer.concat(chunks).toString() }
      const { data, type } = JSON.parse(arrival.body)
      arrived.set(`${type} ${data.id}`, arrival)
      waiting.get(`${type} ${data.id}`)?.(arrival)
    })
  })
  const arrival = (type: string, resourceId: string): Promise<Arrival> =>
    new Promise((resolve, reject) => {
      const known = arrived.get(`${type} ${resourceId}`)
      if (known !== undefined) return resolve(known)
      const timer = setTimeout(
        () => reject(new DemoStop(`No ${type} was delivered within ${patience / 1000} seconds.`)),
        patience
      )
      waiting.set(`${type} ${resourceId}`, (arrival) => {
        clearTimeout(timer)
        resolve(arrival)
      })
    })
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      resolve({
        url: `http://127.0.0.1:${port}/hooks`,
        arrival,
        close: () => {
          server.close()
          server.closeAllConnections()
        }
      })
    })
  })
}
