// The limit of delivery: a bare loop that signs a body and POSTs it, over undici as the service does, with as many in
// flight. No feed, no cursor, no retries, no metrics.
import { createHmac } from "node:crypto"
import { Pool } from "undici"
import { answerQuestions } from "./Worker.ts"

export interface DeliverQuestion {
  readonly origin: string
  readonly body: string
  readonly deliveries: number
  readonly inFlight: number
}

const secret = Buffer.alloc(32, 7)

const post = (pool: Pool, body: string, number: number): Promise<void> => {
  const id = `dlv_limit_${number}`
  const timestamp = Math.floor(Date.now() / 1000)
  const signature = createHmac("sha256", secret).update(`${timestamp}.${id}.${body}`).digest("hex")
  return new Promise((resolve, reject) => {
    pool.dispatch({
      method: "POST",
      path: `/${number % 8}`,
      headers: {
        "content-type": "application/json",
        "x-service-delivery-id": id,
        "x-service-event-sequence": String(number),
        "x-service-signature": `t=${timestamp},v1=${signature}`
      },
      body
    }, {
      onRequestStart: () => {},
      onResponseStart: () => {},
      onResponseData: () => {},
      onResponseEnd: () => resolve(),
      onResponseError: (_, error) => reject(error)
    })
  })
}

answerQuestions(async ({ body, deliveries, inFlight, origin }: DeliverQuestion): Promise<number> => {
  const pool = new Pool(origin, { connections: inFlight, pipelining: 1 })
  let next = 0
  const begin = performance.now()
  await Promise.all(Array.from({ length: inFlight }, async () => {
    while (next < deliveries) {
      next += 1
      await post(pool, body, next)
    }
  }))
  const seconds = (performance.now() - begin) / 1000
  await pool.close()
  return seconds
})
