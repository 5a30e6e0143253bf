import type { MailLanguage } from "../../../domain/ground/wire/MailLanguage.ts"
import { keptEmail } from "../../../domain/licensing/users/LicenseUser.ts"
import type { TrustedIssuer } from "../../../domain/licensing/users/LicenseUser.ts"
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

/** A sign-in by mail that has begun. */
export interface NewMailSignIn {
  readonly tokenHash: Uint8Array
  readonly licenseId: string
  readonly reference: string
  readonly minutes: number
}

/** Keeps a sign-in that waits, whosever the address is. Those that are over go with it. */
export const insertMailSignIn = (
  sql: Database,
  { licenseId, minutes, reference, tokenHash }: NewMailSignIn
): Query<{ readonly expires_at: Date }> =>
  sql<{ readonly expires_at: Date }>`
    -- name: user_mail_sign_ins.insert
    WITH over AS (DELETE FROM user_mail_sign_ins WHERE expires_at < now())
    INSERT INTO user_mail_sign_ins (token_hash, license_id, reference, expires_at)
    VALUES (${tokenHash}, ${licenseId}, ${reference}, now() + ${minutes}::int * interval '1 minute')
    RETURNING expires_at`

/** The users of a license who have an address and no account, the newest first. */
export const listMailboxes = (sql: Database, licenseId: string, email: string): Query<UserCandidate> =>
  sql<UserCandidate>`
    -- name: license_users.list mailboxes
    SELECT id, status, removed_because, true AS is_account FROM license_users
    WHERE license_id = ${licenseId} AND subject IS NULL AND email = ${email} ORDER BY id DESC LIMIT 20`

/** Tells a sign-in whose it is, and by what it is confirmed. */
export const updateMailed = (
  sql: Database,
  { codeHash, linkHash, tokenHash, userId }: {
    readonly tokenHash: Uint8Array
    readonly userId: string
    readonly linkHash: Uint8Array
    readonly codeHash: Uint8Array
  }
): Query<object> =>
  sql`
    -- name: user_mail_sign_ins.update mailed
    UPDATE user_mail_sign_ins SET user_id = ${userId}, link_hash = ${linkHash}, code_hash = ${codeHash}
    WHERE token_hash = ${tokenHash} RETURNING 1`

/** Counts a code that is tried, and confirms the sign-in by the right one; none where there is none, or no try is left. */
export const updateCodeTried = (
  sql: Database,
  { codeHash, licenseId, most, tokenHash }: {
    readonly tokenHash: Uint8Array
    readonly licenseId: string
    readonly codeHash: Uint8Array
    readonly most: number
  }
): Query<{ readonly is_right: boolean }> =>
  sql<{ readonly is_right: boolean }>`
    -- name: user_mail_sign_ins.update tried
    UPDATE user_mail_sign_ins SET tries = tries + 1,
      confirmed_at = CASE WHEN code_hash = ${codeHash} THEN coalesce(confirmed_at, now()) ELSE confirmed_at END
    WHERE token_hash = ${tokenHash} AND license_id = ${licenseId} AND expires_at > now()
      -- guard: no more codes of a mail are tried at once than in a row
      AND tries < ${most}::int
    RETURNING coalesce(code_hash = ${codeHash}, false) AS is_right`

/** A sign-in that waits, and the address of its user, once it is confirmed. */
export const findMailSignIn = (
  sql: Database,
  tokenHash: Uint8Array,
  licenseId: string
): Query<{ readonly is_confirmed: boolean; readonly email: string | null }> =>
  sql<{ readonly is_confirmed: boolean; readonly email: string | null }>`
    -- name: user_mail_sign_ins.find
    SELECT s.confirmed_at IS NOT NULL AS is_confirmed, u.email FROM user_mail_sign_ins s
    LEFT JOIN license_users u ON u.id = s.user_id AND u.license_id = s.license_id
    WHERE s.token_hash = ${tokenHash} AND s.license_id = ${licenseId} AND s.expires_at > now()`

/** A sign-in as the page of its link shows it. */
export interface LinkedSignIn {
  readonly email: string | null
  readonly product: string
  readonly reference: string
  readonly language: MailLanguage | null
}

/** The sign-in of a link that waits for its confirmation. */
export const findLinkedSignIn = (sql: Database, linkHash: Uint8Array): Query<LinkedSignIn> =>
  sql<LinkedSignIn>`
    -- name: user_mail_sign_ins.find linked
    SELECT u.email, p.name AS product, s.reference, c.language FROM user_mail_sign_ins s
    JOIN license_users u ON u.id = s.user_id AND u.email IS NOT NULL
    JOIN licenses l ON l.id = s.license_id JOIN products p ON p.id = l.product_id
    LEFT JOIN customers c ON c.id = l.customer_id
    WHERE s.link_hash = ${linkHash} AND s.confirmed_at IS NULL AND s.expires_at > now()`

/** Confirms the sign-in of a link. */
export const updateLinkConfirmed = (sql: Database, linkHash: Uint8Array): Query<object> =>
  sql`
    -- name: user_mail_sign_ins.update confirmed
    UPDATE user_mail_sign_ins SET confirmed_at = now()
    -- guard: a link confirms once
    WHERE link_hash = ${linkHash} AND confirmed_at IS NULL AND expires_at > now() RETURNING 1`

/** The user of a renewal, and whether the machine was taken out of use since. */
export interface RenewingUser {
  readonly status: string
  readonly has_account: boolean
  readonly is_machine_out: boolean
}

/** Finds the user of a renewal on a machine. */
export const findRenewing = (
  sql: Database,
  { bindingKey, licenseId, userId }: {
    readonly licenseId: string
    readonly userId: string
    readonly bindingKey: string
  }
): Query<RenewingUser> =>
  sql<RenewingUser>`
    -- name: license_users.find renewing
    SELECT status, subject IS NOT NULL AS has_account, EXISTS (
      SELECT FROM devices d WHERE d.license_id = ${licenseId} AND d.binding_kind = 'hardware'
        AND d.binding_key = ${bindingKey} AND d.status IN ('reset', 'blacklisted')) AS is_machine_out
    FROM license_users WHERE id = ${userId} AND license_id = ${licenseId}`
