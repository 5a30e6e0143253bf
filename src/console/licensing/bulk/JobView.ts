import type { Job, LicenseJobAction, ReasonedAction } from "../../../client/api/index.ts"
import { count } from "../../ground/design/Numbers.ts"

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
