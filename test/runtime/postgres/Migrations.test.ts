import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { base } from "../../../src/runtime/postgres/Migrations.ts"
import * as Migrations from "../../../src/runtime/postgres/Migrations.ts"
import type { Migration } from "../../../src/runtime/postgres/migrations/index.ts"
import {
  addColumns,
  briefly,
  createIndex,
  leisurely,
  replaceIndex
} from "../../../src/runtime/postgres/OnlineMigration.ts"
import { withLater } from "../../fixtures/LaterMigrations.ts"
import { database, session } from "../../fixtures/Session.ts"

/** The names of the migrations that a call of the migrator ran. */
const migrate = (url: string, later: Readonly<Record<string, Migration>>) =>
  Effect.suspend(() => {
    const ran: Array<string> = []
    return Effect.as(
      withLater(url, later, Migrations.migrate((name) => Effect.sync(() => void ran.push(name)))),
      ran
    )
  })

/** A database as the base makes it, whatever this version has on top. */
const based = async (): Promise<string> => {
  const url = await database()
  await Effect.runPromise(migrate(url, {}))
  return url
}

const column: Migration = {
  does: "a column",
  isOnline: false,
  run: briefly("ALTER TABLE licenses ADD COLUMN made_up text")
}

const index: Migration = {
  does: "a checked column, and indexes",
  isOnline: true,
  run: Effect.gen(function*() {
    yield* addColumns("licenses", { made_up_share: { type: "integer", check: "made_up_share > 0" } })
    yield* createIndex("licenses_by_made_up_share", "ON licenses (made_up_share)")
    yield* replaceIndex("licenses_by_state", "ON licenses (state, made_up_share, id DESC)")
    yield* leisurely("ANALYZE licenses")
  })
}

const definitions = `
  SELECT indexdef AS line FROM pg_indexes WHERE indexdef LIKE '%made_up%'
  UNION ALL SELECT conname || ' ' || convalidated FROM pg_constraint WHERE conname LIKE '%made_up%'
  UNION ALL SELECT attname FROM pg_attribute WHERE attname LIKE 'made_up%' AND attrelid = 'licenses'::regclass ORDER BY 1`

const expected = [
  "CREATE INDEX licenses_by_made_up_share ON public.licenses USING btree (made_up_share)",
  "CREATE INDEX licenses_by_state ON public.licenses USING btree (state, made_up_share, id DESC)",
  "licenses_made_up_share_check true",
  "made_up",
  "made_up_share"
]

const all = { "0998_column": column, "0999_index": index }

describe("migrations after the base", () => {
  it("run once, in order, beside others and in a new database alike", async () => {
    const [older, empty] = await Promise.all([based(), database()])
    const ran = await Promise.all([older, older, older].map((url) => Effect.runPromise(migrate(url, all))))
    assert.deepStrictEqual(ran.flat(), ["0998_column", "0999_index"])
    // A new database gets everything in one transaction, and nothing is reported.
    assert.deepStrictEqual(await Effect.runPromise(migrate(empty, all)), [])
    for (const url of [older, empty]) {
      assert.deepStrictEqual(await Effect.runPromise(migrate(url, all)), [])
      const { query } = await session(url)
      assert.deepStrictEqual((await query(definitions)).map(({ line }) => line), expected)
      const { newer, steps } = await Effect.runPromise(withLater(url, all, Migrations.status))
      assert.deepStrictEqual([newer, steps.map(({ id, isOnline }) => [id, isOnline])], [
        0,
        [[base, false], [998, false], [999, true]]
      ])
      assert.isTrue(steps.every(({ appliedAt }) => appliedAt !== null))
      // A version that does not know them goes on beside them.
      assert.strictEqual((await Effect.runPromise(withLater(url, {}, Migrations.status))).newer, 2)
    }
  })

  it("go on after an interruption: what stood outside of a transaction is done again, what was half made is made anew", async () => {
    const url = await based()
    const { query } = await session(url)
    const broken = { ...index, run: Effect.andThen(index.run, Effect.die("killed")) }
    await Effect.runPromiseExit(migrate(url, { ...all, "0999_index": broken }))
    assert.deepStrictEqual((await query(definitions)).map(({ line }) => line), expected)
    const [{ count }] = await query("SELECT count(*)::int AS count FROM schema_migrations WHERE migration_id > 255")
    assert.strictEqual(count, 1, "it is not recorded before its end")
    // An index whose making was interrupted stays, without being used.
    await query("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'licenses_by_made_up_share'::regclass")
    assert.deepStrictEqual(await Effect.runPromise(migrate(url, all)), ["0999_index"])
    assert.deepStrictEqual((await query(definitions)).map(({ line }) => line), expected)
    const [valid] = await query(
      "SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = 'licenses_by_made_up_share'::regclass"
    )
    assert.deepStrictEqual(valid, { valid: true })
  })

  it("leave nothing of one that fails in its transaction, and nothing of a new database", async () => {
    const [older, empty] = await Promise.all([based(), database()])
    const failing = {
      "0998_column": { ...column, run: Effect.andThen(column.run, briefly("ALTER TABLE nowhere ADD COLUMN a text")) }
    }
    for (const url of [older, empty]) {
      const { query } = await session(url)
      const tables = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1"
      const before = await query(tables)
      const exit = await Effect.runPromiseExit(migrate(url, failing))
      assert.strictEqual(exit._tag, "Failure")
      assert.deepStrictEqual(await query(tables), before)
      if (before.length > 0) assert.deepStrictEqual(await query(definitions), [])
    }
  })
})
