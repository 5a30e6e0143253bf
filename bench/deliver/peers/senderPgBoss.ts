// pg-boss as its documentation recommends for a busy queue: workers woken by LISTEN/NOTIFY, batches whose jobs are
// settled one by one, and fetching without a pause while batches come back full. Jobs are inserted in the transaction
// of the application (the `db` option): all of one queue in one `insert`, which makes one statement.
import { PgBoss } from "pg-boss"
import type { Job, JobResult } from "pg-boss"
import { serveSender } from "../DeliverySender.ts"
import { attempt, attempts, jobsOf } from "./PeerJob.ts"
import type { PeerJob } from "./PeerJob.ts"
import { openTransactions } from "./PeerTransactions.ts"

/** A worker fetches so many jobs at once and has them all in flight. */
const batchSize = 10

const settle = (jobs: ReadonlyArray<Job<PeerJob>>): Promise<Array<JobResult>> =>
  Promise.all(jobs.map(async ({ data, id }): Promise<JobResult> => {
    try {
      await attempt(data)
      return { id, status: "completed" }
    } catch (error) {
      return { id, status: "failed", output: { message: String(error) } }
    }
  }))

serveSender(async ({ databaseUrl, endpoints, inFlight, queues }) => {
  const transaction = openTransactions(databaseUrl)
  const boss = new PgBoss({ connectionString: databaseUrl, max: 10, useListenNotify: true, schedule: false })
  boss.on("error", (error) => console.error("pg-boss:", error.message))
  await boss.start()
  const queueOf = (endpoint: number) => queues === "one" ? "deliveries" : `endpoint-${endpoint}`
  const names = [...new Set(endpoints.map((_, index) => queueOf(index)))]
  const options = {
    notify: true,
    retryLimit: attempts.most - 1,
    retryDelay: attempts.delay,
    retryBackoff: true,
    retryDelayMax: attempts.longestDelay,
    expireInSeconds: 60
  }
  for (const name of names) await boss.createQueue(name, options)
  const working = {
    batchSize,
    perJobResults: true as const,
    burstWhenBatchFull: true,
    localConcurrency: Math.ceil((queues === "one" ? inFlight.all : inFlight.endpoint) / batchSize),
    pollingIntervalSeconds: 0.5
  }
  return {
    enqueue: (event) =>
      transaction(async (client) => {
        const db = { executeSql: (text: string, values?: Array<unknown>) => client.query(text, values) }
        const byQueue = Map.groupBy(jobsOf(event, endpoints), ({ endpoint }) => queueOf(endpoint))
        for (const [name, jobs] of byQueue) await boss.insert(name, jobs.map((data) => ({ data })), { db })
      }),
    start: async () => {
      await Promise.all(names.map((name) => boss.work<PeerJob>(name, working, settle)))
    },
    stop: async () => {
      await Promise.all(names.map((name) => boss.offWork(name)))
    }
  }
})
