import type { Statement } from "effect/sql"
import type { Scope } from "../../domain/keys/security/ManagementKey.ts"
import type { PersonStatus } from "../../domain/people/Person.ts"
import type { SignInMethod } from "../../domain/people/Session.ts"
import type { Database, Query } from "../ground/persistence/Database.ts"
import type { SortedClauses } from "../ground/persistence/KeysetPagination.ts"
import type { Opener } from "../log/Provenance.ts"
import type { EndedThere, ProviderAccount } from "./IdentityProvider.ts"
import type { OpenerColumns, PersonWithRoles } from "./PersonActor.ts"

/** The own roles of a person `p`, as a column. */
const ownRoles = `
  (SELECT coalesce(jsonb_agg(jsonb_build_object('id', r.id, 'name', r.name, 'scopes', r.scopes,
      'product_ids', r.product_ids)), '[]')
    FROM roles r WHERE r.id = ANY(p.roles)) AS own`

/** The actions that any role of a person `p` needs a second person for, as a column. */
const secondLook = `
  (SELECT array_agg(DISTINCT a) FROM role_second_looks s, unnest(s.actions) a
    WHERE s.role_id = ANY(p.roles)) AS second_look`

/** The one who opened a session `s` of somebody else, as columns, where {@link joinedOpener} is joined to it. */
export const openerColumns = `s.opener_type, s.opener_id, o.name AS opener_name, o.second_look AS opener_look`

/** The person who opened a session `s`, as `o`. */
export const joinedOpener = `
  LEFT JOIN LATERAL (SELECT p.name, p.status, ${secondLook} FROM people p
    WHERE s.opener_type = 'person' AND p.id = s.opener_id) o ON true`

/** A person who was not removed, with the roles of this moment. */
export const findWithRoles = (sql: Database, id: string): Query<PersonWithRoles> =>
  sql<PersonWithRoles>`
    -- name: people.find with roles
    SELECT p.id, p.name, p.roles, ${sql.literal(ownRoles)}, ${sql.literal(secondLook)}
    FROM people p WHERE p.id = ${id} AND p.status <> 'removed'`

/** Holds people, and then the roles that they have, against changes until the transaction ends. */
export const lockPeople = (sql: Database, ids: ReadonlyArray<string>): Query<object> =>
  sql`
    -- name: people.lock with roles
    SELECT id FROM people WHERE id = ANY(${ids}::text[]) ORDER BY id
    -- guard: rights do not change while a second person approves
    FOR SHARE`

/** Holds the own roles of people who are locked. */
export const lockRolesOf = (sql: Database, ids: ReadonlyArray<string>): Query<object> =>
  sql`
    -- name: roles.lock of people
    SELECT id FROM roles WHERE id = ANY(ARRAY(
      SELECT unnest(p.roles) FROM people p WHERE p.id = ANY(${ids}::text[]))) ORDER BY id
    -- guard: roles do not change while a second person approves
    FOR SHARE`

/** Holds the own roles of people who are locked, and a role that is about to be changed or deleted, all as a deletion does. */
export const lockRoleWithThoseOf = (sql: Database, id: string, people: ReadonlyArray<string>): Query<object> =>
  sql`
    -- name: roles.lock with those of people
    SELECT id FROM roles WHERE id = ${id} OR id = ANY(ARRAY(
      SELECT unnest(p.roles) FROM people p WHERE p.id = ANY(${people}::text[]))) ORDER BY id FOR UPDATE`

/**
 * The people who sign in and have, for all products, a role with one of some scopes, by name. Who was only invited gives nothing
 * yet.
 */
export const listWithScope = (
  sql: Database,
  { builtIn, limit, scopes }: {
    /** The built-in roles with such a scope. */
    readonly builtIn: ReadonlyArray<string>
    readonly scopes: ReadonlyArray<Scope>
    readonly limit: number
  }
): Query<PersonWithRoles> =>
  sql<PersonWithRoles>`
    -- name: people.list with scope
    SELECT p.id, p.name, p.roles, ${sql.literal(ownRoles)} FROM people p
    WHERE p.status <> 'removed' AND p.roles && (${builtIn}::text[] || ARRAY(
        SELECT id FROM roles WHERE product_ids IS NULL AND scopes && ${scopes}::text[]))
      AND (p.status = 'active' OR EXISTS (
        SELECT FROM person_sessions s WHERE s.person_id = p.id AND s.expires_at > now()))
    ORDER BY p.name, p.id LIMIT ${limit}`

