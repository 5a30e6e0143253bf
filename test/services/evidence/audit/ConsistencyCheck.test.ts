import { afterEach, assert, beforeAll, describe, it } from "@effect/vitest"
import { differenceLine } from "../../../../src/domain/evidence/audit/EventReplay.ts"
import { examine } from "../../../fixtures/Doctor.ts"
import { placeEvents } from "../../../fixtures/FeedRows.ts"
import { makeHistory } from "../../../fixtures/History.ts"
import type { Service } from "../../../fixtures/Service.ts"
import { startService } from "../../../fixtures/Service.ts"
import type { Session } from "../../../fixtures/Session.ts"
import { eventually, session } from "../../../fixtures/Session.ts"

let service: Service
let database: Session
let made: Awaited<ReturnType<typeof makeHistory>>
/** The event of the correction that the history made, and the day of its uses. */
let usage: { readonly correction: string; readonly day: string }

/** The tables that tests alter, and their columns that can be written. */
const tables = new Map<string, string>()

beforeAll(async () => {
  service = await startService()
  database = await session(service.databaseUrl)
  made = await makeHistory(service)
  // What waits for its place would lose its order when it is put back: that is in a column nobody can write.
  await eventually("every event has its place in the feed", async () => {
    const [waiting] = await database.query("SELECT count(*)::int AS n FROM event_outbox")
    return waiting.n === 0
  })
  await service.stop()
  const [correction] = await database.query("SELECT id FROM usage_corrections WHERE action = 'license.usage_reset'")
  const [used] = await database.query("SELECT to_char(day, 'YYYY-MM-DD') AS day FROM usage_days")
  usage = { correction: correction.id, day: used.day }
  // Rows are altered one by one, whatever refers to them, and put back after each test.
  await database.query("SET session_replication_role = replica")
  const columns = await database.query(`
    SELECT table_name, string_agg(quote_ident(column_name), ', ') AS columns FROM information_schema.columns
    JOIN information_schema.tables USING (table_schema, table_name)
    WHERE table_type = 'BASE TABLE' AND table_schema = current_schema() AND is_generated = 'NEVER' AND is_identity = 'NO' GROUP BY table_name`)
  for (const { columns: names, table_name } of columns) tables.set(table_name, names)
  for (const name of tables.keys()) await database.query(`CREATE TABLE saved_${name} AS TABLE ${name}`)
})

afterEach(async () => {
  for (const [name, columns] of tables) {
    await database.query(`DELETE FROM ${name}`)
    await database.query(`INSERT INTO ${name} (${columns}) SELECT ${columns} FROM saved_${name}`)
  }
})

const lines = async () => (await examine(service.databaseUrl)).found.map(differenceLine).toSorted()

const value = () => `${made.license.id}/${made.field.id}`
const assignment = () => `${made.license.id}/${made.feature.id}`
const used = () => `${assignment()}/e-1`

/** A table, the row of it that the history made, and what the doctor calls that. */
const rows = (): ReadonlyArray<readonly [table: string, where: string, name: string]> => [
  ["products", `id = '${made.product.id}'`, `product ${made.product.id}`],
  ["policies", `id = '${made.policy.id}'`, `policy ${made.policy.id}`],
  ["features", `id = '${made.feature.id}'`, `feature ${made.feature.id}`],
  ["product_versions", `id = '${made.version.id}'`, `version ${made.version.id}`],
  ["customers", `id = '${made.customer.id}'`, `customer ${made.customer.id}`],
  ["subscriptions", `id = '${made.subscription.id}'`, `subscription ${made.subscription.id}`],
  ["orders", `id = '${made.order.id}'`, `order ${made.order.id}`],
  ["custom_field_definitions", `id = '${made.field.id}'`, `custom_field ${made.field.id}`],
  ["custom_field_values", `definition_id = '${made.field.id}'`, `custom_field_value ${value()}`],
  ["licenses", `id = '${made.license.id}'`, `license ${made.license.id}`],
  ["license_keys", `license_id = '${made.license.id}'`, `license_key ${made.license.id}`],
  ["license_features", `license_id = '${made.license.id}'`, `license_feature ${assignment()}`],
  ["usage_records", `event_id = 'e-1'`, `usage_record ${used()}`],
  ["usage_corrections", "action = 'license.usage_reset'", `usage_correction ${usage.correction}`],
  ["usage_days", "feature_code = 'render'", `usage_day ${assignment()}/${usage.day}`],
  ["devices", `id = '${made.device.id}'`, `device ${made.device.id}`],
  ["leases", `id = '${made.lease.id}'`, `lease ${made.lease.id}`],
  ["management_keys", `id = '${made.apiKey.id}'`, `api_key ${made.apiKey.id}`],
  ["webhook_endpoints", `id = '${made.webhook.id}'`, `webhook ${made.webhook.id}`],
  ["signing_keys", `id = '${made.signingKey.kid}'`, `signing_key ${made.signingKey.kid}`]
]

