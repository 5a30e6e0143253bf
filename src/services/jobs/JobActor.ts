import { Context, Effect, Layer } from "effect"
import { ClusterSchema, Entity, Sharding } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { Agenda } from "../ground/agenda/Agenda.ts"
import { Announcements } from "../ground/agenda/Announcements.ts"
import { Database } from "../ground/persistence/Database.ts"
import { swept } from "../ground/platform/Sweeps.ts"
import { ofItself } from "../log/Provenance.ts"
import { deleteOldJobs, jobsDue, listLeft } from "./JobSql.ts"
import { JobWork } from "./JobWork.ts"

/** Hints that a job may have rows to do. A hint may be lost: a sweep finds a running job that nobody works on. */
const Look = Rpc.make("Look").annotate(ClusterSchema.InterruptOnTermination, true)

const Job = Entity.make("Job", [Look])

/** An idle actor leaves memory after this time. */
const maxIdleTime = "5 seconds"

/**
 * One actor for each running job, after the model of `PurchaseActor`: the cluster places it on one node, and it has no state but its
 * rows, of which the outcome is the cursor. A look does some of them and asks for the next one, so that no message lasts long.
 */
export class JobActor extends Context.Service<JobActor, {
  /** Wakes the actor of a job, wherever it is. */
  readonly wake: (jobId: string) => Effect.Effect<void>
}>()("countersign/services/jobs/JobActor") {
  static readonly layer = Layer.effect(
    JobActor,
    Effect.gen(function*() {
      const sharding = yield* Sharding.Sharding
      const announcements = yield* Announcements
      const { look } = yield* JobWork
      const scope = yield* Effect.scope
      const client = yield* Job.client

      // In a fiber of its own, so that an actor that is slow to start delays no other.
      const wake = (id: string) =>
        client(id).Look(undefined, { discard: true }).pipe(
          Effect.catchCause((cause) => Effect.logDebug("A job could not be woken", cause)),
          Effect.withTracerEnabled(false),
          Effect.forkIn(scope),
          // The sweep makes up for a message that is lost: it goes on until there is no work.
          Effect.andThen(announcements.announce("jobs"))
        )

      const handlers = Effect.map(Entity.CurrentAddress, ({ entityId }) =>
        Job.of({
          Look: () =>
            ofItself(look(String(entityId))).pipe(
              Effect.flatMap((hasMore) => hasMore ? wake(String(entityId)) : Effect.void),
              Effect.catchCause((cause) => Effect.logWarning("A look at a job failed and is tried again", cause)),
              Effect.withTracerEnabled(false)
            )
        }))

      yield* sharding.registerEntity(Job, handlers, { maxIdleTime })

      return JobActor.of({ wake })
    })
  )
}

/** Finds running jobs that nobody works on, because a node died or a message was lost, and deletes those that ended long ago. */
export class JobSweeper extends Context.Service<JobSweeper, {
  readonly run: Effect.Effect<never>
}>()("countersign/services/jobs/JobSweeper") {
  static readonly layer = Layer.effect(
    JobSweeper,
    Effect.gen(function*() {
      const sql = yield* Database
      const agenda = yield* Agenda
      const actor = yield* JobActor
      const sweep = Effect.gen(function*() {
        const left = yield* listLeft(sql)
        yield* Effect.forEach(left, ({ id }) => actor.wake(id), { discard: true })
        yield* deleteOldJobs(sql)
      })
      return JobSweeper.of({
        run: agenda.follow({
          name: "A sweep of the jobs",
          topic: "jobs",
          due: () => jobsDue(sql),
          look: swept("jobs", sweep),
          rest: "1 second",
          retry: "5 seconds"
        })
      })
    })
  )
}
