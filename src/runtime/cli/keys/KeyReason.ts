import { Effect, Schema } from "effect"
import { Flag } from "effect/cli"
import { Reason } from "../../../domain/ground/wire/Action.ts"
import { WrongUsage } from "../../terminal/ExitCode.ts"

/** Why a key is rotated or revoked. */
export const reason = Flag.String("reason").pipe(
  Flag.withMetavar("text"),
  Flag.withDescription("Reason, recorded in the event log; one line, up to 500 characters"),
  Flag.withDefault("")
)

const isReason = Schema.is(Reason)

/** The given reason, if any, checked as the API checks it. */
export const reasonOf = (text: string) =>
  text === "" || isReason(text)
    ? Effect.succeed(text === "" ? undefined : text)
    : Effect.fail(new WrongUsage({ message: "--reason must be one line of visible characters, at most 500" }))
