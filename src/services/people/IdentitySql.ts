import type { Identity } from "../../domain/people/Person.ts"
import type { Database, Query } from "../ground/persistence/Database.ts"

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
