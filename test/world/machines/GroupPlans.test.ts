// Groups plan their statements once and keep the plans for a while, in which tables grow.
import { assert, beforeAll, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import { groupSession } from "../../../src/runtime/postgres/Database.ts"
import { GroupTransactions } from "../../../src/services/ground/persistence/GroupCommit.ts"
import { layerFresh } from "../../fixtures/Postgres.ts"
import { seedVendor } from "../../fixtures/SeededVendor.ts"
import { sentStatements } from "../../fixtures/SentStatements.ts"
import type { SentStatement } from "../../fixtures/SentStatements.ts"
import type { Answer, Issued, Service } from "../../fixtures/Service.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Body, Session } from "../../fixtures/Session.ts"
import { migrated, session } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"
import { testDatabaseOf } from "../../fixtures/TestEnvironment.ts"

takeTurns()

let statements: ReadonlyMap<string, SentStatement>
let service: Service

/** Asks for whatever is done in groups, in all ways that need a statement of their own. */
const askAll = async (issued: Issued, other: Issued): Promise<void> => {
  const ask = async (path: string, body: object, status = 200, key = randomUUID()): Promise<Answer> => {
    const answer = await service.license(path, issued.key, body, { "idempotency-key": key })
    assert.strictEqual(answer.status, status, answer.text)
    return answer
  }
  const { id } = await service.data("POST", `/api/v1/products/${issued.product.id}/features`, { name: "X", code: "x" })
  await service.data("POST", `/api/v1/licenses/${issued.license.id}/features`, { feature_id: id, max_consumptions: 5 })
  const key = randomUUID()
  const desk = await ask("activate", { fingerprint: "desk" }, 200, key)
  await ask("activate", { fingerprint: "desk" }, 200, key)
  await ask("activate", { fingerprint: "desk", components: { board: "board-00", disk: "disk-001" } })
  await ask("activate", { fingerprint: "desk", components: { board: "board-00", disk: "disk-002" } })
  await ask("activate", { is_container: true, container_id: "one" })
  await ask("consume", { fingerprint: "desk", feature_code: "x", amount: 1, event_id: "1" })
  const checkout = () => ask("floating/checkout", { fingerprint: "desk", process_id: "1" })
  await checkout()
  await checkout()
  await ask("floating/checkout", { fingerprint: "another", process_id: "1" })
  await ask("floating/checkin", { lease_token: (await checkout()).body.data.lease_token })
  await ask("activate", { fingerprint: "laptop", take_seat_of: desk.body.data.device_id })
  await ask("floating/checkout", { fingerprint: "laptop", process_id: "1" })
  await ask("deactivate", { fingerprint: "laptop" })
  // What begins with its first activation.
  assert.strictEqual((await service.license("activate", other.key, { fingerprint: "desk" })).status, 200)
}

beforeAll(async () => {
  const sent = await sentStatements(await migrated())
  service = await startService({ databaseUrl: sent.databaseUrl })
  await askAll(
    await service.issue({
      policy: {
        max_activations: 1,
        max_floating_users: 2,
        self_service: true,
        lease_unit: "process",
        component_match: "most"
      }
    }),
    await service.issue()
  )
  statements = sent.preparedWith("plan_cache_mode")
  await seedVendor(service, 30, "plans")
})

interface Plan {
  readonly "Node Type": string
  readonly "Relation Name"?: string
  readonly Plans?: ReadonlyArray<Plan>
}

/** The tables that a plan reads without an index. */
const readWhole = (plan: Plan): ReadonlyArray<string> => [
  ...(plan["Node Type"] === "Seq Scan" ? [plan["Relation Name"]!] : []),
  ...(plan.Plans ?? []).flatMap(readWhole)
]

/** The plan of a statement in a session as those of groups are. */
const planOf = async ({ query }: Session, { text, types }: SentStatement, name: string): Promise<Plan> => {
  const named = await Promise.all(
    types.map(async (type) =>
      type === 0 ? "unknown" : (await query("SELECT $1::int::regtype::text AS name", [type]))[0]!.name
    )
  )
  await query(`PREPARE ${name} ${named.length === 0 ? "" : `(${named.join(", ")})`} AS ${text}`)
  const [prepared] = await query(
    "SELECT cardinality(parameter_types) AS count FROM pg_prepared_statements WHERE name = $1",
    [name]
  )
  const values = Array.from({ length: prepared!.count }, () => "NULL")
  const [row] = await query(
    `EXPLAIN (FORMAT JSON) EXECUTE ${name}${values.length === 0 ? "" : `(${values.join(", ")})`}`
  )
  const plan: Body = row!["QUERY PLAN"]
  return (typeof plan === "string" ? JSON.parse(plan) : plan)[0].Plan
}

const planned = (): ReadonlyArray<SentStatement> =>
  [...statements.values()].filter(({ text }) => text.includes("-- name: "))

describe("the plans that groups keep", () => {
  it("are of statements that were sent", () => assert.isAbove(planned().length, 30))

  it.each([
    ["in a database that is empty, and of which nothing is known", () => migrated()],
    ["in a database of a few licenses", async () => testDatabaseOf(service)]
  ])("read no table without an index, %s", async (name, databaseOf) => {
    const one = await session(await databaseOf())
    for (const [setting, value] of Object.entries(groupSession)) await one.query(`SET ${setting} = ${value}`)
    if (!name.includes("empty")) await one.query("ANALYZE")
    const found: Array<string> = []
    for (const [index, statement] of planned().entries()) {
      const plan = await planOf(one, statement, `planned_${index}`)
      found.push(...readWhole(plan).map((read) => `${/-- name: (.*)/.exec(statement.text)![1]}: ${read}`))
    }
    await one.close()
    assert.deepStrictEqual(found, [])
  })
})

layer(layerFresh)("the plans that groups keep", (it) => {
  it.effect("are made anew after ten seconds", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const groups = yield* GroupTransactions
      yield* sql`CREATE TABLE sizes AS SELECT 1 AS size`
      // Evaluated where the statement is planned.
      yield* sql`CREATE FUNCTION planned_for() RETURNS int IMMUTABLE LANGUAGE plpgsql
        AS 'BEGIN RETURN (SELECT size FROM sizes); END'`
      const plannedFor = Effect.map(
        groups.run(sql<{ readonly size: number }>`SELECT planned_for() AS size`, { wait: false }),
        ([row]) => row!.size
      )
      assert.strictEqual(yield* plannedFor, 1)
      yield* sql`UPDATE sizes SET size = 2`
      assert.strictEqual(yield* plannedFor, 1)
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* plannedFor, 2)
    }))
})
