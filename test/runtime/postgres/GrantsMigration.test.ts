import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { inspect } from "node:util"
import * as Migrations from "../../../src/runtime/postgres/Migrations.ts"
import { migrations } from "../../../src/runtime/postgres/migrations/index.ts"
import { IsOnline } from "../../../src/runtime/postgres/OnlineMigration.ts"
import { withLater } from "../../fixtures/LaterMigrations.ts"
import type { Session } from "../../fixtures/Session.ts"
import { database, session } from "../../fixtures/Session.ts"

const name = "0256_grants"
const grants = migrations[name]!

/** What the version before writes, in its words: packs of two licenses and pools of two customers, in every state. */
const writtenBefore = `
  INSERT INTO products (id, name, code, metadata) VALUES ('prod_1', 'P', 'p', '{}');
  INSERT INTO policies (id, product_id, name, code, license_type, max_activations, floating_timeout_minutes, grace_period_days,
    validation_interval_minutes, require_heartbeat, allow_offline_activation, offline_grace_days, allow_vm, allow_container,
    max_transfers, metadata)
  VALUES ('pol_1', 'prod_1', 'P', 'p', 'perpetual', 1, 10, 0, 1440, false, true, 30, true, true, 3, '{}');
  INSERT INTO features (id, product_id, name, code, metadata) VALUES ('feat_1', 'prod_1', 'F', 'f', '{}');
  INSERT INTO customers (id, name, code, metadata) VALUES ('cus_1', 'C', 'c1', '{}'), ('cus_2', 'C', 'c2', '{}');
  INSERT INTO licenses (id, product_id, policy_id, customer_id, license_key_prefix, license_key_last4, metadata)
  VALUES ('lic_1', 'prod_1', 'pol_1', 'cus_1', 'CS-AAAAA', 'AAAA', '{}'), ('lic_2', 'prod_1', 'pol_1', 'cus_2', 'CS-AAAAB', 'AAAA', '{}');
  INSERT INTO license_grants (id, license_id, feature_id, amount, used, starts_at, expires_at, priority, source, reference, is_open,
    revoked_at, created_at)
  VALUES ('grant_1', 'lic_1', 'feat_1', 10, 4, '2026-01-01', NULL, 100, 'purchase', 'order-1', true, NULL, '2026-01-01'),
    ('grant_2', 'lic_1', 'feat_1', 7, 7, '2026-01-02', '2026-03-01', 5, 'rollover', NULL, false, NULL, '2026-01-02'),
    ('grant_3', 'lic_2', 'feat_1', -3, 0, '2026-01-03', '2026-02-01', 100, 'correction', 'order-1', false, '2026-01-04', '2026-01-03');
  INSERT INTO pools (id, customer_id, feature_id, amount, used, max_per_license, starts_at, expires_at, priority, reference, is_open,
    revoked_at, created_at)
  VALUES ('pool_1', 'cus_1', 'feat_1', 1000, 12, 20, '2026-01-01', NULL, 100, 'order-1', true, NULL, '2026-01-01'),
    ('pool_2', 'cus_2', 'feat_1', 5, 5, NULL, '2026-01-02', '2027-01-01', 0, NULL, false, NULL, '2026-01-02'),
    ('pool_3', 'cus_2', 'feat_1', 9, 1, NULL, '2026-01-03', NULL, 100, 'order-1', false, '2026-01-04', '2026-01-03');
  INSERT INTO pool_uses (pool_id, license_id, used) VALUES ('pool_1', 'lic_1', 8), ('pool_1', 'lic_2', 4), ('pool_2', 'lic_2', 5),
    ('pool_3', 'lic_2', 1)`

const members = (table: string, more: string): string =>
  `SELECT to_jsonb(g) - '{${more}}'::text[] AS row FROM ${table} g ORDER BY id COLLATE "C"`

/** What the tables of before hold, in their members. */
const heldBefore = async ({ query }: Session) => ({
  license_grants: await query(members("license_grants", "customer_id,max_per_license")),
  pools: await query(members("pools", "license_id,source")),
  pool_uses: await query("SELECT * FROM pool_uses ORDER BY 1, 2")
})

/** A database of the version before with all of that, and a migrator on it. */
const world = async () => {
  const url = await database()
  await Effect.runPromise(withLater(url, {}, Migrations.migrate(() => Effect.void)))
  const inside = await session(url)
  for (const statement of writtenBefore.split(";\n")) await inside.query(statement)
  const run = <E>(work: Effect.Effect<unknown, E, never>) => Effect.runPromise(work)
  return {
    ...inside,
    inside,
    migrate: () => run(withLater(url, { [name]: grants }, Migrations.migrate(() => Effect.void))),
    /** Runs the statements alone, as where the migrator was ended before it could say that it had run them. */
    runAgain: () => run(withLater(url, {}, Effect.provideService(grants.run, IsOnline, true)))
  }
}

