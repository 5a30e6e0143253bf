import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { addColumns, briefly, leisurely } from "../OnlineMigration.ts"

/** Whether a table is a part of another one, as an interrupted migration may have left it. */
const isPart = (table: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) =>
      Effect.map(sql.unsafe(`SELECT FROM pg_inherits WHERE inhrelid = '${table}'::regclass`), (rows) => rows.length > 0)
  )

/**
 * Makes a table the part of the whole whose owner is a license, or is none. Its rows stay where they are: that they are such is checked
 * beside writers, so that becoming a part reads none of them.
 */
const becomePart = Effect.fnUntraced(
  function*(whole: string, part: string, columns: Parameters<typeof addColumns>[1], isOfNone: boolean) {
    if (yield* isPart(part)) return
    yield* addColumns(part, columns)
    yield* briefly(`
      ALTER TABLE ${part} DROP CONSTRAINT IF EXISTS ${whole}_owner,
        ADD CONSTRAINT ${whole}_owner CHECK (num_nonnulls(license_id, customer_id) = 1) NOT VALID`)
    yield* leisurely(`ALTER TABLE ${part} VALIDATE CONSTRAINT ${whole}_owner`)
    yield* briefly(`ALTER TABLE ${whole} ATTACH PARTITION ${part} FOR VALUES IN (${isOfNone})`)
  }
)

/** The rule of a part in the words in which PostgreSQL keeps it: it looks for them, and otherwise reads every row. */
const partOf = (isOfNone: boolean) => `(license_id IS NULL) IS NOT NULL AND (license_id IS NULL) = ${isOfNone}`

/**
 * Units that licenses or customers have: one table by its owner, whose parts are the tables of before, under their names, which nodes of
 * the version before go on with. What is asked of an owner's grants is asked of his part alone.
 * Written by: metering, terms.
 */
export default Effect.gen(function*() {
  yield* briefly(`
    CREATE TABLE IF NOT EXISTS grants (
      id text COLLATE "C" NOT NULL,
      license_id text COLLATE "C",
      customer_id text COLLATE "C",
      feature_id text COLLATE "C" NOT NULL,
      amount bigint NOT NULL,
      used bigint NOT NULL DEFAULT 0,
      max_per_license bigint,
      starts_at timestamp(3) with time zone NOT NULL,
      expires_at timestamp(3) with time zone,
      priority integer NOT NULL,
      source text,
      reference text,
      is_open boolean NOT NULL DEFAULT true,
      revoked_at timestamp(3) with time zone,
      created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
      CONSTRAINT grants_owner CHECK (num_nonnulls(license_id, customer_id) = 1)
    ) PARTITION BY LIST ((license_id IS NULL))`)
  yield* becomePart("grants", "license_grants", {
    customer_id: { type: `text COLLATE "C"`, check: `customer_id IS NULL AND ${partOf(false)}` },
    max_per_license: { type: "bigint", check: "max_per_license IS NULL" }
  }, false)
  yield* becomePart("grants", "pools", {
    license_id: { type: `text COLLATE "C"`, check: partOf(true) },
    source: { type: "text", check: "source IS NULL" }
  }, true)
})
