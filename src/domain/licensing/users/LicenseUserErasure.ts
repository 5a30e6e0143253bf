import { Schema } from "effect"
import { bigCount, count, field } from "../../ground/wire/Fields.ts"
import { LicenseUser } from "./LicenseUser.ts"

/** What an erasure left of a user, and what lost personal values. */
export const LicenseUserErasure = Schema.Struct({
  user: LicenseUser,
  events: field(
    bigCount(0),
    "Events that lost their personal values; their hashes, and every proof of them, stay as they are."
  ),
  exports: field(
    bigCount(0),
    "Exports that contained a reason that was erased. They have expired; their digests remain."
  ),
  devices: field(count(0), "Devices of the user that lost their name, hostname or network address."),
  reasons: field(count(0), "Activities that lost the reason that was given.")
}).annotate({
  identifier: "LicenseUserErasure",
  description: "The result of the erasure of a user.",
  examples: [{
    user: {
      id: "usr_06eqpx1trxz3h94vqjm3a6kz7c",
      license_id: "lic_06eqpx1trxz3h94vqjm3a6kz7c",
      status: "removed",
      removed_because: "erased",
      created_at: "2026-11-21T10:30:00.000Z",
      joined_at: "2026-11-21T10:35:00.000Z",
      removed_at: "2026-11-28T09:00:00.000Z"
    },
    events: 5,
    exports: 0,
    devices: 1,
    reasons: 0
  }]
})
export type LicenseUserErasure = typeof LicenseUserErasure.Type
