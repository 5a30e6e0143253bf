import { Effect } from "effect"
import { findingLine } from "../../importing/LicenseJudge.ts"
import type { ImportFinding } from "../../importing/LicenseJudge.ts"
import { counted } from "../../terminal/Output.ts"
import { printNotice } from "../../terminal/Printing.ts"
import type { Tally } from "./ImportRows.ts"
import { linesOf } from "./ImportStatus.ts"
import type { StandingDifference } from "./ImportStatus.ts"

/** Lines that are printed one by one; further ones are counted. */
const printed = 100

/** The most lines that are named for one message. */
const named = 5

/** Line numbers of the file, as the beginning of a sentence. */
const linesText = (lines: ReadonlyArray<number>, count = lines.length): string => {
  if (count === 1) return `line ${lines[0]}`
  const first = lines.slice(0, named).join(", ")
  return count > named ? `lines ${first} and ${(count - named).toLocaleString("en-US")} more` : `lines ${first}`
}

/** Groups by a key, in the order in which keys first occur. */
const together = <A>(all: ReadonlyArray<A>, keyOf: (one: A) => string): ReadonlyArray<ReadonlyArray<A>> => [
  ...Map.groupBy(all, keyOf).values()
]

/** Findings for people: those with the same message are one line. */
const findingLines = (findings: ReadonlyArray<ImportFinding>): ReadonlyArray<string> =>
  together(findings, ({ line: _line, ...same }) => JSON.stringify(same)).map((group) =>
    findingLine(group[0]!).replace(/^line \d+/, linesText(group.map(({ line }) => line)))
  )

const standingLines = (
  differing: ReadonlyArray<StandingDifference>,
  isUpdated: boolean
): ReadonlyArray<string> =>
  together(differing, ({ change, here, refused, there }) => JSON.stringify([there, here, change, refused])).flatMap(
    (group) => {
      const [{ change, here, refused, there }] = group as [StandingDifference]
      const lines = linesText(group.map(({ line }) => line))
      const ids = group.flatMap(({ license_id }) => license_id ?? []).slice(0, named)
      const which = ids.length === 0 ? "" : ` (${ids.join(", ")}${group.length > ids.length ? ", ..." : ""})`
      const became = refused !== undefined
        ? `; refused: ${refused}`
        : change === undefined
        ? "; it is left as it is"
        : isUpdated
        ? "; now as in the file"
        : ""
      return [`${lines}: ${there} in the file, ${here} here${which}${became}`]
    }
  )

const printSome = Effect.fnUntraced(function*(lines: ReadonlyArray<string>) {
  for (const line of lines.slice(0, printed)) yield* printNotice(line)
  if (lines.length > printed) yield* printNotice(`... and ${lines.length - printed} more; --json lists them`)
})

/** Reports the faults of rows, the notes of a mapping, and the licenses that differ here. */
export const printReport = Effect.fnUntraced(function*(tally: Tally) {
  yield* printSome(findingLines(tally.findings))
  yield* printSome(
    tally.notes.map(({ column, lines, message, rows }) => `note: ${linesText(lines, rows)}, ${column}: ${message}`)
  )
  yield* printSome(standingLines(tally.differing, tally.updated > 0))
})

const skippedText = ({ skipped, skipped_by }: Tally): string => {
  if (skipped === 0) return ""
  const by = skipped_by.map(({ column, lines, value }) =>
    `${column} is ${value === "" ? "empty" : JSON.stringify(value)}${skipped_by.length === 1 ? "" : `: ${lines}`}`
  )
  return `; ${counted(skipped, "line")} no license by the mapping (${by.join(", ")})`
}

/** The result of an import, or of its simulation, in one sentence. */
export const summary = (tally: Tally, isDry: boolean, seconds: number): string => {
  const { already, created, invalid, rows, updated } = tally
  const adjusted = updated === 0 ? "" : `, ${updated} brought to the status of the file`
  return isDry
    ? `Dry run: of ${counted(rows, "row")} ${rows - invalid} are right and ${invalid} wrong; nothing was created` +
      skippedText(tally)
    : `${counted(created, "license")} created, ${
      already.toLocaleString("en-US")
    } there already${adjusted}, ${invalid} ` +
      `wrong, of ${counted(rows, "row")} (${
        Math.round(rows / Math.max(seconds, 0.001)).toLocaleString("en-US")
      } rows/s)${skippedText(tally)}`
}

/** What to do about licenses that differ, and whether a person has to. */
export const standingCures = (
  { differing, updated }: Tally,
  isUpdating: boolean,
  isDry: boolean
): { readonly says: ReadonlyArray<string>; readonly isOtherwise: boolean } => {
  const due = linesOf(differing.filter(({ change }) => change !== undefined)).size
  const left = linesOf(differing.filter(({ change }) => change === undefined)).size
  const says: Array<string> = []
  if (isUpdating) {
    if (isDry && due > 0) says.push(`${counted(due, "license")} would be brought to the status of the file`)
    if (!isDry && due > updated) {
      says.push(`${counted(due - updated, "license")} could not be brought to the status of the file`)
    }
  } else if (due > 0) {
    const [are, stand, was] = due === 1
      ? ["is", "stands", "was left as it is"]
      : ["are", "stand", "were left as they are"]
    says.push(
      `${counted(due, "license")} that ${are} there already ${stand} otherwise in the file, and ${was}: ` +
        "--update-status revokes and suspends as the file says, and sets later ends; with --dry-run it shows which"
    )
  }
  if (left > 0) {
    const [stands, it] = left === 1 ? ["stands", "it"] : ["stand", "them"]
    says.push(
      `${counted(left, "license")} that ${stands} otherwise in the file ${left === 1 ? "is" : "are"} left for you to ` +
        `decide: --update-status does not change ${it}`
    )
  }
  return { says, isOtherwise: left > 0 || (isUpdating ? !isDry && due > updated : due > 0) }
}
