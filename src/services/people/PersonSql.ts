import type { Statement } from "effect/sql"
import type { Identity, PersonStatus } from "../../domain/people/Person.ts"
import type { WaysIn } from "../../domain/people/Rights.ts"
import { ownerRole } from "../../domain/people/Role.ts"
import type { Database, Query } from "../ground/persistence/Database.ts"
import type { SortedClauses } from "../ground/persistence/KeysetPagination.ts"

/** The person whom an identity is of. */
export const findIdentified = (sql: Database, { issuer, subject }: Identity): Query<{ readonly person_id: string }> =>
  sql<{ readonly person_id: string }>`
    -- name: person_identities.find
    SELECT person_id FROM person_identities WHERE issuer = ${issuer} AND subject = ${subject}`

/** Writes the roles of a locked person, and which of them came by claims. */
export const updateClaimed = (
  sql: Database,
  id: string,
  { claimed, roles }: { readonly roles: ReadonlyArray<string>; readonly claimed: ReadonlyArray<string> }
): Query<object> =>
  sql`
    -- name: people.update claimed
    UPDATE people SET roles = ${roles}::text[], claimed_roles = ${claimed}::text[], updated_at = now()
    WHERE id = ${id} RETURNING id`

/** Notes that a sign-in is being finished; answers nothing where it was before. Forgets those that are over. */
export const insertSpent = (sql: Database, hash: Uint8Array, seconds: number): Query<object> =>
  sql`
    -- name: spent_sign_ins.insert
    WITH over AS (DELETE FROM spent_sign_ins WHERE expires_at < now())
    INSERT INTO spent_sign_ins (seed_hash, expires_at) VALUES (${hash}, now() + ${seconds}::int * interval '1 second')
    -- guard: a sign-in is finished once
    ON CONFLICT (seed_hash) DO NOTHING RETURNING seed_hash`

const shownColumns = (sql: Database): Statement.Fragment =>
  sql`id, name, email, roles, claimed_roles, status, created_at, updated_at,
    (SELECT coalesce(jsonb_agg(jsonb_build_object('issuer', i.issuer, 'subject', i.subject)
        ORDER BY i.issuer, i.subject), '[]')
      FROM person_identities i WHERE i.person_id = people.id) AS identities`

/** Identities as rows of an issuer and a subject. */
const rowsOf = (sql: Database, identities: ReadonlyArray<Identity>): Statement.Fragment =>
  sql`unnest(${identities.map(({ issuer }) => issuer)}::text[], ${identities.map(({ subject }) => subject)}::text[])`

/** Whether a text is a part of the name or the email address of a person, in whatever case. */
export const isCalled = (sql: Database, text: string): Statement.Fragment =>
  sql`(strpos(lower(name), lower(${text}::text)) > 0 OR strpos(lower(email), lower(${text}::text)) > 0)`

/** Whether a person has a status, as a condition of the row. */
export const hasStatus = (sql: Database, status: PersonStatus): Statement.Fragment => sql`status = ${status}`

/** A page of people as they are shown. */
export const listPeople = (sql: Database, { orderBy, place, where }: SortedClauses, limit: number): Query<object> =>
  sql`
    -- name: people.list
    SELECT ${shownColumns(sql)} ${place} FROM people ${where} ${orderBy} LIMIT ${limit}`

/** A person as he or she is shown. */
export const findPerson = (sql: Database, id: string): Query<object> =>
  sql`
    -- name: people.find
    SELECT ${shownColumns(sql)} FROM people WHERE id = ${id}`

/** A person who is locked. */
export interface LockedPerson extends WaysIn {
  readonly id: string
  readonly roles: ReadonlyArray<string>
  readonly status: PersonStatus
}

/**
 * Locks a person who is about to be changed, others if so asked, and all owners, in one order for everybody. Of two changes that would each
 * leave the other's owner, the second then sees what the first has left.
 */
export const lockWithOwners = (
  sql: Database,
  id: string,
  others: ReadonlyArray<string> = []
): Query<LockedPerson> =>
  sql<LockedPerson>`
    -- name: people.lock with owners
    SELECT id, roles, status, ARRAY(SELECT i.issuer FROM person_identities i WHERE i.person_id = people.id) AS issuers,
      (SELECT count(*)::int FROM passkeys k WHERE k.person_id = people.id) AS passkeys
    FROM people
    -- guard: the last owner stays
    WHERE id = ANY(${[id, ...others]}::text[]) OR (status = 'active' AND ${ownerRole}::text = ANY(roles))
    ORDER BY id FOR UPDATE`

/** The members of a person that are written. */
export interface PersonValues {
  readonly name: string
  readonly email: string | null
  readonly roles: ReadonlyArray<string>
  readonly status: PersonStatus
}

/** Inserts a person without identities. */
export const insertPerson = (
  sql: Database,
  id: string,
  { email, name, roles, status }: PersonValues
): Query<object> =>
  sql`
    -- name: people.insert
    INSERT INTO people (id, name, email, roles, status)
    VALUES (${id}, ${name}, ${email}, ${roles}::text[], ${status}) RETURNING id`

/** Writes a locked person. Of the roles that came by claims, those stay that the person still has. */
export const updatePerson = (
  sql: Database,
  id: string,
  { email, name, roles, status }: PersonValues
): Query<object> =>
  sql`
    -- name: people.update
    UPDATE people SET name = ${name}, email = ${email}, roles = ${roles}::text[], status = ${status}, updated_at = now(),
      claimed_roles = ARRAY(SELECT role FROM unnest(claimed_roles) AS role WHERE role = ANY(${roles}::text[]))
    WHERE id = ${id} RETURNING id`

/** Takes those identities of a person that are none of these. */
export const deleteOtherIdentities = (
  sql: Database,
  id: string,
  identities: ReadonlyArray<Identity>
): Query<object> =>
  sql`
    -- name: person_identities.delete others
    DELETE FROM person_identities WHERE person_id = ${id} AND (issuer, subject) NOT IN (
      SELECT * FROM ${rowsOf(sql, identities)})
    RETURNING person_id`

/** Gives a person identities that nobody has; answers whose each is now. */
export const insertIdentities = (
  sql: Database,
  id: string,
  identities: ReadonlyArray<Identity>
): Query<object> =>
  sql`
    -- name: person_identities.insert
    INSERT INTO person_identities (issuer, subject, person_id)
    SELECT issuer, subject, ${id} FROM ${rowsOf(sql, identities)} AS given (issuer, subject)
    -- guard: an account is of one person
    ON CONFLICT (issuer, subject) DO NOTHING RETURNING person_id`

/** The identities, among some, that are of another person. */
export const listOthersIdentities = (
  sql: Database,
  id: string,
  identities: ReadonlyArray<Identity>
): Query<Identity> =>
  sql<Identity>`
    -- name: person_identities.list of others
    SELECT i.issuer, i.subject FROM person_identities i
    JOIN ${rowsOf(sql, identities)} AS given (issuer, subject) USING (issuer, subject)
    WHERE i.person_id <> ${id}`

/** How many passkeys a person has. */
export const countPasskeysOf = (sql: Database, personId: string): Query<{ readonly passkeys: number }> =>
  sql<{ readonly passkeys: number }>`
    -- name: passkeys.count of person
    SELECT count(*)::int AS passkeys FROM passkeys WHERE person_id = ${personId}`
