import type { Job, LicenseJobAction, ReasonedAction } from "../../../client/api/index.ts"
import { count } from "../../ground/design/Numbers.ts"

/** The licenses that are selected: some rows, or all that match the filters, seen or not. */
export type Selected =
  | { readonly kind: "ids"; readonly ids: ReadonlySet<string> }
  | { readonly kind: "filter" }

/** Nothing that is selected. */
export const none = { kind: "ids", ids: new Set<string>() } satisfies Selected

/** The selection after a row was ticked; with a row before, after all rows in between were. */
export const ticked = (
  selected: ReadonlySet<string>,
  rows: ReadonlyArray<string>,
  row: string,
  before: string | undefined
): ReadonlySet<string> => {
  const isOn = !selected.has(row)
  const [from, to] = [rows.indexOf(before ?? row), rows.indexOf(row)]
  const between = from < 0 ? [row] : rows.slice(Math.min(from, to), Math.max(from, to) + 1)
  const after = new Set(selected)
  for (const id of between) {
    if (isOn) after.add(id)
    else after.delete(id)
  }
  return after
}

/** The scope of a selection in words. */
export const scopeOf = (selected: Selected, loaded: number, hasMore: boolean): string => {
  if (selected.kind === "filter") return "All licenses that match are selected, also those not shown."
  const { size } = selected.ids
  return size === loaded && hasMore
    ? `${size} on this page selected.`
    : `${size} selected.`
}

const verbs: Readonly<Record<LicenseJobAction, readonly [going: string, gone: string]>> = {
  suspend: ["Suspending", "suspended"],
  reinstate: ["Reinstating", "reinstated"],
  renew: ["Renewing", "renewed"],
  change_policy: ["Changing the policy of", "changed"],
  tag: ["Tagging", "tagged"],
  untag: ["Removing tags of", "untagged"],
  revoke: ["Revoking", "revoked"]
}

/** The actions of jobs for which a reason may be required, by the kind of their events. */
export const reasonedBy: Readonly<Partial<Record<LicenseJobAction, ReasonedAction>>> = {
  suspend: "license.suspended",
  reinstate: "license.reinstated",
  renew: "license.renewed",
  change_policy: "license.policy_changed",
  revoke: "license.revoked"
}

/** A job as its page shows it. */
export interface JobView {
  readonly title: string
  /** How far it is, from 0 to 1. */
  readonly share: number
  readonly progress: string
  /** The reason why it ended before its end; undefined otherwise. */
  readonly ended: string | undefined
}

/** The words and the figures of a job. */
export const jobView = ({ action, done, failed, failure, skipped, state, total }: Job): JobView => {
  const tried = done + skipped + failed
  const [going, gone] = verbs[action]
  const parts = [
    `${count(done)} ${gone}`,
    ...(skipped > 0 ? [`${count(skipped)} skipped`] : []),
    ...(failed > 0 ? [`${count(failed)} failed`] : [])
  ]
  return {
    title: `${going} ${count(total)} ${total === 1 ? "license" : "licenses"}`,
    share: total === 0 ? 1 : tried / total,
    progress: `${count(tried)} of ${count(total)}: ${parts.join(", ")}`,
    ended: state === "stopped"
      ? `Stopped. ${count(total - tried)} were left as they were.`
      : state === "failed"
      ? `Ended: ${failure?.message ?? "the right to it was lost"} ${count(total - tried)} were left as they were.`
      : undefined
  }
}