/** An API key that is neither revoked nor expired. That of a reseller stands for nothing beyond its own requests. */
export const findGoodKey = (
  sql: Database,
  id: string
): Query<{ readonly scopes: ReadonlyArray<Scope>; readonly product_ids: ReadonlyArray<string> | null }> =>
  sql<{ readonly scopes: ReadonlyArray<Scope>; readonly product_ids: ReadonlyArray<string> | null }>`
    -- name: management_keys.find good
    SELECT scopes, product_ids FROM management_keys
    WHERE id = ${id} AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now()) AND license_tag IS NULL`

/** The maker of an invitation, as its row says. */
type OpenerRow = Pick<OpenerColumns, "opener_id" | "opener_type">

/** Gives a person a new invitation in place of any before. */
export const insertInvitation = (
  sql: Database,
  { hash, invitedBy, linksAccount, minutes, opener, personId }: {
    readonly hash: Uint8Array
    readonly personId: string
    readonly minutes: number
    readonly linksAccount: boolean
    /** The name of the person who invites; undefined where it was no person. */
    readonly invitedBy?: string | undefined
    /** The one who invites; undefined where it is the person. */
    readonly opener?: Pick<Opener, "id" | "type"> | undefined
  }
): Query<{ readonly expires_at: Date }> =>
  sql<{ readonly expires_at: Date }>`
    -- name: person_invitations.insert
    INSERT INTO person_invitations (token_hash, person_id, expires_at, links_account, invited_by, opener_type, opener_id)
    VALUES (${hash}, ${personId}, now() + ${minutes}::int * interval '1 minute', ${linksAccount}, ${invitedBy ?? null},
      ${opener?.type ?? null}, ${opener?.id ?? null})
    ON CONFLICT (person_id) DO UPDATE SET token_hash = excluded.token_hash, expires_at = excluded.expires_at,
      links_account = excluded.links_account, invited_by = excluded.invited_by, opener_type = excluded.opener_type,
      opener_id = excluded.opener_id, created_at = now()
    RETURNING expires_at`

/** An invitation that may still be spent. */
interface InvitationRow {
  readonly person_id: string
  readonly links_account: boolean
  readonly invited_by: string | null
  readonly expires_at: Date
}

/**
 * An invitation that is still good. Who is to spend it locks its person first: so does whoever changes the person, and then takes the
 * invitation.
 */
export const findInvitation = (sql: Database, hash: Uint8Array): Query<InvitationRow> =>
  sql<InvitationRow>`
    -- name: person_invitations.find
    SELECT person_id, links_account, invited_by, expires_at FROM person_invitations
    WHERE token_hash = ${hash} AND expires_at > now()`

/** An invitation that is spent. */
interface SpentInvitation extends OpenerRow {
  readonly person_id: string
  readonly links_account: boolean
}

/** Spends an invitation; answers whose it was, where it was still good. */
export const deleteInvitation = (sql: Database, hash: Uint8Array): Query<SpentInvitation> =>
  sql<SpentInvitation>`
    -- name: person_invitations.delete spent
    DELETE FROM person_invitations
    -- guard: an invitation is spent once
    WHERE token_hash = ${hash} AND expires_at > now()
    RETURNING person_id, links_account, opener_type, opener_id`

/** Takes the invitation of a person. */
export const deleteInvitationOf = (sql: Database, personId: string): Query<object> =>
  sql`
    -- name: person_invitations.delete of person
    DELETE FROM person_invitations WHERE person_id = ${personId} RETURNING person_id`

