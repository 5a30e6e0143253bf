import type { Policy } from "../../catalog/Policy.ts"
import { granted, isOfLease } from "../recording/DecidedCalls.ts"
import type { Moment, RehearsedRecord } from "../recording/RehearsedRecord.ts"
import { LicenseRehearsal } from "./LicenseRehearsal.ts"
import type { RehearsedOutcome } from "./RehearsedDecision.ts"

/** The order in which calls are decided. Of those of one instant, a floating seat was given before none was left. */
const byTime = (a: Moment, b: Moment): number =>
  a.at - b.at || Number(a.isLast) - Number(b.isLast) || Number(b.result === granted) - Number(a.result === granted)

/** How many calls are decided before others have a turn: 200 take about 2 ms. */
const turn = 200

/**
 * Decides the recorded calls of a license again under changed terms, in the order in which they were made. It pauses now and then, so
 * that whoever runs it lets others work.
 */
export function* rehearsing(
  record: RehearsedRecord,
  amend: (policy: Policy) => Policy
): Generator<void, ReadonlyArray<RehearsedOutcome>, void> {
  const rehearsal = new LicenseRehearsal(record, amend)
  const { leases, placed } = rehearsal
  const others = record.calls.filter((row) => !isOfLease(row)).flatMap((row) => rehearsal.uses.momentsOf(row))
  const moments = [...others, ...leases.moments].toSorted(byTime)
  const steps = [...placed.steps, ...leases.steps()].toSorted((a, b) => a.at - b.at)
  let next = 0
  for (const step of [...steps, { at: Infinity }]) {
    for (; next < moments.length && moments[next]!.at < step.at; next++) {
      rehearsal.call(moments[next]!)
      if (next % turn === turn - 1) yield
    }
    rehearsal.step(step)
  }
  return rehearsal.outcomes
}
