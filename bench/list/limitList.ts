// The limit of a page of licenses: the SELECT of the service, prepared, over one connection, each sent when the one
// before is answered.
import { Effect } from "effect"
import { connect } from "../harness/LimitServer.ts"
import { answerQuestions } from "../harness/Worker.ts"

export interface PageQuestion {
  readonly databaseUrl: string
  /** The page is after this id; the first one when undefined. */
  readonly after: string | undefined
  readonly limit: number
  readonly seconds: number
}

export interface PageAnswer {
  /** In milliseconds, one for each page. */
  readonly latencies: Float64Array
  readonly seconds: number
}

/** What Licenses.list sends, which composes it anew for every set of filters. */
const select = (after: string | undefined) =>
  `SELECT l.id, l.product_id, l.policy_id, l.customer_id, l.order_id, l.subscription_id, l.state, l.license_key_prefix,
     l.license_key_last4, l.customer_email, l.customer_name, l.active_device_count, l.times_activated,
     l.times_transferred, l.total_consumptions, l.entitlement_version, l.starts_at, l.expires_at,
     l.maintenance_expires_at, l.metadata, l.created_at, l.updated_at, p.grace_period_days, clock_timestamp() AS now
   FROM licenses l JOIN policies p ON p.id = l.policy_id
   ${after === undefined ? "" : "WHERE l.id < $2"} ORDER BY l.id DESC LIMIT $1`

let connection: ReturnType<typeof connect> | undefined

answerQuestions(async ({ after, databaseUrl, limit, seconds }: PageQuestion): Promise<PageAnswer> => {
  connection ??= connect(databaseUrl, 1)
  const [session] = await connection
  const parameters = after === undefined ? [limit + 1] : [limit + 1, after]
  const page = session!.query(select(after), parameters)
  const latencies: Array<number> = []
  const started = performance.now()
  for (let begin = started; begin < started + seconds * 1000;) {
    const { rows } = await Effect.runPromise(page)
    if (rows.length < limit) throw new Error(`A page of ${rows.length} rows instead of ${limit}`)
    const end = performance.now()
    latencies.push(end - begin)
    begin = end
  }
  return { latencies: Float64Array.from(latencies), seconds: (performance.now() - started) / 1000 }
})
