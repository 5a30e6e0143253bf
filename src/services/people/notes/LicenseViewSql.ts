import type { Statement } from "effect/sql"
import type { LicenseViewInput } from "../../../domain/jobs/LicenseJob.ts"
import type { Author } from "../../../domain/people/notes/Note.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import type { Counted, SortedClauses } from "../../ground/persistence/KeysetPagination.ts"

/** A person or key that looks at views. */
export type Reader = Pick<Author, "id" | "type">

/**
 * Whether the author of a view has no access any more: a person who was removed, or a key that was revoked or has expired. Who was
 * removed stays in the table; in an environment beside live, people are in none.
 */
const isLeft = `CASE author_type
    WHEN 'person' THEN EXISTS (SELECT FROM people p WHERE p.id = author_id AND p.status = 'removed')
    ELSE author_id <> 'bootstrap' AND NOT EXISTS (SELECT FROM management_keys k
      WHERE k.id = author_id AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())) END`

/** A view as it is stored, in the form that the service reads; `is_own` says whether `reader` saved it. */
const shown = (sql: Database, { id, type }: Reader): Statement.Fragment =>
  sql`id, name, filter, expires_within_days, sort_order AS "order", columns, is_shared,
    author_type = ${type} AND author_id = ${id} AS is_own,
    CASE WHEN ${sql.literal(isLeft)} THEN true END AS is_left,
    jsonb_strip_nulls(jsonb_build_object('type', author_type, 'id', author_id, 'name', author_name,
      'roles', to_jsonb(author_roles))) AS author, created_at, updated_at`

/** Whether a view is one of `reader`. */
export const isOfAuthor = (sql: Database, { id, type }: Reader): Statement.Fragment =>
  sql`author_type = ${type} AND author_id = ${id}`

/** Whether `reader` sees a view: an own one, or one that is shared. */
export const isSeenBy = (sql: Database, reader: Reader): Statement.Fragment =>
  sql`(is_shared OR (${isOfAuthor(sql, reader)}))`

/** A page of views, as `reader` sees them. */
export const listViews = (
  sql: Database,
  { orderBy, place, where }: SortedClauses,
  { limit, reader }: { readonly limit: number; readonly reader: Reader }
): Query<object> =>
  sql`
    -- name: license_views.list
    SELECT ${shown(sql, reader)} ${place} FROM license_views ${where} ${orderBy} LIMIT ${limit}`

/** Lets one after the other save views of an author, until the transaction ends. */
export const lockAuthor = (sql: Database, { id, type }: Reader): Query<object> =>
  sql`
    -- name: advisory_locks.lock views of author
    -- guard: views of an author are saved one after the other
    SELECT pg_advisory_xact_lock(hashtext('countersign views of ' || ${type}::text || ' ' || ${id}::text))`

/** How many views an author has. */
export const countOfAuthor = (sql: Database, reader: Reader): Query<Counted> =>
  sql<Counted>`
    -- name: license_views.count of author
    SELECT count(*)::int AS n FROM license_views WHERE ${isOfAuthor(sql, reader)}`

/** The name of an author: a key is named as it was when it saved a view, because its name may change, and its row goes. */
const authorName = (sql: Database, { id, name }: Author): Statement.Fragment =>
  sql`coalesce(${name ?? null}::text, (SELECT name FROM management_keys WHERE id = ${id}))`

/** Saves a view. */
export const insertView = (
  sql: Database,
  { author, id, input }: { readonly id: string; readonly author: Author; readonly input: LicenseViewInput }
): Query<object> =>
  sql`
    -- name: license_views.insert
    INSERT INTO license_views (id, name, filter, expires_within_days, sort_order, columns, is_shared, author_type,
      author_id, author_name, author_roles)
    VALUES (${id}, ${input.name}, ${JSON.stringify(input.filter ?? {})}::jsonb, ${input.expires_within_days ?? null},
      ${input.order ?? null}, ${input.columns ?? null}::text[], ${
    input.is_shared ?? false
  }, ${author.type}, ${author.id},
      ${authorName(sql, author)},
      ${author.roles ?? null}::text[])
    RETURNING ${shown(sql, author)}`

/** A view that `reader` sees, locked for a change; with `isLimited`, only an own one. */
export const lockView = (
  sql: Database,
  { id, isLimited, reader }: { readonly id: string; readonly reader: Reader; readonly isLimited: boolean }
): Query<object> =>
  sql`
    -- name: license_views.lock for a change
    SELECT ${shown(sql, reader)} FROM license_views
    WHERE id = ${id} AND ${isLimited ? isOfAuthor(sql, reader) : isSeenBy(sql, reader)} FOR UPDATE`

/** Puts another in the place of a view, which `author` has from then on. */
export const updateView = (
  sql: Database,
  { author, id, input }: { readonly id: string; readonly author: Author; readonly input: LicenseViewInput }
): Query<object> =>
  sql`
    -- name: license_views.update
    UPDATE license_views SET name = ${input.name}, filter = ${JSON.stringify(input.filter ?? {})}::jsonb,
      expires_within_days = ${input.expires_within_days ?? null}, sort_order = ${input.order ?? null},
      columns = ${input.columns ?? null}::text[], is_shared = ${input.is_shared ?? false}, author_type = ${author.type},
      author_id = ${author.id}, author_name = ${authorName(sql, author)}, author_roles = ${
    author.roles ?? null
  }::text[], updated_at = now()
    WHERE id = ${id} RETURNING ${shown(sql, author)}`

/** Deletes a view. */
export const deleteView = (sql: Database, id: string): Query<object> =>
  sql`
    -- name: license_views.delete
    DELETE FROM license_views WHERE id = ${id} RETURNING id`
