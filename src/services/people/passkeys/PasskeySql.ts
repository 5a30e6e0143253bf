import type { Statement } from "effect/sql"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import type { SortedClauses } from "../../ground/persistence/KeysetPagination.ts"

const shownColumns = (sql: Database): Statement.Fragment =>
  sql`id, person_id, name, is_synced, last_used_at, created_at, updated_at`

/** A page of passkeys. */
export const listPasskeys = (sql: Database, { orderBy, place, where }: SortedClauses, limit: number): Query<object> =>
  sql`
    -- name: passkeys.list
    SELECT ${shownColumns(sql)} ${place} FROM passkeys ${where} ${orderBy} LIMIT ${limit}`

/** The passkeys of a person, as a browser is told of them. */
export const listCredentials = (
  sql: Database,
  personId: string
): Query<{ readonly credential_id: Uint8Array; readonly transports: ReadonlyArray<string> }> =>
  sql`
    -- name: passkeys.list credentials
    SELECT credential_id, transports FROM passkeys WHERE person_id = ${personId} ORDER BY id`

/** A passkey, as a sign-in with it is judged. */
interface CredentialRow {
  readonly id: string
  readonly person_id: string
  readonly public_key: Uint8Array
  readonly last_used_at: Date | null
}

/** The passkey that a credential is. */
export const findCredential = (sql: Database, credentialId: Uint8Array): Query<CredentialRow> =>
  sql<CredentialRow>`
    -- name: passkeys.find by credential
    SELECT id, person_id, public_key, last_used_at FROM passkeys WHERE credential_id = ${credentialId}`

/** A passkey to insert. */
export interface PasskeyValues {
  readonly id: string
  readonly personId: string
  readonly name: string
  readonly credentialId: Uint8Array
  readonly publicKey: Uint8Array
  readonly counter: number
  readonly transports: ReadonlyArray<string>
  readonly isSynced: boolean
}

/** Gives a person a passkey; answers nothing where it is somebody's. */
export const insertPasskey = (
  sql: Database,
  { counter, credentialId, id, isSynced, name, personId, publicKey, transports }: PasskeyValues
): Query<object> =>
  sql`
    -- name: passkeys.insert
    INSERT INTO passkeys (id, credential_id, person_id, name, public_key, counter, transports, is_synced)
    VALUES (${id}, ${credentialId}, ${personId}, ${name}, ${publicKey}, ${counter}, ${transports}::text[], ${isSynced})
    -- guard: a passkey is of one person
    ON CONFLICT (credential_id) DO NOTHING RETURNING ${shownColumns(sql)}`

/**
 * Notes that somebody signed in with a passkey; answers nothing where its counter does not go on. Many authenticators never count, and
 * stay at 0. One that counts and does not go on is a copy, or there is one. A synced passkey is copied by its store, and falls to 0 where
 * it comes to one that does not count.
 */
export const updateSignedIn = (sql: Database, id: string, counter: number): Query<object> =>
  sql`
    -- name: passkeys.update signed in
    UPDATE passkeys SET counter = ${counter}, last_used_at = now()
    -- guard: a counter goes on
    WHERE id = ${id} AND (counter < ${counter}::bigint OR ((counter = 0 OR is_synced) AND ${counter}::bigint = 0))
    RETURNING id`

/** The holder of a passkey. */
export const findHolder = (sql: Database, id: string): Query<{ readonly person_id: string }> =>
  sql<{ readonly person_id: string }>`
    -- name: passkeys.find holder
    SELECT person_id FROM passkeys WHERE id = ${id}`

/** Renames a passkey. */
export const updateName = (sql: Database, id: string, name: string): Query<object> =>
  sql`
    -- name: passkeys.update name
    UPDATE passkeys SET name = ${name}, updated_at = now() WHERE id = ${id} RETURNING ${shownColumns(sql)}`

/** Removes a passkey. */
export const deletePasskey = (sql: Database, id: string): Query<object> =>
  sql`
    -- name: passkeys.delete
    DELETE FROM passkeys WHERE id = ${id} RETURNING ${shownColumns(sql)}`

/** Whether a passkey is of a person, as a condition of its row. */
export const isHeldBy = (sql: Database, personId: string): Statement.Fragment => sql`person_id = ${personId}`
