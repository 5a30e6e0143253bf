import type { BenchEvent, SenderEndpoint } from "../DeliverySender.ts"
import { openPool, signedPost } from "../SignedPost.ts"

/** A delivery as a job of a peer. It carries all it takes, as jobs do. */
export interface PeerJob {
  /** The place of the endpoint among all. */
  readonly endpoint: number
  readonly url: string
  readonly id: string
  readonly sequence: number
  readonly body: string
}

/** Attempts of a delivery, as many as the service makes, and the delay after the first one, in seconds. */
export const attempts = { most: 13, delay: 5, longestDelay: 86_400 } as const

/** The jobs of one event, one for each endpoint that takes it. The body is like the service's, and made once. */
export const jobsOf = (
  { data, kind, number }: BenchEvent,
  endpoints: ReadonlyArray<SenderEndpoint>
): ReadonlyArray<PeerJob> => {
  const id = `evt_${String(number).padStart(26, "0")}`
  const created_at = new Date(performance.timeOrigin + performance.now()).toISOString()
  const body = JSON.stringify({ created_at, data, id, sequence: number, type: "product.updated" })
  return endpoints.flatMap((endpoint, index) =>
    endpoint.kind === kind
      ? [{ endpoint: index, url: endpoint.url, id: `dlv_${id}_${index}`, sequence: number, body }]
      : []
  )
}

const pools = new Map<string, ReturnType<typeof openPool>>()

/** Makes one attempt; throws unless the receiver answers 2xx. */
export const attempt = async ({ body, id, sequence, url }: PeerJob): Promise<void> => {
  const { origin, pathname } = new URL(url)
  const pool = pools.get(origin) ?? openPool(origin, null)
  pools.set(origin, pool)
  const status = await signedPost(pool, { path: pathname, id, sequence, body })
  if (status < 200 || status > 299) throw new Error(`The receiver answered ${status}`)
}
