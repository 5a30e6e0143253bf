import type { Outcome } from "./FileReport.ts"

/** The verdict on a file, as a sentence. */
export const verdicts: Readonly<Record<Outcome, string>> = {
  proven: "Proven, as far as said below.",
  wrong: "Do not rely on it: something is wrong.",
  open: "Not proven."
}

/** The headings above what is proven and what is not, in the order in which they are read. */
export const headings: ReadonlyArray<readonly [outcome: Outcome, heading: string]> = [
  ["wrong", "Wrong"],
  ["proven", "Proven"],
  ["open", "Not proven"]
]
