import { Effect } from "effect"
import { Base64Url } from "effect/encoding"
import { bindingOf } from "../../../domain/licensing/entitlements/DeviceBinding.ts"
import type { Snapshot } from "../../../domain/licensing/entitlements/Snapshot.ts"
import { formatRenewal, readRenewal, renewalDays } from "../../../domain/licensing/users/UserRenewal.ts"
import { failing, UserSignInRequired } from "../../../domain/ground/wire/Errors.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { Cryptography } from "../../ground/platform/Cryptography.ts"
import { Vault } from "../../keys/security/Vault.ts"
import { findRenewing } from "./UserMailSignInSql.ts"

/** The members of a response that say by what the sign-in is renewed. */
export interface Renewal {
  readonly renewal_token: string
  readonly renewal_until: string
}

const refused = (detail: "expired" | "invalid" | "removed") =>
  failing(UserSignInRequired, "The person has to prove the mailbox again: begin a new sign-in by mail.", { detail })

/**
 * Makes and reads renewals of sign-ins by mail. Each is of one user and one machine, and stands in no table: it ends with the user, with the
 * time, and once the machine was released by somebody else, reset or blacklisted.
 */
export const makeUserRenewals = Effect.gen(function*() {
  const sql = yield* Database
  const crypto = yield* Cryptography
  const vault = yield* Vault

  const macOf = (text: string) => vault.keyedHash("license-user-renewal", text)
  const machineOf = (bindingKey: string) => Base64Url.encode(vault.keyedHash("license-user-machine", bindingKey))

  const renewalOf = (token: string, expiresAt: number): Renewal => ({
    renewal_token: token,
    renewal_until: new Date(expiresAt * 1000).toISOString()
  })

  /** A renewal for a user who has proven a mailbox just now. */
  const made = ({ license_id, now }: Snapshot, userId: string, fingerprint: string): Renewal => {
    const expiresAt = Math.floor(now.getTime() / 1000) + renewalDays * 86_400
    const said = { licenseId: license_id, userId, expiresAt, machine: machineOf(bindingOf({ fingerprint }).key) }
    return renewalOf(formatRenewal(said, macOf), expiresAt)
  }

  /** The user of a renewal, who still has a seat, on the same machine. */
  const used = Effect.fnUntraced(function*({ license_id, now }: Snapshot, token: string, fingerprint: string) {
    const read = readRenewal(token)
    const bindingKey = bindingOf({ fingerprint }).key
    if (
      read === undefined || !crypto.timingSafeEqual(macOf(read.text), read.mac) || read.licenseId !== license_id ||
      read.machine !== machineOf(bindingKey)
    ) return yield* refused("invalid")
    if (read.expiresAt * 1000 <= now.getTime()) return yield* refused("expired")
    const { userId } = read
    const [user] = yield* findRenewing(sql, { licenseId: license_id, userId, bindingKey })
    if (user?.status !== "active") return yield* refused("removed")
    if (user.has_account || user.is_machine_out) return yield* refused("invalid")
    return { userId, renewal: renewalOf(token, read.expiresAt) }
  })

  return { made, used }
})
