import { Result } from "effect"
import { failing, StateConflict } from "../../ground/wire/Errors.ts"
import type { License } from "../licenses/License.ts"
import { isSuspending } from "../licenses/SubscriptionStanding.ts"
import { decided } from "./LicenseChange.ts"
import type { LicenseChange } from "./LicenseChange.ts"

/** What a person's decision changes of a license; undefined where the license is in that state already. */
export type StateChange<E = StateConflict> = Result.Result<LicenseChange | undefined, E>

/** The holder of a suspension or a block: a reseller, by the tag, or somebody who is none. */
type Holder = "vendor" | "purchase" | "subscription" | { readonly reseller: string }

/** The author of a change as far as resellers are concerned, and whose word stands so far; undefined where nobody's does. */
export interface Authors {
  /** The tag of the reseller who acts; undefined for everybody else, who may undo whatever was said. */
  readonly reseller: string | undefined
  readonly holder: Holder | undefined
}

/** The words that stand about the suspension of a license, as they are stored. */
export interface SuspensionWords {
  /** The tag of the reseller who suspended it last; null where that was nobody with a tag. */
  readonly tag: string | null
  /** Whether a purchase has stopped it. */
  readonly is_stopped: boolean
  /** The status of the subscription that it follows. */
  readonly subscription: string | null
}

/** The holder of a block, or of whatever else the last event tells alone. */
export const holderByTag = (tag: string | null): Holder => tag === null ? "vendor" : { reseller: tag }

/**
 * The holder of a suspension. A purchase and a subscription stop a license for as long as they say so, also where somebody suspended it
 * before.
 */
export const suspensionHolder = (suspendedBy: string | undefined, words: SuspensionWords): Holder => {
  if (words.is_stopped) return "purchase"
  return suspendedBy !== undefined || isSuspending(words.subscription) ? "subscription" : holderByTag(words.tag)
}

/** Whether a reseller's word stands that everybody else replaces by saying the same. */
export const isResellers = ({ holder, reseller }: Authors): boolean =>
  reseller === undefined && typeof holder === "object"

/** The holder of what a reseller would undo, as a refusal names it; undefined where the reseller may. */
export const heldAgainst = ({ holder, reseller }: Authors): string | undefined => {
  if (reseller === undefined || holder === undefined) return undefined
  if (typeof holder === "string") return holder
  return holder.reseller === reseller ? undefined : "another reseller"
}

/**
 * A suspension. One that its subscription suspended becomes a person's: the subscription does not undo it. One that a reseller suspended
 * becomes the vendor's in the same way, and no reseller takes one over.
 */
export const licenseSuspended = ({ status, suspended_by }: License, authors: Authors): StateChange => {
  if (status === "suspended" && authors.reseller !== undefined) return Result.succeed(undefined)
  if (status === "suspended" && suspended_by === undefined && !isResellers(authors)) return Result.succeed(undefined)
  return status === "revoked" || status === "expired"
    ? Result.fail(failing(StateConflict, "Only a license that works can be suspended.", { detail: status }))
    : Result.succeed(decided("suspended"))
}

/** A reinstatement. What is active or in its grace period stays as it is, and a reseller lifts only what is the reseller's own. */
export const licenseReinstated = ({ status }: License, authors: Authors): StateChange => {
  if (status === "active" || status === "grace_period") return Result.succeed(undefined)
  if (status !== "suspended") {
    return Result.fail(failing(StateConflict, "Only a suspended license can be reinstated.", { detail: status }))
  }
  const against = heldAgainst(authors)
  return against === undefined
    ? Result.succeed(decided("active"))
    : Result.fail(
      failing(StateConflict, "A reseller reinstates only what the reseller suspended.", {
        detail: `suspended by ${against}`
      })
    )
}

/** A revocation, which is permanent and frees every seat. */
export const licenseRevoked = ({ status }: License): StateChange<never> =>
  Result.succeed(status === "revoked" ? undefined : { ...decided("revoked"), active_device_count: 0 })
