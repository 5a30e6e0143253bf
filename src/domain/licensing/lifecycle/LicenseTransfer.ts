import { Result, Schema } from "effect"
import { reasoned } from "../../ground/wire/Action.ts"
import { failing, StateConflict } from "../../ground/wire/Errors.ts"
import { EmailOrClear, NameOrClear, optional, text } from "../../ground/wire/Fields.ts"
import type { License } from "../licenses/License.ts"
import { leavesOwner } from "../owners/Owner.ts"
import type { LicenseChange } from "./LicenseChange.ts"

/**
 * Who owns the license from now on. The empty string clears a member; one that is left out stays as it is, except that
 * the name and address of a former owner go with the owner.
 */
export const LicenseTransfer = Schema.Struct({
  customer_id: optional(
    text(0, 64),
    "The ID of the new owner. The empty string removes the customer from the license."
  ),
  customer_email: optional(EmailOrClear, "The email address of the new owner. The empty string clears it."),
  customer_name: optional(NameOrClear, "The name of the new owner. The empty string clears it."),
  reset_devices: optional(Schema.Boolean, "`true` frees every seat. Default: `false`."),
  ...reasoned
}).annotate({
  // Behind the check the example would not reach the contract.
  description: "The new owner of the license: at least one field. Omitted fields stay as they are.",
  examples: [{ customer_id: "cus_06eqpx1trxz3h94vqjm3a6kz7c", reset_devices: true }]
}).check(
  Schema.makeFilter((request: {
    readonly customer_id?: string
    readonly customer_email?: string
    readonly customer_name?: string
    readonly reset_devices?: boolean
  }) =>
    request.customer_id === undefined && request.customer_email === undefined && request.customer_name === undefined &&
      request.reset_devices !== true
      ? {
        path: ["customer_id"],
        issue: "is required without customer_email, customer_name and reset_devices: true"
      }
      : undefined
  )
).annotate({ identifier: "LicenseTransferRequest" })
export type LicenseTransfer = typeof LicenseTransfer.Type

/** A license that is transferred, and the transfers that the rules in force allow. */
export interface TransferredLicense {
  readonly license: License
  readonly rules: { readonly max_transfers: number }
  /** The address of the customer whom the request names; undefined where the customer has none, or none is named. */
  readonly address?: string | undefined
}

/** What a transfer does to a license. */
export interface Transferred {
  readonly change: LicenseChange
  /** Whether another owner takes the place of one, which counts; naming the first or the same owner is no transfer. */
  readonly counts: boolean
  /** Whether a former owner is gone: what belongs to that owner (`owners/Belongings.ts`) ends with the transfer. */
  readonly leaves: boolean
}

const members = ["customer_id", "customer_email", "customer_name"] as const

/**
 * Whether a request that leaves the license with its owner counts as a transfer nevertheless: it puts another address or name in the place of
 * one, or frees the seats without naming anybody, for somebody else.
 */
const isForOthers = (license: License, input: LicenseTransfer): boolean => {
  const named = members.filter((member) => input[member] !== undefined)
  if (named.length === 0) return true
  if (license.customer_id !== undefined && input.customer_id !== undefined) return false
  return named.some((member) => license[member] !== undefined && input[member] !== license[member])
}

/** The text that a member is left with: as given, none where it is cleared, and otherwise what it was. */
const given = (input: string | undefined, before: string | undefined): string | null => (input ?? before ?? "") || null

/** What a transfer does, or why the license cannot be transferred. */
export const licenseTransfer = (
  { address, license, rules: { max_transfers } }: TransferredLicense,
  input: LicenseTransfer
): Result.Result<Transferred, StateConflict> => {
  const { times_transferred } = license
  if (license.status === "revoked") {
    return Result.fail(failing(StateConflict, "A revoked license cannot be transferred.", { detail: "revoked" }))
  }
  const customer_id = given(input.customer_id, license.customer_id)
  const isNamed = customer_id !== null && customer_id !== (license.customer_id ?? null)
  const leaves = leavesOwner(license, {
    customer_id,
    customer_email: given(input.customer_email, (isNamed ? address : undefined) ?? license.customer_email)
  })
  const counts = leaves || isForOthers(license, input)
  if (counts && times_transferred >= max_transfers) {
    return Result.fail(failing(StateConflict, "The policy allows no further transfer of this license.", {
      detail: `${times_transferred} of ${max_transfers} transfers made`
    }))
  }
  return Result.succeed({
    counts,
    leaves,
    change: {
      times_transferred: times_transferred + (counts ? 1 : 0),
      customer_id,
      ...(leaves ? { trusted_issuer: null } : {}),
      // Who is not named any more is gone with the transfer: name and address are the former owner's, unless given anew.
      customer_email: given(input.customer_email, leaves ? undefined : license.customer_email),
      customer_name: given(input.customer_name, leaves ? undefined : license.customer_name)
    }
  })
}
