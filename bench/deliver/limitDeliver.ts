// The limit of delivery: a bare loop that signs a body and POSTs it, over undici as the service does, with as many in
// flight. No feed, no cursor, no retries, no metrics.
import { answerQuestions } from "../harness/Worker.ts"
import { openPool, signedPost } from "./SignedPost.ts"

export interface DeliverQuestion {
  readonly origin: string
  readonly body: string
  readonly deliveries: number
  readonly inFlight: number
}

answerQuestions(async ({ body, deliveries, inFlight, origin }: DeliverQuestion): Promise<number> => {
  const pool = openPool(origin, inFlight)
  let next = 0
  const begin = performance.now()
  await Promise.all(Array.from({ length: inFlight }, async () => {
    while (next < deliveries) {
      next += 1
      await signedPost(pool, { path: `/${next % 8}`, id: `dlv_limit_${next}`, sequence: next, body })
    }
  }))
  const seconds = (performance.now() - begin) / 1000
  await pool.close()
  return seconds
})
