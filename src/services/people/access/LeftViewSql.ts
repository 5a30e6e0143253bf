import type { Database, Query } from "../../ground/persistence/Database.ts"

/** A person or a key whose access ends. */
interface Leaving {
  readonly type: "person" | "api_key"
  readonly id: string
}

/** How many saved views of somebody are deleted, and how many stay, because others see them. */
export interface LeftViews {
  readonly deleted: number
  readonly kept: number
}

/** Deletes the saved views that somebody whose access ends has kept for himself or herself. The shared ones stay. */
export const deleteOwnViews = (sql: Database, { id, type }: Leaving): Query<LeftViews> =>
  sql<LeftViews>`
    -- name: license_views.delete of leaving author
    WITH gone AS (
      DELETE FROM license_views WHERE author_type = ${type} AND author_id = ${id} AND NOT is_shared RETURNING id)
    SELECT (SELECT count(*)::int FROM gone) AS deleted, count(*)::int AS kept FROM license_views
    WHERE author_type = ${type} AND author_id = ${id} AND is_shared`
