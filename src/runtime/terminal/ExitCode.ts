import { Cause, Data, Option, Predicate, Runtime } from "effect"
import { SqlError } from "effect/sql"
import type { MasterKeyMismatch } from "../../services/keys/security/DataKeys.ts"

/** The exit code of a command, for scripts. A typed failure has its own (`Runtime.errorExitCode`), or else `found`. */
export const exitCode = {
  /** Success. */
  fine: 0,
  /** The command found something wrong: a difference, a refusal of the service, or nothing of that name. */
  found: 1,
  /** The arguments or the settings are wrong; nothing was tried. */
  wrongUsage: 2,
  /** The service or its database cannot be reached or used. */
  away: 3,
  /** A mistake in the program itself (EX_SOFTWARE of sysexits.h). */
  defect: 70
} as const

/** The command found something wrong. The message says what. */
export class Found extends Data.TaggedError("Found")<{ readonly message: string }> {}

/** The command found something wrong, and has printed it: only the exit code remains. */
export class AlreadySaid extends Data.TaggedError("AlreadySaid")<{ readonly message: string }> {
  override readonly [Runtime.errorReported] = false
}

/** The arguments are wrong, by themselves or in this situation. The message says what to write instead. */
export class WrongUsage extends Data.TaggedError("WrongUsage")<{ readonly message: string }> {
  override readonly [Runtime.errorExitCode] = exitCode.wrongUsage
}

/** The service or its database cannot be reached. The message says where it was looked for. */
export class Away extends Data.TaggedError("Away")<{ readonly message: string }> {
  override readonly [Runtime.errorExitCode] = exitCode.away
}

/** The reasons why a statement fails that are not about the statement. */
const ofTheServer: ReadonlySet<string> = new Set(["ConnectionError", "AuthenticationError", "StatementTimeoutError"])

/** The failures of services that concern a setting: services do not know exit codes. */
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
