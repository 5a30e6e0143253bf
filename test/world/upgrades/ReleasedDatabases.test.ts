import { assert, describe, it } from "@effect/vitest"
import { lastReleased, releasedDatabase, releasedFacts, releasedVersions } from "../../fixtures/Released.ts"
import { expectReleasedFacts } from "../../fixtures/ReleasedFacts.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Session } from "../../fixtures/Session.ts"
import { migrated, session } from "../../fixtures/Session.ts"

/**
 * Everything that the catalogue says about the schema, by name: the order of columns is that of their making. The tables
 * of the cluster's engine come with the first start.
 */
const schemaOf = async (url: string): Promise<ReadonlyArray<string>> => {
  const { close, query } = await session(url)
  const rows = await query(`
    WITH ours AS (
      SELECT c.oid, c.relname, c.relkind, c.reloptions, c.relpersistence FROM pg_class c
      WHERE c.relnamespace = current_schema()::regnamespace AND c.relname NOT LIKE 'node\\_%'
    )
    SELECT format('relation %s %s %s %s', relname, relkind, relpersistence, reloptions) AS line FROM ours
    UNION ALL
    SELECT format('column %s.%s %s%s%s%s %s %s', relname, a.attname, format_type(a.atttypid, a.atttypmod),
      CASE WHEN a.attnotnull THEN ' NOT NULL' END, ' DEFAULT ' || pg_get_expr(d.adbin, d.adrelid),
      ' COLLATE ' || collname, a.attstorage, col_description(a.attrelid, a.attnum))
    FROM ours JOIN pg_attribute a ON attrelid = oid LEFT JOIN pg_attrdef d ON (adrelid, adnum) = (attrelid, attnum)
      LEFT JOIN pg_collation l ON l.oid = a.attcollation AND a.attcollation <> 100
    WHERE a.attnum > 0 AND NOT a.attisdropped AND relkind IN ('r', 'v')
    UNION ALL
    SELECT format('constraint %s %s %s %s', relname, conname, pg_get_constraintdef(k.oid), convalidated)
    FROM ours JOIN pg_constraint k ON conrelid = ours.oid
    UNION ALL
    SELECT format('index %s %s', pg_get_indexdef(indexrelid), indisvalid) FROM ours JOIN pg_index ON indexrelid = oid
    UNION ALL
    SELECT format('view %s %s', relname, pg_get_viewdef(oid)) FROM ours WHERE relkind = 'v'
    UNION ALL
    SELECT format('trigger %s', pg_get_triggerdef(t.oid)) FROM ours JOIN pg_trigger t ON tgrelid = ours.oid
    WHERE NOT tgisinternal
    UNION ALL
    SELECT format('function %s', pg_get_functiondef(p.oid)) FROM pg_proc p
    WHERE pronamespace = current_schema()::regnamespace
    UNION ALL
    SELECT format('statistics %s', pg_get_statisticsobjdef(s.oid)) FROM pg_statistic_ext s`)
  await close()
  return rows.map(({ line }) => String(line)).toSorted()
}

/** A table that was there before, and that a statement kept writers out of while it read or wrote all of it. */
interface Blocked {
  readonly relation: string
  readonly statement: string
  readonly how: string
}

/**
 * Has PostgreSQL itself say what each statement of the catalogue's language did to the tables that are there now: which
 * locks its transaction holds that keep writers out, and how many rows it has read under them.
 */
const watchStatements = async (observer: Session) => {
  await observer.query("CREATE SCHEMA watched")
  await observer.query(`
    CREATE TABLE watched.before AS SELECT oid, relname FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname <> 'schema_migrations'`)
  await observer.query("CREATE TABLE watched.seen (number serial, relation text, statement text, how text)")
  await observer.query(`
    CREATE FUNCTION watched.look() RETURNS event_trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO watched.seen (relation, statement, how)
      SELECT b.relname, current_query(), format('%s while %s rows were read', mode, s.seq_tup_read)
      FROM watched.before b
      JOIN pg_locks l ON l.relation = b.oid AND l.pid = pg_backend_pid() AND l.granted
      JOIN pg_stat_xact_user_tables s ON s.relid = b.oid
      WHERE mode IN ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
        AND s.seq_tup_read > 0;
      -- Otherwise what this transaction has read would count for the next one of the session, too.
      PERFORM pg_stat_force_next_flush();
    END $$`)
  await observer.query(`
    CREATE FUNCTION watched.rewritten() RETURNS event_trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO watched.seen (relation, statement, how)
      VALUES (pg_event_trigger_table_rewrite_oid()::regclass::text, current_query(), 'rewritten');
    END $$`)
  await observer.query("CREATE EVENT TRIGGER watch_ends ON ddl_command_end EXECUTE FUNCTION watched.look()")
  await observer.query("CREATE EVENT TRIGGER watch_rewrites ON table_rewrite EXECUTE FUNCTION watched.rewritten()")
  return {
    blocked: () =>
      observer.query("SELECT relation, statement, how FROM watched.seen ORDER BY number") as Promise<
        ReadonlyArray<Blocked>
      >,
    end: async () => {
      await observer.query("DROP EVENT TRIGGER watch_ends")
      await observer.query("DROP EVENT TRIGGER watch_rewrites")
      await observer.query("DROP SCHEMA watched CASCADE")
    }
  }
}

describe.each(releasedVersions)("a database of version %s", (version) => {
  it("is migrated beside writers, to the schema of a new one, with everything it had", async () => {
    const facts = releasedFacts(version)
    const url = await releasedDatabase(version)
    const observer = await session(url)
    const watch = await watchStatements(observer)
    const service = await startService({ databaseUrl: url })
    assert.deepStrictEqual(await watch.blocked(), [], "see docs/development/recipes.md: A migration")
    await watch.end()
    assert.deepStrictEqual(await schemaOf(url), await schemaOf(await migrated()))
    await expectReleasedFacts(service, facts)
  })
})

it("the watch sees what keeps writers out", async () => {
  const observer = await session(await releasedDatabase(lastReleased))
  const watch = await watchStatements(observer)
  const offences = [
    "CREATE INDEX slow ON licenses (state)",
    "ALTER TABLE usage_records ADD COLUMN share bigint CHECK (share > 0)",
    "ALTER TABLE licenses ALTER COLUMN state SET NOT NULL, ADD CHECK (state <> '')",
    "ALTER TABLE devices ADD COLUMN tag uuid DEFAULT gen_random_uuid()",
    "ALTER TABLE products ALTER COLUMN name TYPE varchar(9999)",
    "ALTER TABLE leases ADD FOREIGN KEY (license_id) REFERENCES licenses"
  ]
  for (const statement of offences) await observer.query(statement)
  const seen = new Set((await watch.blocked()).map(({ statement }) => statement))
  assert.deepStrictEqual(offences.filter((statement) => !seen.has(statement)), [])
})
