import { keptEmail } from "../../../domain/licensing/users/LicenseUser.ts"
import type { TrustedIssuer } from "../../../domain/licensing/users/TrustedIssuer.ts"
import type { Account, UserCandidate } from "../../../domain/licensing/users/UserSignIn.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import { offlineUntil } from "../../ground/persistence/RunningDeviceSql.ts"
import { userColumns } from "../licenses/LicenseUserSql.ts"

/** The identity provider that a license trusts. */
export const findTrustedIssuer = (
  sql: Database,
  licenseId: string
): Query<{ readonly trusted_issuer: TrustedIssuer | null }> =>
  sql<{ readonly trusted_issuer: TrustedIssuer | null }>`
    -- name: licenses.find trusted issuer
    SELECT trusted_issuer FROM licenses WHERE id = ${licenseId}`

/** The users of a license who may be an account, the newest first. An address counts only where it is verified. */
export const listCandidates = (sql: Database, licenseId: string, account: Account): Query<UserCandidate> =>
  sql<UserCandidate>`
    -- name: license_users.list candidates
    SELECT id, status, removed_because, coalesce(issuer = ${account.issuer ?? null} AND subject = ${
    account.subject ?? null
  }, false)
      AS is_account
    FROM license_users WHERE license_id = ${licenseId}
      AND ((issuer = ${account.issuer ?? null} AND subject = ${account.subject ?? null})
        OR (status IN ('invited', 'active') AND subject IS NULL AND email = ${verifiedEmail(account) ?? null}::text))
    ORDER BY id DESC LIMIT 20`

/**
 * How many seats for users are taken of a locked license. Where its terms hold seats, that of a user who was removed stays taken as long as a device
 * of the user can run offline.
 */
export const countSeated = (
  sql: Database,
  licenseId: string,
  holdsSeats: boolean
): Query<{ readonly taken: number }> =>
  sql<{ readonly taken: number }>`
    -- name: license_users.count seated
    SELECT count(*)::int AS taken FROM license_users u WHERE u.license_id = ${licenseId} AND (u.status = 'active'
      OR (${holdsSeats} AND u.status = 'removed' AND EXISTS (
        SELECT FROM license_user_devices h JOIN devices d ON d.id = h.device_id
        WHERE h.user_id = u.id AND d.status <> 'active' AND ${sql.literal(offlineUntil("d"))} > clock_timestamp())))`

const verifiedEmail = ({ email, isVerified }: Account): string | undefined =>
  email !== undefined && isVerified ? keptEmail(email) : undefined

/** Notes that a user signed in. */
export const updateSeen = (sql: Database, id: string): Query<object> =>
  sql`
    -- name: license_users.update seen
    UPDATE license_users SET last_seen_at = now() WHERE id = ${id} RETURNING ${sql.literal(userColumns)}`

/** Gives an invited user a seat, and the account, if there is one, that it is of from now on. */
export const updateJoined = (sql: Database, id: string, account: Account): Query<object> =>
  sql`
    -- name: license_users.update joined
    UPDATE license_users SET status = 'active', issuer = ${account.issuer ?? null}, subject = ${
    account.subject ?? null
  },
      email = coalesce(email, ${verifiedEmail(account) ?? null}), name = coalesce(name, ${account.name ?? null}),
      joined_at = coalesce(joined_at, now()), last_seen_at = now()
    WHERE id = ${id} RETURNING ${sql.literal(userColumns)}`

/** Writes a user who was not invited, with a seat. */
export const insertJoined = (
  sql: Database,
  { id, licenseId }: { readonly id: string; readonly licenseId: string },
  account: Account
): Query<object> =>
  sql`
    -- name: license_users.insert joined
    INSERT INTO license_users (id, license_id, status, email, name, issuer, subject, joined_at, last_seen_at)
    VALUES (${id}, ${licenseId}, 'active', ${verifiedEmail(account) ?? null}, ${account.name ?? null},
      ${account.issuer ?? null}, ${account.subject ?? null}, now(), now())
    RETURNING ${sql.literal(userColumns)}`
