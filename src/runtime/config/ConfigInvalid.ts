import { Data, Runtime } from "effect"
import { exitCode } from "../terminal/ExitCode.ts"

/** A setting that is missing or wrong. It never holds the value of a secret. */
export interface ConfigFinding {
  readonly name: string
  /** Completes a sentence that starts with the setting's name. */
  readonly problem: string
  /** A valid value, or how to make one. */
  readonly example: string
}

/** All settings that prevent a start, together. The message is for the terminal. */
export class ConfigInvalid extends Data.TaggedError("ConfigInvalid")<{
  readonly findings: ReadonlyArray<ConfigFinding>
  /** The likely reason: the name of a missing setting may be misspelled. */
  readonly warnings: ReadonlyArray<string>
}> {
  override readonly [Runtime.errorExitCode] = exitCode.wrongUsage
  override get message(): string {
    const lines = [
      ...this.findings.map(({ name, problem, example }) => `  ${name} ${problem}\n    Example: ${example}`),
      ...this.warnings.map((warning) => `  ${warning}`)
    ]
    return `Countersign cannot start with this configuration:\n${lines.join("\n")}\n` +
      "Set environment variables and start again; --help lists all of them."
  }
}
