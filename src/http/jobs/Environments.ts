import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ClockMoved } from "../../domain/jobs/clock/ClockMove.ts"
import { failing, StateConflict } from "../../domain/ground/wire/Errors.ts"
import { EnvironmentClock } from "../../services/jobs/clock/EnvironmentClock.ts"
import { CurrentEnvironment } from "../../services/ground/environments/CurrentEnvironment.ts"
import { EnvironmentReset } from "../../services/ground/environments/EnvironmentReset.ts"
import { Settings } from "../../services/ground/platform/Settings.ts"
import { makeInSteps } from "../ground/edge/InSteps.ts"
import { one } from "../ground/edge/Reply.ts"
import { Api } from "../../api/composition/Api.ts"

const keptForEver = failing(
  StateConflict,
  "The live environment cannot be reset. Use a token of the test environment, which `countersign token --environment " +
    "test` prints."
)

export const layer = HttpApiBuilder.group(
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
