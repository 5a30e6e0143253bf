import { Result } from "effect"
import type { License } from "../licenses/License.ts"
import { failing, StateConflict } from "../wire/Errors.ts"
import { decided } from "./LicenseChange.ts"
import type { LicenseChange } from "./LicenseChange.ts"

/** What a person's decision changes of a license; undefined where the license is in that state already. */
export type StateChange<E = StateConflict> = Result.Result<LicenseChange | undefined, E>

/** A suspension. One that its subscription suspended becomes a person's: the subscription does not undo it. */
export const licenseSuspended = ({ status, suspended_by }: License): StateChange => {
  if (status === "suspended" && suspended_by === undefined) return Result.succeed(undefined)
  return status === "revoked" || status === "expired"
    ? Result.fail(failing(StateConflict, "Only a license that works can be suspended.", { detail: status }))
    : Result.succeed(decided("suspended"))
}

/** A reinstatement. What is active or in its grace period stays as it is. */
export const licenseReinstated = ({ status }: License): StateChange => {
  if (status === "active" || status === "grace_period") return Result.succeed(undefined)
  return status === "suspended"
    ? Result.succeed(decided("active"))
    : Result.fail(failing(StateConflict, "Only a suspended license can be reinstated.", { detail: status }))
}

/** A revocation, which is permanent and frees every seat. */
export const licenseRevoked = ({ status }: License): StateChange<never> =>
  Result.succeed(status === "revoked" ? undefined : { ...decided("revoked"), active_device_count: 0 })
