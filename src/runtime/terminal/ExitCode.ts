import { Cause, Data, Option, Predicate, Runtime } from "effect"
import { SqlError } from "effect/sql"
import type { MasterKeyMismatch } from "../../services/security/DataKeys.ts"

/**
 * The exit code of a command, for scripts. A typed failure says its own (`Runtime.errorExitCode`); one that says
 * nothing is `found`.
 */
export const exitCode = {
  /** It did what it was asked for. */
  fine: 0,
  /** It looked, and something is not as it should be: a difference, a refusal of the service, nothing of that name. */
  found: 1,
  /** Nothing was tried: the arguments or the settings are wrong. */
  wrongUsage: 2,
  /** The service or its database cannot be reached or used. */
  away: 3,
  /** A mistake in the program itself (EX_SOFTWARE of sysexits.h). */
  defect: 70
} as const

/** Something is not as it should be. The message says what. */
export class Found extends Data.TaggedError("Found")<{ readonly message: string }> {}

/** Something is not as it should be, and was already printed: only the exit code remains. */
export class AlreadySaid extends Data.TaggedError("AlreadySaid")<{ readonly message: string }> {
  override readonly [Runtime.errorReported] = false
}

/** The arguments, together or with what is there, make no sense. The message says what to write instead. */
export class WrongUsage extends Data.TaggedError("WrongUsage")<{ readonly message: string }> {
  override readonly [Runtime.errorExitCode] = exitCode.wrongUsage
}

/** The service or its database cannot be reached. The message says where it was looked for. */
export class Away extends Data.TaggedError("Away")<{ readonly message: string }> {
  override readonly [Runtime.errorExitCode] = exitCode.away
}

/** The reasons for which a statement fails that say nothing about the statement. */
const ofTheServer: ReadonlySet<string> = new Set(["ConnectionError", "AuthenticationError", "StatementTimeoutError"])

/** The failures of services that are about a setting: a service knows of no exit codes. */
const ofTheSettings: ReadonlySet<unknown> = new Set<MasterKeyMismatch["_tag"]>(["MasterKeyMismatch"])

/** The exit code of a program that ended by this cause; undefined for an interruption, which has the platform's own. */
export const exitCodeOf = (cause: Cause.Cause<unknown>): number | undefined => {
  if (Cause.hasInterruptsOnly(cause)) return undefined
  const error = Cause.squash(cause)
  if (SqlError.isSqlError(error)) return ofTheServer.has(error.reason._tag) ? exitCode.away : exitCode.defect
  const failure = Cause.findErrorOption(cause)
  if (Option.isNone(failure)) return exitCode.defect
  return Predicate.hasProperty(failure.value, "_tag") && ofTheSettings.has(failure.value._tag)
    ? exitCode.wrongUsage
    : Runtime.getErrorExitCode(failure.value)
}
