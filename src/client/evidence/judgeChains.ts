import { lateEnd } from "../../domain/evidence/exports/StatementEvidence.ts"
import { groupedBy } from "../../domain/ground/parsing/Grouped.ts"
import type { Period } from "../statements/statementFigures.ts"
import type { ChainedLeaf, StatementLeaves } from "../statements/statementLeaves.ts"
import type { Finding } from "./FileReport.ts"
import { counted, lacking, proven, wrong } from "./FileReport.ts"

/** The findings from the chains of the licenses. */
export interface ChainFindings {
  readonly findings: ReadonlyArray<Finding>
  /** Whether all events of the licenses are here, from the first one on. */
  readonly isWhole: boolean
}

/** The reasons for which there is no chain, as sentences. */
const absences = {
  complete: "",
  filtered: "it is of one feature, and the chain of a license has the events of all features",
  unlinked: "some events are from a release in which none named the previous event of its license",
  too_large: "the licenses have too many events for one file"
} as const

/** The ends of the events of a license. */
interface Ends {
  readonly last: ChainedLeaf
  readonly wrong: ReadonlyArray<Finding>
  readonly isWhole: boolean
}

/**
 * Follows the events of a license in their order. Where one names another than the one before it, those between are not here: that is
 * as it should be before the period, and once it is over for good.
 */
const follow = (leaves: ReadonlyArray<ChainedLeaf>, { from, to }: Period): Ends => {
  const found: Array<Finding> = []
  let isWhole = true
  for (const [index, leaf] of leaves.entries()) {
    const before = leaves[index - 1]
    const { createdAt, licenseId, previous, sequence } = leaf
    const place = before?.sequence ?? 0
    if (previous === place) continue
    isWhole = false
    if (previous !== undefined && previous < place) {
      found.push(wrong(`Event ${place} is not of the license ${licenseId}: event ${sequence} does not name it.`))
      continue
    }
    if (createdAt < from || (before !== undefined && before.createdAt >= lateEnd(to))) continue
    found.push(
      previous === undefined
        ? wrong(`Event ${sequence} of the license ${licenseId} does not name the previous one.`)
        : wrong(`Event ${previous} of the license ${licenseId} was omitted: event ${sequence} names it.`)
    )
  }
  return { last: leaves.at(-1)!, wrong: found, isWhole }
}

/** Licenses, by one of them. */
const named = (ends: ReadonlyArray<Ends>): string => {
  const { licenseId } = ends[0]!.last
  return ends.length === 1 ? `the license ${licenseId}` : `${counted(ends.length, "license")}, such as ${licenseId},`
}

const lastsOf = (ends: ReadonlyArray<Ends>): string => `event ${ends[0]!.last.sequence}`

/** Judges whether all events of the licenses in a period are here, each named by the next one. */
export const judgeChains = ({ chain, chained }: StatementLeaves, period: Period): ChainFindings => {
  if (chain === undefined) {
    return { findings: [lacking("The statement is of a release that gave no chain of each license.")], isWhole: false }
  }
  if (chain !== "complete") {
    const why = `The statement has no chain of each license: ${absences[chain]}.`
    return { findings: [lacking(why)], isWhole: false }
  }
  const all = [...groupedBy(chained, ({ licenseId }) => licenseId).values()].map((leaves) => follow(leaves, period))
  const found = all.flatMap((ends) => ends.wrong)
  if (found.length > 0) return { findings: found, isWhole: false }
  const early = all.filter(({ last }) => last.createdAt < period.to)
  const late = all.filter(({ last }) => last.createdAt >= period.to && last.createdAt < lateEnd(period.to))
  const closed = all.length - early.length
  return {
    findings: [
      ...(closed === 0
        ? []
        : [
          proven(
            `No event of ${
              counted(closed, "license")
            } is missing, from before the period to after it: each names the previous one.`
          )
        ]),
      ...(early.length === 0
        ? []
        : [
          proven(`No event of ${named(early)} is missing up to the last one here, ${lastsOf(early)}.`),
          lacking(
            `Whether ${named(early)} had more events before the period ended: nothing later than ${
              lastsOf(early)
            } shows it.`
          )
        ]),
      ...(late.length === 0
        ? []
        : [lacking(`Whether usage of the period was reported late for ${named(late)} after ${lastsOf(late)}.`)])
    ],
    isWhole: all.every((ends) => ends.isWhole)
  }
}
