import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import type { Answer, Issued, Service } from "../../fixtures/Service.ts"
import { refused, startService } from "../../fixtures/Service.ts"
import { eventually, holdLicense, session } from "../../fixtures/Session.ts"
import type { Session } from "../../fixtures/Session.ts"

let service: Service
let database: Session

beforeAll(async () => {
  service = await startService()
  database = await session(service.databaseUrl)
})

const activate = (given: Issued): Promise<Answer> =>
  service.license("activate", given.key, { fingerprint: randomUUID() })

/** How many sessions wait for a lock. */
const waiting = async (): Promise<number> => {
  const [row] = await database.query(
    "SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
  )
  return row.n
}

/** A figure of `/metrics`, summed over all lines that a pattern finds. */
const metric = async (pattern: RegExp): Promise<number> => {
  const { text } = await service.call("GET", "/metrics")
  return text.split("\n").filter((line) => pattern.test(line)).reduce(
    (sum, line) => sum + Number(line.split(" ")[1]),
    0
  )
}

const metered = async (): Promise<Issued & { readonly consume: () => Promise<Answer> }> => {
  const given = await service.issue({ policy: { license_type: "consumption" } })
  const feature = await service.data("POST", `/api/v1/products/${given.product.id}/features`, { name: "X", code: "x" })
  await service.data("POST", `/api/v1/licenses/${given.license.id}/features`, { feature_id: feature.id })
  await service.license("activate", given.key, { fingerprint: "f" })
  const consume = () =>
    service.license("consume", given.key, { fingerprint: "f", feature_code: "x", event_id: randomUUID() })
  return { ...given, consume }
}

describe("a license that somebody holds", () => {
  it("has four transactions that wait at the database, whoever calls; the rest waits in memory", async () => {
    const given = await service.issue({ policy: { max_activations: 1 } })
    await service.license("activate", given.key, { fingerprint: "f" })
    const other = await service.issue({ policy: { max_activations: 5 } })
    await service.license("activate", other.key, { fingerprint: "f" })
    const lock = await holdLicense(service.databaseUrl, given.license.id)
    const stuck = [
      ...Array.from({ length: 60 }, () => activate(given)),
      ...Array.from({ length: 10 }, () => service.call("POST", `/api/v1/licenses/${given.license.id}/suspend`)),
      ...Array.from({ length: 10 }, () => service.license("deactivate", given.key, { fingerprint: "f" }))
    ]
    // Two of management, and a group of each of the two writes of apps.
    await lock.blocked(4)
    await eventually(
      "the rest waits",
      async () => await metric(/^countersign_fair_share_waiting\{.*resource="transactions"/) >= 8
    )
    assert.strictEqual(await waiting(), 4)
    // Everybody else goes on, also with what needs a transaction.
    for (let round = 0; round < 5; round++) {
      assert.strictEqual((await service.license("validate", other.key, { fingerprint: "f" })).status, 200)
      assert.strictEqual((await service.license("validate", given.key, { fingerprint: "f" })).status, 200)
      assert.strictEqual((await service.call("GET", "/api/v1/products")).status, 200)
    }
    assert.strictEqual((await activate(other)).status, 200)
    assert.isAtMost(await waiting(), 4)
    // Nobody waits for ever, and who was behind those that waited too long need not try as well. Two may have been let in
    // just before: they would wait as long again.
    const answered: Array<Answer> = []
    for (const one of stuck) void one.then((answer) => answered.push(answer))
    await eventually("all others are refused", () => answered.length >= stuck.length - 2)
    for (const answer of answered) {
      refused(answer, 503, "UNAVAILABLE")
      assert.match(String(answer.headers["retry-after"]), /^[1-9]\d*$/)
    }
    await lock.release()
    const ended = await Promise.all(stuck)
    // Whoever was let in did what it asked for; all others changed nothing.
    const done = (from: number, to: number) => ended.slice(from, to).filter(({ status }) => status === 200).length
    const [activated, suspended, deactivated] = [done(0, 60), done(60, 70), done(70, 80)]
    const hasRoom = suspended === 0 && 1 + activated - deactivated === 0
    assert.strictEqual((await activate(given)).status, hasRoom ? 200 : 403)
    assert.isAtLeast(await metric(/^countersign_fair_share_shed_total\{.*resource="transactions"/), 1)
  })

  it("keeps no use of another from being counted, also of those that came together", async () => {
    const held = await metered()
    const others = await Promise.all([metered(), metered(), metered()])
    const lock = await holdLicense(service.databaseUrl, held.license.id)
    const stuck = Array.from({ length: 20 }, () => held.consume())
    const counted = await Promise.all(others.flatMap(({ consume }) => Array.from({ length: 20 }, consume)))
    for (const answer of counted) assert.strictEqual(answer.status, 200, answer.text)
    await lock.release()
    // Whoever has waited too long by then, on a machine that has much else to do, was not counted.
    const ended = await Promise.all(stuck)
    for (const answer of ended.filter(({ status }) => status !== 200)) refused(answer, 503, "UNAVAILABLE")
    const [row] = await database.query("SELECT total_consumptions AS n FROM licenses WHERE id = $1", [held.license.id])
    assert.strictEqual(Number(row.n), ended.filter(({ status }) => status === 200).length)
  })

  it("ends with 503 for its uses too, and none of them is counted", async () => {
    const held = await metered()
    const lock = await holdLicense(service.databaseUrl, held.license.id)
    const answers = await Promise.all(Array.from({ length: 20 }, () => held.consume()))
    for (const answer of answers) refused(answer, 503, "UNAVAILABLE")
    await lock.release()
    const [row] = await database.query("SELECT total_consumptions AS n FROM licenses WHERE id = $1", [held.license.id])
    assert.strictEqual(Number(row.n), 0)
    assert.strictEqual((await held.consume()).status, 200)
  })
})
