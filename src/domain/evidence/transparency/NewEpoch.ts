import { Result } from "effect"
import type { EpochStart } from "../../log/EpochPlace.ts"
import { currentEpoch } from "../../log/EpochPlace.ts"
import type { Continuity } from "./Continuity.ts"
import { discontinuity } from "./Continuity.ts"

/** How the log relates to what a witness keeps, and the name of the witness. */
export interface Witnessed {
  readonly continuity: Continuity
  readonly by: string
}

/** A log of which somebody says that it was restored. */
export interface RestoredLog {
  /** Undefined without a witness, and when it keeps nothing. */
  readonly witnessed: Witnessed | undefined
  /** The starts of the epochs after the first, in order. */
  readonly starts: ReadonlyArray<EpochStart>
  /** The last event of the log. */
  readonly last: number
  /** The last event that was archived and dropped; 0 when none was. */
  readonly dropped: number
  /** The last event of the backup, where it is known. */
  readonly after: number | undefined
  /** The smallest number for the new epoch, where one is asked for. */
  readonly least: number | undefined
}

/** The epoch that begins and the last event that was restored; or why none is needed. */
export type NewEpoch = { readonly epoch: number; readonly restored: number } | { readonly unneeded: string }

/** Decides whether a restored log begins a new epoch; fails with the reason why it must not. */
export const newEpoch = (log: RestoredLog): Result.Result<NewEpoch, string> => {
  const { after, dropped, last, least, starts, witnessed } = log
  const found = witnessed?.continuity
  if (found?.state === "other_log" || found?.state === "unreadable") {
    return Result.fail(discontinuity(found, witnessed!.by)!)
  }
  const newest = starts.at(-1)
  const current = currentEpoch(starts)
  const isSame = after === undefined || after === newest?.restored_sequence
  const isFresh = newest !== undefined && newest.first_sequence >= last
  const isKnown = found === undefined || found.state === "continues"
  if (newest !== undefined && isSame && (found?.state === "superseded" || (isFresh && isKnown))) {
    return Result.succeed({
      unneeded: `Epoch ${current} has begun, with event ${newest.first_sequence}. Start the service`
    })
  }
  if (after === undefined && found?.state === "continues") {
    return Result.succeed({
      unneeded: `The log continues what the witness ${witnessed!.by} keeps, so nothing of it is lost. Start the service`
    })
  }
  if (found?.state === "forked" && after === undefined) return Result.fail(discontinuity(found, witnessed!.by)!)
  const earliest = Math.max(newest?.first_sequence ?? 0, dropped)
  const restored = after ?? last
  if (restored > last || restored < earliest) {
    return Result.fail(`--after ${restored} is no event of epoch ${current}, which goes from ${earliest} to ${last}`)
  }
  return Result.succeed({ epoch: Math.max(current, found?.keptEpoch ?? 1, (least ?? 2) - 1) + 1, restored })
}
