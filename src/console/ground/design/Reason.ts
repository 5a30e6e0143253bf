import { signal } from "@preact/signals"

/** Where a reason is required, by the kind of event, and the reasons that are suggested. */
interface ReasonRules {
  readonly required: ReadonlyArray<string>
  readonly suggested: ReadonlyArray<string>
}

/** The rules before they are loaded. */
export const noRules: ReasonRules = { required: [], suggested: [] }

/** The rules of the environment that is shown, once they are loaded; until then the service decides. */
export const reasonRules = signal(noRules)

/** The most characters of a reason. */
export const longestReason = 500

/** The usual reason that a text begins with; undefined where it is another one. */
export const usualIn = (reason: string, usual: ReadonlyArray<string>): string | undefined =>
  usual.find((each) => reason === each || reason.startsWith(`${each}: `))

/** A reason with a usual one chosen: what was typed stays behind it. The same one again takes it away. */
export const withUsual = (reason: string, chosen: string, usual: ReadonlyArray<string>): string => {
  const before = usualIn(reason, usual)
  const own = before === undefined ? reason : reason.slice(before.length).replace(/^: /, "")
  const left = own.trim()
  const next = before === chosen ? left : left === "" ? chosen : `${chosen}: ${left}`
  return next.slice(0, longestReason)
}
