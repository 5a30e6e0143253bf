import type { Statement } from "effect/sql"
import type { Fragments } from "./Database.ts"

/**
 * The instant until which the seat of an offline file `f` is taken, in SQL, where the terms hold seats: until the end of the file; until it was
 * revoked; and where it was revoked with its owner, until somebody freed the seat.
 */
export const fileUntil =
  "CASE WHEN f.revoked_at IS NULL THEN f.valid_until ELSE coalesce(f.seat_held_until, f.revoked_at) END"

/** The instant until which a device has something for offline use, in SQL; NULL where it never had. `device` is the name of its row. */
export const offlineUntil = (device: "d" | "devices"): string =>
  `greatest(${device}.envelope_until, (SELECT max(${fileUntil}) FROM offline_files f WHERE f.device_id = ${device}.id))`

/**
 * The condition of devices that run a version of the app: exactly this one, or, where it ends in `.x`, any that begins so. Such a line is one
 * range of the index, from its own name to the character after the point, which is the slash. What is in the range without a point, as
 * `1-beta` is, is left out; an OR of the name and of what is behind the point would have the whole index read.
 */
const runningVersion = (sql: Fragments, version: string): Statement.Fragment => {
  if (!version.endsWith(".x")) return sql`app_version COLLATE "C" = ${version}`
  const line = version.slice(0, -2)
  return sql`(app_version COLLATE "C" >= ${line} AND app_version COLLATE "C" < ${`${line}/`}
    AND (app_version COLLATE "C" = ${line} OR app_version COLLATE "C" >= ${`${line}.`}))`
}

/** The condition of devices whose operating system begins with a text; not case-sensitive. It has the form of the index. */
const runningSystem = (sql: Fragments, system: string): Statement.Fragment =>
  sql`(lower(os) COLLATE "C" >= lower(${system}::text) AND lower(os) COLLATE "C" < lower(${system}::text) || chr(1114111))`

/** A version and a system that devices run, as far as a filter names them. */
export interface Running {
  /** `1.x` is any version that begins so. */
  readonly app_version?: string | undefined
  /** The beginning of the system. */
  readonly os?: string | undefined
}

/** The conditions of devices that run this: none where it names nothing. */
export const runningConditions = (
  sql: Fragments,
  { app_version, os }: Running
): ReadonlyArray<Statement.Fragment> => [
  ...(app_version === undefined ? [] : [runningVersion(sql, app_version)]),
  ...(os === undefined ? [] : [runningSystem(sql, os)])
]

/** Devices `d` that have a seat and run this; undefined where it names nothing. */
export const runningDevices = (sql: Fragments, running: Running): Statement.Fragment | undefined => {
  const conditions = runningConditions(sql, running)
  return conditions.length === 0
    ? undefined
    : sql`devices d WHERE ${sql.and([sql`d.status = 'active'`, ...conditions])}`
}
