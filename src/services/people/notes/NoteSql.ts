import type { Statement } from "effect/sql"
import type { Author } from "../../../domain/people/notes/Note.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import type { SortedClauses } from "../../ground/persistence/KeysetPagination.ts"

/** The subject of a note: the column that names it, and its table. */
export type Subject = "license" | "customer"

/** A note as it is stored, in the form that the service reads; `own` says whether somebody wrote it. */
const shown = (sql: Database, { id, type }: Pick<Author, "id" | "type">): Statement.Fragment =>
  sql`id, license_id, coalesce(customer_id, owner_ids[1]) AS customer_id, text,
    jsonb_strip_nulls(jsonb_build_object('type', author_type, 'id', author_id, 'name', author_name,
      'roles', to_jsonb(author_roles))) AS author,
    author_type = ${type} AND author_id = ${id} AS is_own, created_at, updated_at`

/** Whether a note is about a license or a customer, as a condition of its row. */
export const isAbout = (sql: Database, of: Subject, id: string): Statement.Fragment => sql`${sql(`${of}_id`)} = ${id}`

/** Whether a note `n` may name a customer: it is about one, or about a license that is or was theirs when it was written. */
export const aboutCustomer = (sql: Database, customerId: string): Statement.Fragment =>
  sql`(n.customer_id = ${customerId} OR n.owner_ids @> ARRAY[${customerId}::text]
    OR (cardinality(n.owner_ids) = 0 AND n.license_id = ANY(ARRAY(SELECT id FROM licenses WHERE customer_id = ${customerId}))))`

/** A page of notes, as `reader` sees them. */
export const listNotes = (
  sql: Database,
  { orderBy, place, where }: SortedClauses,
  { limit, reader }: { readonly limit: number; readonly reader: Pick<Author, "id" | "type"> }
): Query<object> =>
  sql`
    -- name: notes.list
    SELECT ${shown(sql, reader)} ${place} FROM notes ${where} ${orderBy} LIMIT ${limit}`

/** A license or a customer that notes are about, where there is one. */
export const findSubject = (sql: Database, of: Subject, id: string): Query<object> =>
  of === "license"
    ? sql`
    -- name: licenses.find with notes
    SELECT id FROM licenses WHERE id = ${id}`
    : sql`
    -- name: customers.find with notes
    SELECT id FROM customers WHERE id = ${id}`

/** Writes a note; answers none where what it is about is not there. */
export const insertNote = (
  sql: Database,
  { author, id, of, subjectId, text }: {
    readonly id: string
    readonly of: Subject
    readonly subjectId: string
    readonly text: string
    readonly author: Author
  }
): Query<object> => {
  // A key is named as it was when it wrote: its name may change, and its row goes.
  const named = sql`${text}::text, ${author.type}::text, ${author.id}::text,
      coalesce(${author.name ?? null}::text, (SELECT name FROM management_keys WHERE id = ${author.id})),
      ${author.roles ?? null}::text[]`
  const about = of === "license"
    ? sql`(SELECT ${id}::text, id, NULL::text, array_remove(ARRAY[customer_id], NULL), ${named} FROM licenses WHERE id = ${subjectId})`
    : sql`(SELECT ${id}::text, NULL::text, id, '{}'::text[], ${named} FROM customers WHERE id = ${subjectId})`
  return sql`
    -- name: notes.insert
    INSERT INTO notes (id, license_id, customer_id, owner_ids, text, author_type, author_id, author_name, author_roles)
    ${about} RETURNING ${shown(sql, author)}`
}

/** A note about a license or a customer, locked for a change. */
export const lockNote = (
  sql: Database,
  { id, of, reader, subjectId }: {
    readonly id: string
    readonly of: Subject
    readonly subjectId: string
    readonly reader: Pick<Author, "id" | "type">
  }
): Query<object> =>
  sql`
    -- name: notes.lock for a change
    SELECT ${shown(sql, reader)} FROM notes WHERE id = ${id} AND ${isAbout(sql, of, subjectId)} FOR UPDATE`

/** Gives a note another text. */
export const updateText = (
  sql: Database,
  { id, reader, text }: { readonly id: string; readonly text: string; readonly reader: Pick<Author, "id" | "type"> }
): Query<object> =>
  sql`
    -- name: notes.update text
    UPDATE notes SET text = ${text}, updated_at = now(), owner_ids = array(SELECT DISTINCT owner FROM unnest(
        owner_ids || (SELECT customer_id FROM licenses l WHERE l.id = license_id)) AS owner WHERE owner IS NOT NULL)
    WHERE id = ${id} RETURNING ${shown(sql, reader)}`

/** Notes that the notes about a license may name its former owner, to whom it belonged until now. */
export const updateOwned = (sql: Database, licenseId: string, ownerId: string): Query<object> =>
  sql`
    -- name: notes.update owned
    UPDATE notes SET owner_ids = owner_ids || ${ownerId}::text
    WHERE license_id = ${licenseId} AND NOT owner_ids @> ARRAY[${ownerId}::text] RETURNING id`

/** Deletes a note. */
export const deleteNote = (sql: Database, id: string): Query<object> =>
  sql`
    -- name: notes.delete
    DELETE FROM notes WHERE id = ${id} RETURNING id`
