import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { StateConflict } from "../../domain/ground/wire/Errors.ts"
import { ClockMove, ClockMoved, Environment } from "../../domain/jobs/clock/ClockMove.ts"
import { Envelope, Idempotency, Management } from "../ground/Middleware.ts"
import { declare } from "../ground/Operation.ts"
import { bodyErrors, one } from "../ground/Responses.ts"

export class Environments extends HttpApiGroup.make("environments").add(
  HttpApiEndpoint.get("getEnvironment", "/api/v1/environment", { success: one(Environment) }).pipe(declare({
    scope: "any",
    products: "open",
    summary: "Read the environment",
    description: "The environment that the token belongs to, and the time of its clock."
  })),
  HttpApiEndpoint.put("moveEnvironmentClock", "/api/v1/environment/clock", {
    payload: ClockMove,
    success: one(ClockMoved),
    error: [...bodyErrors, StateConflict]
  }).pipe(declare({
    scope: "admin",
    products: "refused",
    action: "none",
    answerKept: "last-step",
    summary: "Move the test clock",
    consequence: "Everything that is due until then happens now: expiries, ends of grace, leases, retries. The clock " +
      "never goes back; a reset sets it to real time.",
    risk: "final",
    description:
      "Moves the clock of the test environment forward, to `now` or by `advance`. Everything due in between happens at its " +
      "own time and in order. The response comes after its events are in the feed and its webhooks were sent to each " +
      "endpoint that responds. Moves take turns. 409 STATE_CONFLICT in the live environment, and where the move before does " +
      "not end within 30 seconds."
  })),
  HttpApiEndpoint.post("resetEnvironment", "/api/v1/environment/reset", {
    success: one(Environment),
    error: [StateConflict]
  }).pipe(declare({
    scope: "admin",
    products: "refused",
    action: "none",
    answerKept: "none",
    summary: "Reset the test environment",
    consequence:
      "Everything in the test environment is deleted: products, licenses, keys, events, webhooks. The live " +
      "environment is not affected.",
    risk: "final",
    description:
      "Deletes everything in the test environment, signing keys and API keys included, and sets its clock to real time. " +
      "The admin token stays valid. 409 in the live environment."
  }))
).middleware(Idempotency).middleware(Management).middleware(Envelope) {}
