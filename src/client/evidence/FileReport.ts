/** The outcome of one finding: it is proven, it is wrong, or nothing here says whether it is so. */
export type Outcome = "proven" | "wrong" | "open"

/** One thing that a file says, and whether that is proven. The text is a sentence for people. */
export interface Finding {
  readonly outcome: Outcome
  readonly text: string
  /** Whether the whole file is not proven without it. */
  readonly isNeeded?: true
}

/** The findings of a file. */
export interface FileReport {
  readonly name: string
  /** Its kind, as in "This is an export as CSV". */
  readonly what: string
  /** `wrong` as soon as anything is; `proven` where something is proven and nothing that is needed is open; otherwise `open`. */
  readonly verdict: Outcome
  readonly findings: ReadonlyArray<Finding>
}

/** Something that is proven. */
export const proven = (text: string): Finding => ({ outcome: "proven", text })

/** Something that is wrong. */
export const wrong = (text: string): Finding => ({ outcome: "wrong", text })

/** Something that nothing here proves. */
export const open = (text: string): Finding => ({ outcome: "open", text })

/** Something that nothing here proves, and without which the file is not proven. */
export const lacking = (text: string): Finding => ({ outcome: "open", text, isNeeded: true })

/** The report of a file from its findings. What two parts of the file say alike is said once. */
export const fileReport = (name: string, what: string, found: ReadonlyArray<Finding>): FileReport => {
  const findings = [...new Map(found.map((one) => [`${one.outcome} ${one.isNeeded} ${one.text}`, one])).values()]
  const has = (outcome: Outcome) => findings.some((finding) => finding.outcome === outcome)
  const isLacking = findings.some(({ isNeeded }) => isNeeded === true)
  return { name, what, verdict: has("wrong") ? "wrong" : has("proven") && !isLacking ? "proven" : "open", findings }
}

/** A number with its noun. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`

/** Names as a sentence lists them. */
export const listed = (names: ReadonlyArray<string>): string =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`