const rowOf = (table: string) => rows().find(([name]) => name === table)!

describe("doctor", () => {
  it("finds nothing after a bit of everything", async () => {
    const { events, found, resources } = await examine(service.databaseUrl)
    assert.deepStrictEqual(found, [])
    const [counted] = await database.query(
      "SELECT count(*)::int AS n, count(DISTINCT event_type)::int AS kinds FROM (" +
        "SELECT event_type FROM events UNION ALL SELECT event_type FROM event_outbox) e"
    )
    assert.strictEqual(events, counted.n)
    assert.isAtLeast(counted.kinds, 45)
    assert.isAtLeast(resources, 45)
    // Every table that the log rebuilds has rows, so that nothing was compared with nothing.
    for (const [table, where] of rows()) {
      assert.isNotEmpty(await database.query(`SELECT 1 FROM ${table} WHERE ${where}`), table)
    }
  })

  // The table, the column, its new value in SQL, and what the doctor says of it.
  const altered: ReadonlyArray<readonly [table: string, column: string, to: string, says: string | RegExp]> = [
    ["products", "name", "'Other'", `name is "Other" in the table, "Acme Studio 2" by the log`],
    ["products", "metadata", "'{}'", `metadata is {} in the table, {"edition":"two"} by the log`],
    ["products", "created_at", "'2020-01-01T00:00:00Z'", /^created_at is "2020-01-01T00:00:00.000Z" in the table, "20/],
    ["policies", "max_activations", "6", "max_activations is 6 in the table, 5 by the log"],
    ["policies", "max_floating_users", "NULL", "max_floating_users is nothing in the table, 4 by the log"],
    ["features", "archived_at", "'2020-01-01T00:00:00Z'", /^archived_at is "2020-.* in the table, nothing by the log$/],
    ["product_versions", "version", "'9'", `version is "9" in the table, "1.0.0" by the log`],
    ["customers", "name", "'Other'", "name is (personal) in the table, (personal) by the log"],
    ["customers", "email", "NULL", "email is nothing in the table, (personal) by the log"],
    ["subscriptions", "status", "'paused'", `status is "paused" in the table, "active" by the log`],
    ["subscriptions", "cancel_at_period_end", "false", "cancel_at_period_end is false in the table, true by the log"],
    ["orders", "status", "'paid'", `status is "paid" in the table, "fulfilled" by the log`],
    ["orders", "customer_id", "'cus_1'", `customer_id is "cus_1" in the table, nothing by the log`],
    ["custom_field_definitions", "name", "'PO'", `name is "PO" in the table, "Purchase order" by the log`],
    ["custom_field_values", "string_value", "'PO-1'", "string_value is (personal) in the table, (personal) by the log"],
    ["licenses", "state", "'revoked'", `state is "revoked" in the table, "active" by the log`],
    ["licenses", "expires_at", "'2020-01-01T00:00:00Z'", /^expires_at is "2020-01-01T00:00:00.000Z" in the table, "20/],
    ["licenses", "customer_id", "NULL", /^customer_id is nothing in the table, "cus_.*" by the log$/],
    ["licenses", "customer_email", "'x@y.example'", "customer_email is (personal) in the table, (personal) by the log"],
    ["licenses", "customer_name", "NULL", "customer_name is nothing in the table, (personal) by the log"],
    ["licenses", "license_key_last4", "'0000'", /^license_key_last4 is "0000" in the table, ".{4}" by the log$/],
    ["licenses", "active_device_count", "active_device_count + 1", /^active_device_count is 5 in the table, 4 by/],
    ["licenses", "times_activated", "times_activated - 1", /^times_activated is 6 in the table, 7 by the log$/],
    ["licenses", "times_transferred", "1", "times_transferred is 1 in the table, 0 by the log"],
    [
      "licenses",
      "total_consumptions",
      "total_consumptions + 1",
      "total_consumptions is 14 in the table, 13 by the log"
    ],
    ["licenses", "entitlement_version", "1", /^entitlement_version is 1 in the table, \d+ by the log$/],
    ["license_keys", "expires_at", "'2020-01-01T00:00:00Z'", /^replaced_until is \["2020-01-01T00:00:00.000Z",/],
    ["license_features", "enabled", "false", "enabled is false in the table, true by the log"],
    ["license_features", "max_consumptions", "201", "max_consumptions is 201 in the table, 200 by the log"],
    ["license_features", "total_consumptions", "10", "total_consumptions is 10 in the table, 11 by the log"],
    ["usage_records", "amount", "4", "amount is 4 in the table, 3 by the log"],
    ["usage_records", "total_consumptions", "4", "total_consumptions is 4 in the table, 3 by the log"],
    ["usage_records", "feature_code", "'x'", "feature_code is x in the table, render by the log"],
    ["usage_records", "request_id", "NULL", /^request_id is nothing in the table, req_.* by the log$/],
    ["usage_records", "id", "'evt_x'", /^id is evt_x in the table, evt_.* by the log$/],
    ["usage_corrections", "total_consumptions", "6", "total_consumptions is 6 in the table, 5 by the log"],
    ["usage_days", "uses", "6", "uses is 6 in the table, 5 by the log"],
    ["usage_days", "amount", "14", "amount is 14 in the table, 13 by the log"],
    ["devices", "status", "'blacklisted'", `status is "blacklisted" in the table, "active" by the log`],
    ["devices", "binding_key", "'other'", /^binding_key is "other" in the table, ".*" by the log$/],
    ["devices", "floating", "true", "floating is true in the table, false by the log"],
    ["devices", "offline_counter", "2", "offline_counter is 2 in the table, 1 by the log"],
    ["leases", "end_reason", "'checked_in'", `end_reason is "checked_in" in the table, "released" by the log`],
    ["leases", "expires_at", "'2020-01-01T00:00:00Z'", /^expires_at is "2020-01-01T00:00:00.000Z" in the table, "20/],
    ["management_keys", "scopes", "'{admin}'", `scopes is ["admin"] in the table, ["license:read"] by the log`],
    ["management_keys", "revoked_at", "now()", "revoked is true in the table, false by the log"],
    ["webhook_endpoints", "url", "'https://x.example/'", /^url is "https:.* in the table, "http:\/\/127.0.0.1:9\/" by/],
    ["webhook_endpoints", "event_types", "'{}'", `event_types is [] in the table, ["license.revoked"] by the log`],
    ["signing_keys", "status", "'retired'", `status is "retired" in the table, "revoked" by the log`],
    ["signing_keys", "public_key", "decode(repeat('00', 32), 'hex')", /^public_key is "AAAA.*=" in the table, ".*=" by/]
  ]

  it("names every altered member of every resource, and nothing else", async () => {
    for (const [table, column, to] of altered) {
      // Of the three keys of the license, the first: it has been replaced.
      const where = rowOf(table)[1] +
        (table === "license_keys" ?
          " AND key_hash = (SELECT key_hash FROM license_keys " +
          `WHERE license_id = '${made.license.id}' ORDER BY created_at LIMIT 1)` :
          "")
      await database.query(`UPDATE ${table} SET ${column} = ${to} WHERE ${where}`)
    }
    const found = (await examine(service.databaseUrl)).found.map(differenceLine)
    const missed = altered.filter(([table, , , says]) => {
      const name = `${rowOf(table)[2]}: `
      const at = found.findIndex((line) =>
        line.startsWith(name) && (typeof says === "string" ? line === name + says : says.test(line.slice(name.length)))
      )
      if (at >= 0) found.splice(at, 1)
      return at < 0
    })
    assert.deepStrictEqual({ missed, unexpected: found }, { missed: [], unexpected: [] })
  })

  it("names a row that is gone", async () => {
    for (const [table, where] of rows()) await database.query(`DELETE FROM ${table} WHERE ${where}`)
    assert.deepStrictEqual(
      await lines(),
      rows().map(([, , name]) => `${name}: is not in the table, by the log it exists`).toSorted()
    )
  })

  it("names a row that nothing made", async () => {
    const added: ReadonlyArray<readonly [table: string, changes: object, name: string]> = [
      ["products", { id: "prod_x", code: "x" }, "product prod_x"],
      ["policies", { id: "pol_x", code: "x" }, "policy pol_x"],
      ["features", { id: "feat_x", code: "x" }, "feature feat_x"],
      ["product_versions", { id: "ver_x", version: "x" }, "version ver_x"],
      ["customers", { id: "cus_x", code: "x" }, "customer cus_x"],
      ["subscriptions", { id: "sub_x", external_id: "x" }, "subscription sub_x"],
      ["orders", { id: "ord_x", external_id: "x" }, "order ord_x"],
      ["custom_field_definitions", { id: "fld_x", code: "y" }, "custom_field fld_x"],
      ["custom_field_values", { definition_id: "fld_x" }, `custom_field_value ${made.license.id}/fld_x`],
      ["licenses", { id: "lic_x" }, "license lic_x"],
      ["license_keys", { license_id: "lic_x", key_hash: "\\xff" }, "license_key lic_x"],
      ["license_features", { feature_id: "feat_x" }, `license_feature ${made.license.id}/feat_x`],
      ["usage_records", { event_id: "x" }, `usage_record ${assignment()}/x`],
      ["usage_corrections", { id: "evt_x" }, "usage_correction evt_x"],
      ["usage_days", { feature_id: "feat_x" }, `usage_day ${made.license.id}/feat_x/${usage.day}`],
      ["devices", { id: "dev_x", binding_key: "x" }, "device dev_x"],
      ["leases", { id: "lease_x", token_hash: "\\xff", previous_token_hash: null }, "lease lease_x"],
      ["management_keys", { id: "key_x", key_hash: "\\xff" }, "api_key key_x"],
      ["webhook_endpoints", { id: "whk_x" }, "webhook whk_x"],
      ["signing_keys", { id: "sig_x" }, "signing_key sig_x"]
    ]
    assert.sameMembers(added.map(([table]) => table), rows().map(([table]) => table))
    for (const [table, changes] of added) {
      const columns = tables.get(table)!
      await database.query(
        `INSERT INTO ${table} (${columns})
         SELECT ${columns.split(", ").map((column) => `r.${column}`).join(", ")} FROM ${table} t,
           jsonb_populate_record(t, $1::text::jsonb) r WHERE t.${rowOf(table)[1]} LIMIT 1`,
        [JSON.stringify(changes)]
      )
    }
    assert.deepStrictEqual(
      await lines(),
      added.map(([, , name]) => `${name}: is in the table, by the log it does not exist`).toSorted()
    )
  })

  it("counts uses, so a counter that is off by one and a use that is another's show", async () => {
    await database.query("UPDATE license_features SET total_consumptions = total_consumptions + 1")
    await database.query("UPDATE usage_records SET device_id = 'dev_x' WHERE event_id = 'e-1'")
    await database.query("UPDATE usage_records SET event_id = 'e-x' WHERE event_id = 'e-2'")
    assert.deepStrictEqual(
      await lines(),
      [
        `license_feature ${assignment()}: total_consumptions is 12 in the table, 11 by the log`,
        `usage_record ${used()}: device_id is dev_x in the table, ${made.device.id} by the log`,
        `usage_record ${assignment()}/e-2: is not in the table, by the log it exists`,
        `usage_record ${assignment()}/e-x: is in the table, by the log it does not exist`
      ].toSorted()
    )
  })

  it("says nothing about personal values that were erased from the log, and something about all others", async () => {
    const { customer } = made
    await database.query("UPDATE event_records SET personal = NULL WHERE resource_id = $1", [customer.id])
    await database.query("UPDATE customers SET email = 'x@y.example', code = 'x' WHERE id = $1", [customer.id])
    assert.deepStrictEqual(await lines(), [
      `customer ${customer.id}: code is "x" in the table, "${customer.code}" by the log`
    ])
  })

  it("counts what has no place in the feed yet as the newest", async () => {
    const moved = "event_type = 'product.updated'"
    await database.query(`
      WITH placed AS (DELETE FROM event_places WHERE ${moved} RETURNING ordinal)
      INSERT INTO event_pending (ordinal) OVERRIDING SYSTEM VALUE SELECT ordinal FROM placed`)
    assert.deepStrictEqual(await lines(), [])
    await database.query("DELETE FROM event_pending")
    await database.query(`DELETE FROM event_records WHERE ${moved}`)
    assert.deepStrictEqual((await examine(service.databaseUrl)).found.map(({ member }) => member).toSorted(), [
      "metadata",
      "name",
      "updated_at"
    ])
  })

  it("finds events whose place or content is gone, or belongs to another", async () => {
    // Events of no license: where the place of a license's event is gone, its next one is found to follow another, too.
    const [first, second, third, last] = await database.query(`
      SELECT id, ordinal FROM events WHERE license_previous IS NULL ORDER BY sequence DESC`)
    await database.query("DELETE FROM event_records WHERE ordinal = $1", [first.ordinal])
    await database.query("DELETE FROM event_places WHERE ordinal = $1", [second.ordinal])
    await database.query("UPDATE event_records SET resource_id = 'x' WHERE ordinal = $1", [third.ordinal])
    await database.query("DELETE FROM event_records WHERE ordinal = $1", [last.ordinal])
    await database.query("DELETE FROM event_places WHERE ordinal = $1", [last.ordinal])
    await database.query("INSERT INTO event_pending (ordinal) OVERRIDING SYSTEM VALUE VALUES ($1)", [last.ordinal])
    const events = (await examine(service.databaseUrl)).found.filter(({ resource }) => resource === "event")
    assert.deepStrictEqual(
      events.map(differenceLine).toSorted(),
      [
        `event ${first.id}: is not in the table, by the log it exists`,
        `event ${second.id}: is in the table, by the log it does not exist`,
        `event ${third.id}: is in the table, by the log it does not exist`,
        `event ${third.id}: is not in the table, by the log it exists`,
        `event ${last.ordinal}: is not in the table, by the log it exists`
      ].toSorted()
    )
  })

  it("finds a license's event whose one before has lost its place", async () => {
    const [last, before] = await database.query(`
      SELECT id, ordinal FROM events WHERE license_id = '${made.license.id}' ORDER BY sequence DESC`)
    await database.query("DELETE FROM event_places WHERE ordinal = $1", [before.ordinal])
    const events = (await examine(service.databaseUrl)).found.filter(({ resource }) => resource === "event")
    assert.deepStrictEqual(
      events.map(({ id, member }) => `${id} ${member ?? "place"}`).toSorted(),
      [`${before.id} place`, `${last.id} previous_of_license`].toSorted()
    )
  })

  it("reads more than it fetches at once", async () => {
    const instant = "2026-01-01T00:00:00.000Z"
    const productId = "'prod_0_' || to_char(n, 'FM00000')"
    await database.query(
      `INSERT INTO products (id, name, code, metadata, created_at, updated_at)
       SELECT id, 'P', id, '{}', $1, $1 FROM (SELECT ${productId} AS id FROM generate_series(1, 2400) n) p`,
      [new Date(instant)]
    )
    await database.query(
      placeEvents({
        after: 1_000_000,
        count: 2400,
        id: productId,
        type: "'product.created'",
        resourceId: productId,
        data: `jsonb_build_object('id', ${productId}, 'name', 'P', 'code', ${productId}, 'metadata', '{}'::jsonb,
          'created_at', '${instant}', 'updated_at', '${instant}')`
      })
    )
    const before = await examine(service.databaseUrl)
    assert.deepStrictEqual(before.found, [])
    assert.isAtLeast(before.resources, 2400)
    await database.query("UPDATE products SET name = 'Q' WHERE id IN ('prod_0_00500', 'prod_0_00501', 'prod_0_02400')")
    await database.query("DELETE FROM products WHERE id = 'prod_0_01000'")
    await database.query("DELETE FROM event_places WHERE id = 'prod_0_01500'")
    await database.query("DELETE FROM event_records WHERE id = 'prod_0_01500'")
    assert.deepStrictEqual(await lines(), [
      `product prod_0_00500: name is "Q" in the table, "P" by the log`,
      `product prod_0_00501: name is "Q" in the table, "P" by the log`,
      "product prod_0_01000: is not in the table, by the log it exists",
      "product prod_0_01500: is in the table, by the log it does not exist",
      `product prod_0_02400: name is "Q" in the table, "P" by the log`
    ])
  })

  it("knows every column of the tables that it reads column by column", async () => {
    const known: Record<string, string> = {
      webhook_endpoints:
        "changed_xid created_at deleted_at disabled_at disabled_reason event_types header_names headers id is_active name " +
        "ordered skipped_seq updated_at url",
      leases: "checked_out_at device_id end_reason ended_at expires_at generation id last_heartbeat_at license_id " +
        "previous_token_hash process_id product_code product_id rotated_at token_hash",
      license_keys: "created_at expires_at key_hash license_id",
      usage_records:
        "actor_id actor_type amount counted_at created_at customer_id device_id dimensions event_id feature_code feature_id grants id " +
        "license_id measured order_id overage period_start product_id refunded reported_at request_id subscription_id total_consumptions",
      usage_corrections:
        "action amount counted_at created_at customer_id feature_code feature_id grants id license_id max_consumptions " +
        "order_id product_id refund_of request_id settled_count settles_from subscription_id total_consumptions",
      usage_days: "amount customer_id day feature_code feature_id first_at last_at license_id order_id overage " +
        "product_id subscription_id uses"
    }
    for (const [table, columns] of Object.entries(known)) {
      assert.strictEqual(tables.get(table)!.split(", ").toSorted().join(" "), columns, table)
    }
  })
})