/** Opens a session of a person. */
export const insertSession = (
  sql: Database,
  { hash, hours, id, ipAddress, method, opener, passkeyId, personId, provider, sealedIdToken, userAgent }: {
    readonly id: string
    readonly hash: Uint8Array
    readonly personId: string
    readonly method: SignInMethod
    /** The passkey that it was opened with, and ends with. */
    readonly passkeyId?: string | undefined
    /** The maker of the invitation that opens it. */
    readonly opener?: Pick<Opener, "id" | "type"> | undefined
    /** The account and the session at the identity provider. */
    readonly provider?: Pick<ProviderAccount, "issuer" | "providerSession" | "subject"> | undefined
    readonly sealedIdToken?: Uint8Array | undefined
    readonly ipAddress: string | undefined
    readonly userAgent: string | undefined
    readonly hours: number
  }
): Query<object> =>
  sql`
    -- name: person_sessions.insert
    INSERT INTO person_sessions (id, token_hash, person_id, sign_in_method, passkey_id, opener_type, opener_id, ip_address,
      user_agent, provider_issuer, provider_subject, provider_session, sealed_id_token, expires_at)
    VALUES (${id}, ${hash}, ${personId}, ${method}, ${passkeyId ?? null}, ${opener?.type ?? null}, ${
    opener?.id ?? null
  },
      ${ipAddress ?? null}, ${userAgent ?? null}, ${provider?.issuer ?? null}, ${provider?.subject ?? null},
      ${provider?.providerSession ?? null}, ${sealedIdToken ?? null}, now() + ${hours}::int * interval '1 hour')
    RETURNING id, person_id, sign_in_method, expires_at, created_at`

/** A session as a request finds it: a hot row, which is cast. */
export interface SessionRow extends OpenerColumns, PersonWithRoles {
  readonly person_id: string
  readonly status: PersonStatus
  readonly ended: boolean
  readonly stale: boolean
}

/** The session of a keyed hash, with the rights that its person has at this moment. */
export const findSession = (sql: Database, hash: Uint8Array, idleMinutes: number): Query<SessionRow> =>
  sql<SessionRow>`
    -- name: person_sessions.find by hash
    SELECT s.id, s.person_id, p.name, p.status, p.roles,
      (SELECT coalesce(jsonb_agg(jsonb_build_object('id', r.id, 'name', r.name, 'scopes', r.scopes,
          'product_ids', r.product_ids)), '[]')
        FROM roles r WHERE r.id = ANY(p.roles)) AS own,
      ${sql.literal(secondLook)},
      s.expires_at <= now() OR s.last_used_at <= now() - ${idleMinutes}::int * interval '1 minute' AS ended,
      s.last_used_at < now() - interval '1 minute' AS stale, ${sql.literal(openerColumns)}
    FROM person_sessions s JOIN people p ON p.id = s.person_id ${sql.literal(joinedOpener)}
    WHERE s.token_hash = ${hash} AND o.status IS DISTINCT FROM 'removed'`

/** Notes that a session is used: when, and not how often. */
export const updateLastUsed = (sql: Database, id: string): Query<object> =>
  sql`
    -- name: person_sessions.update last used
    UPDATE person_sessions SET last_used_at = now()
    -- guard: a session notes its use once a minute
    WHERE id = ${id} AND last_used_at < now() - interval '1 minute' RETURNING id`

const shownColumns = (sql: Database, current: string | undefined): Statement.Fragment =>
  sql`id, person_id, sign_in_method, id = ${
    current ?? ""
  } AS is_current, ip_address, user_agent, last_used_at, expires_at, created_at`

/** A page of sessions that go on. */
export const listSessions = (
  sql: Database,
  { orderBy, place, where }: SortedClauses,
  { current, limit }: { readonly current: string | undefined; readonly limit: number }
): Query<object> =>
  sql`
    -- name: person_sessions.list
    SELECT ${shownColumns(sql, current)} ${place} FROM person_sessions ${where} ${orderBy} LIMIT ${limit}`

/** Whether a session goes on, as a condition of its row. */
export const goesOn = (sql: Database, idleMinutes: number): Statement.Fragment =>
  sql`expires_at > now() AND last_used_at > now() - ${idleMinutes}::int * interval '1 minute'`

/** Whether a session is of a person, as a condition of its row. */
export const isOf = (sql: Database, personId: string): Statement.Fragment => sql`person_id = ${personId}`

/** The person of a session. */
export const lockSession = (sql: Database, id: string): Query<{ readonly person_id: string }> =>
  sql<{ readonly person_id: string }>`
    -- name: person_sessions.lock to end
    SELECT person_id FROM person_sessions WHERE id = ${id} FOR UPDATE`

/** Ends a session. */
export const deleteSession = (sql: Database, id: string): Query<object> =>
  sql`
    -- name: person_sessions.delete
    DELETE FROM person_sessions WHERE id = ${id} RETURNING id, person_id, sign_in_method, expires_at, created_at`