const refusal = (done: Promise<unknown>): Promise<string> =>
  done.then(() => "nothing", (error: unknown) => inspect(error, { depth: 9 }))

describe("grants of licenses and pools of customers as one table", () => {
  it("are all that both tables had, with their IDs, references and counters, each of one owner", async () => {
    const { inside, migrate, query } = await world()
    const before = await heldBefore(inside)
    await migrate()
    assert.deepStrictEqual(await heldBefore(inside), before)
    const rows = (await query(members("grants", ""))).map(({ row }) => row)
    const none = { license_id: null, customer_id: null, max_per_license: null, source: null }
    assert.deepStrictEqual(
      rows,
      [...before.license_grants, ...before.pools].map(({ row }) => Object.assign({}, none, row))
    )
    assert.lengthOf(rows, 6)
  })

  it("go on under both names for nodes of the version before", async () => {
    const { inside, migrate, query } = await world()
    await migrate()
    await query(`INSERT INTO license_grants (id, license_id, feature_id, amount, starts_at, priority, source)
      VALUES ('grant_4', 'lic_1', 'feat_1', 1, now(), 100, 'gift')`)
    await query(`INSERT INTO pools (id, customer_id, feature_id, amount, max_per_license, starts_at, priority)
      VALUES ('pool_4', 'cus_1', 'feat_1', 2, 1, now(), 100)`)
    await query("UPDATE pools SET used = 1 WHERE id = 'pool_4'")
    await query("INSERT INTO pool_uses (pool_id, license_id, used) VALUES ('pool_4', 'lic_1', 1)")
    await query("UPDATE grants SET used = 5 WHERE id = 'grant_1'")
    await query(`INSERT INTO grants (id, customer_id, feature_id, amount, starts_at, priority)
      VALUES ('pool_5', 'cus_1', 'feat_1', 3, now(), 100)`)
    const { license_grants: ofLicenses, pools } = await heldBefore(inside)
    assert.deepInclude(ofLicenses[0]!.row, { id: "grant_1", used: 5 })
    assert.deepInclude(pools[4]!.row, { id: "pool_5", amount: 3 })
    const taken = await query(
      "SELECT id, used::int, amount::int FROM grants WHERE id IN ('grant_4', 'pool_4') ORDER BY 1"
    )
    assert.deepStrictEqual(taken, [{ id: "grant_4", used: 0, amount: 1 }, { id: "pool_4", used: 1, amount: 2 }])
  })

  it("are refused without an owner and with two, twice under a reference of theirs, and as spent beyond what they are", async () => {
    const { migrate, query } = await world()
    await migrate()
    const give = (columns: string, values: string) =>
      refusal(query(`INSERT INTO grants (id, feature_id, amount, starts_at, priority, ${columns})
        VALUES ('grant_9', 'feat_1', 5, now(), 100, ${values})`))
    assert.match(await give("source", "'gift'"), /null value in column "customer_id"/)
    assert.match(await give("license_id, customer_id, source", "'lic_1', 'cus_1', 'gift'"), /check constraint/)
    assert.match(await give("license_id", "'lic_1'"), /source/)
    assert.match(
      await give("license_id, source, reference", "'lic_1', 'gift', 'order-1'"),
      /license_grants_by_reference/
    )
    assert.match(await give("customer_id, reference", "'cus_1', 'order-1'"), /pools_by_reference/)
    assert.match(await give("license_id, source", "'lic_none', 'gift'"), /foreign key/)
    assert.match(await refusal(query("UPDATE grants SET used = amount + 1 WHERE id = 'pool_1'")), /pools_check/)
    assert.match(
      await refusal(query("UPDATE grants SET used = amount + 1 WHERE id = 'grant_1'")),
      /license_grants_check/
    )
  })

  it("are made once, wherever the migration was interrupted", async () => {
    const { inside, query, runAgain } = await world()
    const before = await heldBefore(inside)
    await query("ALTER TABLE license_grants ADD COLUMN customer_id text COLLATE \"C\"")
    await runAgain()
    await query("ALTER TABLE grants DETACH PARTITION pools")
    await runAgain()
    await runAgain()
    assert.deepStrictEqual(await heldBefore(inside), before)
    assert.deepStrictEqual(await query("SELECT count(*)::int AS n FROM grants"), [{ n: 6 }])
    const parts = await query(
      "SELECT inhrelid::regclass::text AS part FROM pg_inherits WHERE inhparent = 'grants'::regclass ORDER BY 1"
    )
    assert.deepStrictEqual(parts.map(({ part }) => part), ["license_grants", "pools"])
  })
})
