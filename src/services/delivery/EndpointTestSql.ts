import type { Database, Query } from "../ground/persistence/Database.ts"

/** The input of a test of an endpoint beside its secrets: its headers, sealed, and where the feed ends, now. */
export interface TestedEndpoint {
  readonly headers: Uint8Array | null
  readonly head: bigint
  readonly at: Date
}

/** Finds an endpoint to test, unless it is deleted. */
export const findTested = (sql: Database, id: string): Query<TestedEndpoint> =>
  sql<TestedEndpoint>`
    -- name: webhook_endpoints.find to test
    SELECT e.headers, c.last_sequence AS head, now() AS at FROM webhook_endpoints e CROSS JOIN event_chain c
    WHERE e.id = ${id} AND e.deleted_at IS NULL`
