import { assert, describe, it } from "@effect/vitest"
import { newerRelease } from "../../fixtures/NewerRelease.ts"
import { serve, temporaryDirectory } from "../../fixtures/Program.ts"
import { lastReleased, released, releasedDatabase, releasedFacts, releasedVersions } from "../../fixtures/Released.ts"
import { expectReleasedFacts } from "../../fixtures/ReleasedFacts.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Session } from "../../fixtures/Session.ts"
import { session } from "../../fixtures/Session.ts"

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

/** The service, and one of a later release with a migration of each kind. */
const programs: ReadonlyArray<readonly [what: string, program: () => Promise<string>]> = [
  ["this version", async () => "src/runtime/main.ts"],
  ["a later one with migrations", () => newerRelease(temporaryDirectory())]
]

describe.each(releasedVersions)("a database of version %s", (version) => {
  it.each(programs)("is taken over by %s beside writers, with everything it had", async (_, program) => {
    const facts = releasedFacts(version)
    const url = await releasedDatabase(version)
    const observer = await session(url)
    const watch = await watchStatements(observer)
    const serving = await serve([await program()], { ...released.environment, DATABASE_URL: url })
    assert.deepStrictEqual(await watch.blocked(), [], "see docs/development/recipes.md: A migration")
    await watch.end()
    assert.strictEqual(await serving.stop(), 0, serving.printed())
    const service = await startService({ databaseUrl: url })
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
