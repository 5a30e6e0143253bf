// graphile-worker with what its documentation recommends for throughput: completions written in batches, and a local
// queue of one more than the jobs at once. Jobs are added in the transaction of the application by
// graphile_worker.add_jobs, all of an event in one call. Jobs of one named queue run one after the other, so an
// endpoint has as many queue names as deliveries may be in flight to it, taken in turns. A fetch takes one job of each
// name at most and the next fetch is the next poll's, which comes every 50 ms then instead of every 2 s.
import { Logger, makeWorkerUtils, run } from "graphile-worker"
import type { Runner } from "graphile-worker"
import { serveSender } from "../DeliverySender.ts"
import { attempt, attempts, jobsOf } from "./PeerJob.ts"
import type { PeerJob } from "./PeerJob.ts"
import { openTransactions } from "./PeerTransactions.ts"

const task = "deliver"

const addJobs = `SELECT FROM graphile_worker.add_jobs(
  array(SELECT json_populate_recordset(null::graphile_worker.job_spec, $1::json)), false)`

// A failed job is an error to it; here that is what is measured.
const logger = new Logger(() => () => {})

/** The recommended two more than the jobs at once, as far as the server has room for. */
const connectionsAtMost = 40

serveSender(async ({ databaseUrl, endpoints, inFlight, queues }) => {
  const transaction = openTransactions(databaseUrl)
  const utils = await makeWorkerUtils({ connectionString: databaseUrl, logger })
  await utils.migrate()
  await utils.release()
  let runner: Runner | undefined
  return {
    enqueue: (event) =>
      transaction((client) =>
        client.query(addJobs, [JSON.stringify(
          jobsOf(event, endpoints).map((payload) => ({
            identifier: task,
            payload,
            max_attempts: attempts.most,
            queue_name: queues === "one" ? null : `${payload.endpoint}:${payload.sequence % inFlight.endpoint}`
          }))
        )])
      ),
    start: async () => {
      runner = await run({
        connectionString: databaseUrl,
        logger,
        noHandleSignals: true,
        taskList: { [task]: (payload) => attempt(payload as PeerJob) },
        preset: {
          worker: {
            concurrentJobs: inFlight.all,
            maxPoolSize: Math.min(connectionsAtMost, inFlight.all + 2),
            localQueue: { size: inFlight.all + 1 },
            pollInterval: queues === "one" ? 2000 : 50,
            completeJobBatchDelay: 0,
            failJobBatchDelay: 0
          }
        }
      })
    },
    stop: async () => {
      await runner?.stop()
      runner = undefined
    }
  }
})
