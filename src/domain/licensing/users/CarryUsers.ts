import { Schema } from "effect"
import type { Warning } from "../../ground/wire/Errors.ts"
import type { LicenseUser } from "./LicenseUser.ts"

/** The choice about users whose accounts are at an issuer that a license trusts no more. */
export const CarryUsers = Schema.Literals(["by_verified_address", "end"])
export type CarryUsers = typeof CarryUsers.Type

export const carryUsersText =
  "Users whose accounts are at an issuer that `trusted_issuer` replaces. `by_verified_address`, the default: " +
  "each keeps the seat, and the first account with the user's address, verified, is the user's; who has no address loses the seat. " +
  "`end`: all of them lose their seats. `dry_run` says whom it concerns, as warnings."

/** How many people a warning names. */
const named = 20

const whoOf = ({ email, id, name }: LicenseUser): string => email ?? name ?? id

const namesOf = (users: ReadonlyArray<LicenseUser>): string =>
  users.slice(0, named).map(whoOf).join(", ") + (users.length > named ? ` and ${users.length - named} more` : "")

const people = ({ length }: ReadonlyArray<LicenseUser>): string => length === 1 ? "1 user" : `${length} users`

/** The warnings about another issuer: who keeps the seat by an address, and who loses it. */
export const warningsAboutIssuer = (
  { carried, ended }: { readonly carried: ReadonlyArray<LicenseUser>; readonly ended: ReadonlyArray<LicenseUser> }
): ReadonlyArray<Warning> => [
  ...(carried.length === 0
    ? []
    : [{
      code: "USERS_CARRIED",
      message: `${
        people(carried)
      } of the previous identity provider keep their seats by their addresses, and sign in again: ${namesOf(carried)}.`,
      field: "trusted_issuer"
    }]),
  ...(ended.length === 0
    ? []
    : [{
      code: "USERS_ENDED",
      message: `${people(ended)} of the previous identity provider lose their seats: ${namesOf(ended)}.`,
      field: "trusted_issuer"
    }])
]
