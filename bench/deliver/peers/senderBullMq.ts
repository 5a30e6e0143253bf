// BullMQ on a Redis that writes every command to disk before it answers, as PostgreSQL does. All jobs of an event go
// in by one `addBulk`, which is atomic; with a queue for each endpoint there is one `add` to each of them, which is not.
// Finished jobs are removed, as its documentation recommends for production.
import { Queue, Worker } from "bullmq"
import { Redis } from "ioredis"
import { serveSender } from "../DeliverySender.ts"
import { attempt, attempts, jobsOf } from "./PeerJob.ts"
import type { PeerJob } from "./PeerJob.ts"

serveSender(async ({ endpoints, inFlight, queues, redisSocket }) => {
  const connection = { path: redisSocket, maxRetriesPerRequest: null }
  // Shared by the queues and the workers; each worker adds one that blocks.
  const shared = new Redis(connection)
  const names = queues === "one" ? ["deliveries"] : endpoints.map((_, index) => `endpoint-${index}`)
  const opened = names.map((name) =>
    new Queue<PeerJob>(name, {
      connection: shared,
      defaultJobOptions: {
        attempts: attempts.most,
        backoff: { type: "exponential", delay: attempts.delay * 1000 },
        removeOnComplete: true
      }
    })
  )
  await Promise.all(opened.map((queue) => queue.waitUntilReady()))
  let workers: Array<Worker<PeerJob>> = []
  return {
    enqueue: async (event) => {
      const jobs = jobsOf(event, endpoints)
      if (queues === "one") await opened[0]!.addBulk(jobs.map((data) => ({ name: "deliver", data })))
      else await Promise.all(jobs.map((data) => opened[data.endpoint]!.add("deliver", data)))
    },
    start: async () => {
      const concurrency = queues === "one" ? inFlight.all : inFlight.endpoint
      workers = names.map((name) =>
        new Worker<PeerJob>(name, ({ data }) => attempt(data), { connection: shared, concurrency })
      )
      for (const worker of workers) worker.on("error", (error) => console.error("BullMQ:", error.message))
      await Promise.all(workers.map((worker) => worker.waitUntilReady()))
    },
    stop: async () => {
      await Promise.all(workers.map((worker) => worker.close()))
      workers = []
    }
  }
})
