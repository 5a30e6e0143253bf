import { outcomeOf } from "./RehearsalTotals.ts"
import type { RehearsedOutcome } from "./RehearsedDecision.ts"

/** Calls of a license and a device that would be decided differently, or of which that is not known, as a row of a report. */
export interface RehearsalRow {
  readonly [column: string]: string | number
  readonly license_id: string
  /** As in {@link RehearsedOutcome}. */
  readonly device: string
  readonly outcome: "refused" | "granted" | "unknown"
  /** The code of the refusal that would be new or was, or the reason why the outcome is not known. */
  readonly code: string
  readonly calls: number
}

/** The rows of a license, by device, outcome and code. Calls that would be decided alike have none. */
export const rehearsalRows = (
  licenseId: string,
  outcomes: ReadonlyArray<RehearsedOutcome>
): ReadonlyArray<RehearsalRow> => {
  const rows = new Map<string, RehearsalRow>()
  for (const each of outcomes) {
    const { code, kind } = outcomeOf(each)
    if (kind === "same") continue
    const key = `${each.device} ${kind} ${code}`
    const calls = (rows.get(key)?.calls ?? 0) + each.calls
    rows.set(key, { license_id: licenseId, device: each.device, outcome: kind, code, calls })
  }
  return [...rows].toSorted(([a], [b]) => a < b ? -1 : 1).map(([, row]) => row)
}
