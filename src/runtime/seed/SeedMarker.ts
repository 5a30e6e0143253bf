import { Effect } from "effect"
import { Database } from "../../services/persistence/Database.ts"

/** The table of one row that there is while a vendor is being made, and until an interrupted one was gone on with. */
export const seedMarker = "seed_under_way"

/** The origin of sample data that are being made, and the progress. */
export interface SeedUnderWay {
  readonly seed: string
  readonly licenses: number
  /** When the story ends. */
  readonly until: Date
  /** The ordinals of its events: from the first up to but not including the last. */
  readonly first: bigint
  readonly last: bigint
  /** The accounts up to this number are written. */
  readonly accounts: number
  /** The events up to this ordinal have their places in the log. */
  readonly placed: bigint
}

/**
 * The rest of an interrupted run; undefined when there is none. The database may still be at the last statement
 * of a run that was killed: its end is waited for.
 */
export const readSeedMarker = Effect.gen(function*() {
  const sql = yield* Database
  const [there] = yield* sql<{ readonly there: boolean }>`SELECT to_regclass(${seedMarker}) IS NOT NULL AS there`
  if (!there!.there) return undefined
  return yield* sql.withTransaction(Effect.gen(function*() {
    yield* sql.unsafe(`LOCK TABLE ${seedMarker}`)
    const [marker] = yield* sql.unsafe<SeedUnderWay>(`SELECT * FROM ${seedMarker}`)
    return marker
  }))
})

/** Begins a vendor, in the surrounding transaction. */
export const makeSeedMarker = Effect.fnUntraced(function*(marker: SeedUnderWay) {
  const sql = yield* Database
  yield* sql.unsafe(`
    CREATE TABLE ${seedMarker} (seed text NOT NULL, licenses int NOT NULL, until timestamptz NOT NULL,
      first bigint NOT NULL, last bigint NOT NULL, accounts int NOT NULL, placed bigint NOT NULL)`)
  yield* sql.unsafe(
    `INSERT INTO ${seedMarker} VALUES ($1, $2::int, $3::text::timestamptz, $4::bigint, $5::bigint, $6::int, $7::bigint)`,
    [
      marker.seed,
      marker.licenses,
      marker.until.toISOString(),
      marker.first,
      marker.last,
      marker.accounts,
      marker.placed
    ]
  )
})

/** Says that all is there, in the surrounding transaction. */
export const dropSeedMarker = Effect.gen(function*() {
  const sql = yield* Database
  yield* sql.unsafe(`DROP TABLE ${seedMarker}`)
})
