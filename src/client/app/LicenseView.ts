import { reasons } from "../license/States.ts"
import type { AppProblem, AppState, Reason } from "../license/States.ts"
import type { Session } from "./Session.ts"

/** How the license stands, for the app and for the person at it. */
export interface LicenseView {
  readonly state: AppState
  readonly reason: Reason
  /** Whether the app may run. */
  readonly mayRun: boolean
  /** The text to show to the person. */
  readonly show: string
  /** Until when it stands so if the service stays away; undefined where the app may not run. */
  readonly until: Date | undefined
  /** The error that led here, for logs and for whoever helps. */
  readonly error: AppProblem | undefined
  /** Whether the machine's clock was set back; the license goes on by the latest instant that was signed. */
  readonly isClockSetBack: boolean
  /** The signed data, such as `license_id`, `status`, `expires_at` and `features`. */
  readonly data: Readonly<Record<string, unknown>> | undefined
}

/** How the license of a session stands at this moment. */
export const viewOf = ({ data, isRunning, standing, time }: Session): LicenseView => {
  const { error, reason, state, until } = standing
  return {
    state,
    reason,
    mayRun: isRunning,
    show: reasons[reason].show,
    until: until === undefined ? undefined : new Date(until),
    error,
    isClockSetBack: time.isSetBack(),
    data
  }
}
