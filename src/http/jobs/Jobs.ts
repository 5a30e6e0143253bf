import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/composition/Api.ts"
import { pageOf } from "../../api/ground/Parameters.ts"
import { failing, StateConflict } from "../../domain/ground/wire/Errors.ts"
import { ClockMoved } from "../../domain/jobs/clock/ClockMove.ts"
import { CurrentEnvironment, EnvironmentReset } from "../../services/ground/environments/CurrentEnvironment.ts"
import { Settings } from "../../services/ground/platform/Settings.ts"
import { EnvironmentClock } from "../../services/jobs/clock/EnvironmentClock.ts"
import { Jobs } from "../../services/jobs/Jobs.ts"
import { LicenseViews } from "../../services/people/notes/LicenseViews.ts"
import { makeInSteps, one, page } from "../ground/edge/Reply.ts"

const keptForEver = failing(
  StateConflict,
  "The live environment cannot be reset. Use a token of the test environment, which `countersign token --environment " +
    "test` prints."
)

export const environmentsLayer = HttpApiBuilder.group(
  Api,
  "environments",
  Effect.fn(function*(handlers) {
    const clock = yield* EnvironmentClock
    const name = yield* CurrentEnvironment
    const { environments } = yield* Settings
    const inSteps = yield* makeInSteps
    return handlers.handleAll({
      getEnvironment: () => one(clock.read),
      moveEnvironmentClock: ({ payload }) =>
        inSteps(200, ClockMoved, { first: clock.move(payload), last: Effect.succeed }),
      resetEnvironment: () =>
        Effect.flatMap(EnvironmentReset, (reset) =>
          reset === undefined
            ? Effect.fail(keptForEver)
            : one(Effect.sync(() => {
              reset.ask()
              // oxlint-disable-next-line effect/global-date -- the clock is real time again
              return { name, now: new Date().toISOString(), clock_moved: false, available: environments }
            })))
    })
  })
)

export const licenseViewsLayer = HttpApiBuilder.group(
  Api,
  "license-views",
  Effect.fn(function*(handlers) {
    const views = yield* LicenseViews
    return handlers.handleAll({
      listLicenseViews: ({ query }) => page(views.list(pageOf(query))),
      createLicenseView: ({ payload }) => one(views.create(payload)),
      updateLicenseView: ({ params, payload }) => one(views.update(params.id, payload)),
      deleteLicenseView: ({ params }) => views.remove(params.id)
    })
  })
)

export const jobsLayer = HttpApiBuilder.group(
  Api,
  "jobs",
  Effect.fn(function*(handlers) {
    const jobs = yield* Jobs
    return handlers.handleAll({
      createLicenseJob: ({ payload }) => one(jobs.create(payload)),
      listJobs: ({ query }) => page(jobs.list(pageOf(query))),
      getJob: ({ params }) => one(jobs.get(params.id)),
      listJobRows: ({ params, query }) => page(jobs.rows(params.id, query.outcome, pageOf(query))),
      stopJob: ({ params }) => one(jobs.stop(params.id)),
      retryJob: ({ params }) => one(jobs.retry(params.id))
    })
  })
)
