import { createHmac } from "node:crypto"
import { Pool } from "undici"

/** A delivery as it goes out. */
export interface SignedPost {
  readonly path: string
  readonly id: string
  readonly sequence: number
  readonly body: string
}

const secret = Buffer.alloc(32, 7)

/** How long a receiver may take, in milliseconds: what the service gives it. */
const patience = { connect: 5_000, answer: 15_000 }

/** Connections to one origin, kept alive. `connections`: at most so many; null leaves that to what is in flight. */
export const openPool = (origin: string, connections: number | null): Pool =>
  new Pool(origin, {
    connections,
    pipelining: 1,
    headersTimeout: patience.answer,
    bodyTimeout: patience.answer,
    connect: { timeout: patience.connect }
  })

/** Signs a body and POSTs it the way the service does; answers the status. */
export const signedPost = (pool: Pool, { body, id, path, sequence }: SignedPost): Promise<number> => {
  const timestamp = Math.floor(Date.now() / 1000)
  const signature = createHmac("sha256", secret).update(`${timestamp}.${id}.${body}`).digest("hex")
  return new Promise((resolve, reject) => {
    let status = 0
    pool.dispatch({
      method: "POST",
      path,
      headers: {
        "content-type": "application/json",
        "x-service-delivery-id": id,
        "x-service-event-sequence": String(sequence),
        "x-service-signature": `t=${timestamp},v1=${signature}`
      },
      body
    }, {
      onRequestStart: () => {},
      onResponseStart: (_, code) => {
        status = code
      },
      onResponseData: () => {},
      onResponseEnd: () => resolve(status),
      onResponseError: (_, error) => reject(error)
    })
  })
}
