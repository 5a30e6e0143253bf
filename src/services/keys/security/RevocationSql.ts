import type { Database, Query } from "../../ground/persistence/Database.ts"

/** The number of the list of what is revoked, and the key that signs it. */
export interface ListState {
  readonly number: bigint
  readonly now: Date
  readonly kid: string
}

/** The revocations: ids as JSON texts, with commas between them; null where there is nothing. */
interface Revoked extends ListState {
  readonly licenses: string | null
  readonly kids: string | null
  readonly files: string | null
}

/** Revocations are permanent, so their count numbers the list: it grows with each revocation, and only then. */
export const findListState = (sql: Database): Query<ListState> =>
  sql<ListState>`
    -- name: revocation_count.find
    SELECT c.number, clock_timestamp() AS now, k.id AS kid
    FROM revocation_count c, signing_keys k WHERE k.status = 'active'`

/** The database formats the ids: there may be a million of them, and the event loop must stay free. */
export const findRevoked = (sql: Database): Query<Revoked> =>
  sql<Revoked>`
    -- name: revocation_count.find with revoked
    SELECT s.*, (SELECT string_agg('"' || id || '"', ',' ORDER BY id) FROM licenses WHERE state = 'revoked')
        AS licenses,
      (SELECT string_agg('"' || id || '"', ',' ORDER BY id) FROM signing_keys WHERE status = 'revoked') AS kids,
      (SELECT string_agg('"' || id || '"', ',' ORDER BY id) FROM offline_files WHERE revoked_at IS NOT NULL)
        AS files
    FROM (${findListState(sql)}) s`
