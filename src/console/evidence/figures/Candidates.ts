import type { UsageSummaryReport } from "../../../client/api/index.ts"

/** A subject that a report can be about. */
export interface Candidate {
  readonly id: string
  readonly name: string | undefined
  /** Absent where it had no usage in the period, or was found by name. */
  readonly uses?: number
}

/** How many characters a text has before the service is searched for it. */
export const shortestSearch = 2

/** The most candidates that are offered. */
const most = 50

const matches = (text: string) => ({ id, name = "" }: Candidate): boolean =>
  id === text || name.toLowerCase().includes(text.toLowerCase())

/**
 * The subjects offered for a text: those with usage in the period, the most active first; then those that the service
 * found by name; then the ID, if the text is one.
 */
export const candidatesOf = (
  { rows }: UsageSummaryReport,
  text: string,
  found: ReadonlyArray<Candidate>,
  idPattern: RegExp
): ReadonlyArray<Candidate> => {
  const active: ReadonlyArray<Candidate> = rows
    .flatMap(({ group, label, uses }) => group === undefined ? [] : [{ id: group, name: label, uses }])
    .toSorted((one, other) => other.uses - one.uses)
  return [
    ...(text === "" ? active : active.filter(matches(text))),
    ...(text.length >= shortestSearch ? found : []),
    ...(idPattern.test(text) ? [{ id: text, name: undefined }] : [])
  ]
    .filter(({ id }, index, all) => all.findIndex((other) => other.id === id) === index)
    .slice(0, most)
}