/** How a session was opened, and the sealed ID token of its sign-in. */
export const findSignedIn = (
  sql: Database,
  id: string
): Query<{ readonly sign_in_method: SignInMethod; readonly sealed_id_token: Uint8Array | null }> =>
  sql<{ readonly sign_in_method: SignInMethod; readonly sealed_id_token: Uint8Array | null }>`
    -- name: person_sessions.find signed in
    SELECT sign_in_method, sealed_id_token FROM person_sessions WHERE id = ${id}`

/**
 * Ends the sessions that an identity provider has ended: those of a session there, or all of an account. Where both are named, and a
 * session here does not say of which one there it is, it may be of this one.
 */
export const deleteEndedThere = (
  sql: Database,
  { issuer, providerSession, subject }: Pick<EndedThere, "issuer" | "providerSession" | "subject">
): Query<object> =>
  sql`
    -- name: person_sessions.delete ended there
    DELETE FROM person_sessions
    WHERE provider_issuer = ${issuer} AND (${subject ?? null}::text IS NULL OR provider_subject = ${subject ?? null})
      AND (${providerSession ?? null}::text IS NULL OR provider_session = ${providerSession ?? null}
        OR (provider_session IS NULL AND ${subject ?? null}::text IS NOT NULL))
    RETURNING id, person_id, sign_in_method, expires_at, created_at`

/** Ends all sessions of a person. */
export const deleteSessionsOf = (sql: Database, personId: string): Query<object> =>
  sql`
    -- name: person_sessions.delete of person
    DELETE FROM person_sessions WHERE person_id = ${personId} RETURNING id, person_id, sign_in_method, expires_at, created_at`

/** Ends the sessions that a passkey opened, but for one. */
export const deleteSessionsBy = (sql: Database, passkeyId: string, except: string | undefined): Query<object> =>
  sql`
    -- name: person_sessions.delete by passkey
    DELETE FROM person_sessions WHERE passkey_id = ${passkeyId} AND id <> ${except ?? ""}
    RETURNING id, person_id, sign_in_method, expires_at, created_at`

/** Locks a session that has not ended against its end; answers how its person signed in. */
export const lockMethod = (
  sql: Database,
  id: string,
  idleMinutes: number
): Query<{ readonly sign_in_method: SignInMethod }> =>
  sql<{ readonly sign_in_method: SignInMethod }>`
    -- name: person_sessions.lock method
    SELECT sign_in_method FROM person_sessions WHERE id = ${id} AND ${goesOn(sql, idleMinutes)} FOR SHARE`

/** Takes the invitations that people with a role have not used. */
export const deleteInvitationsOfRole = (sql: Database, role: string): Query<object> =>
  sql`
    -- name: person_invitations.delete of role
    DELETE FROM person_invitations WHERE person_id IN (SELECT id FROM people WHERE ${role}::text = ANY(roles))
    RETURNING person_id`

/** Ends the sessions that invitations have opened to people with a role. */
export const deleteInvitedOfRole = (sql: Database, role: string): Query<object> =>
  sql`
    -- name: person_sessions.delete invited of role
    DELETE FROM person_sessions WHERE sign_in_method = 'invitation'
      AND person_id IN (SELECT id FROM people WHERE ${role}::text = ANY(roles))
    RETURNING id, person_id, sign_in_method, expires_at, created_at`

/** Takes invitations that have expired, of anybody. Those that are being spent or replaced are left to whoever does it. */
export const deleteExpiredInvitations = (sql: Database): Query<object> =>
  sql`
    -- name: person_invitations.delete expired
    DELETE FROM person_invitations WHERE token_hash = ANY(ARRAY(
      SELECT token_hash FROM person_invitations WHERE expires_at <= now()
      -- guard: expired invitations are waited for by nobody
      FOR UPDATE SKIP LOCKED))
    RETURNING person_id`

/** Ends the session of a person that the browser had which the person signs in with again. */
export const deleteFormer = (sql: Database, personId: string, hash: Uint8Array): Query<object> =>
  sql`
    -- name: person_sessions.delete former
    DELETE FROM person_sessions WHERE token_hash = ${hash} AND person_id = ${personId}
    RETURNING id, person_id, sign_in_method, expires_at, created_at`

/** Takes sessions of a person that are over. */
export const deleteOver = (sql: Database, personId: string, idleMinutes: number): Query<object> =>
  sql`
    -- name: person_sessions.delete over
    DELETE FROM person_sessions WHERE person_id = ${personId} AND NOT (${goesOn(sql, idleMinutes)}) RETURNING id`
