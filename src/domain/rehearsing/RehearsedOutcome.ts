import type { UnknownReason } from "./PolicyRehearsal.ts"

/** The outcome of calls under the changed terms. */
export interface RehearsedOutcome {
  readonly device: string
  readonly calls: number
  /** `granted`, or the code of the refusal, as it was. */
  readonly before: string
  /** The same under the changed terms; undefined where that is not known. */
  readonly after: string | undefined
  readonly unknown?: UnknownReason
}

/** The outcome of calls, with the reason why it is not known. */
export const outcomeOfCalls = (
  outcome: Omit<RehearsedOutcome, "unknown">,
  unknown: UnknownReason | undefined
): RehearsedOutcome => unknown === undefined ? outcome : { ...outcome, unknown }
