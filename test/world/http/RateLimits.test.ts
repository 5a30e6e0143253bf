import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomBytes, randomUUID } from "node:crypto"
import { formatLicenseKey, formatManagementToken } from "../../../src/domain/keys/security/Credential.ts"
import type { Answer, Issued, Service } from "../../fixtures/Service.ts"
import { refused, startService } from "../../fixtures/Service.ts"
import { eventually, session } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"

takeTurns()

let service: Service
let issued: Issued

const proxies = { COUNTERSIGN_TRUSTED_PROXIES: "127.0.0.0/8" }

beforeAll(async () => {
  service = await startService({ environment: proxies })
  issued = await service.issue({ policy: { max_activations: 3 } })
})

const anyKey = (): string => formatLicenseKey(randomBytes(15))
const anyToken = (): string => formatManagementToken(randomBytes(32))

const check = (key: string, from: string, node = service): Promise<Answer> =>
  node.license("check", key, { fingerprint: "f" }, { "x-forwarded-for": from })
const list = (token: string, from: string, node = service): Promise<Answer> =>
  node.call("GET", "/api/v1/products", { token, headers: { "x-forwarded-for": from } })

/** Something wrong of each kind, in turn. */
const wrong = (index: number, from: string, node = service): Promise<Answer> =>
  [
    () => check(anyKey(), from, node),
    () => list(anyToken(), from, node),
    () => check("no key at all", from, node),
    () => check(`as-another-system-has-them-${randomBytes(4).toString("hex")}`, from, node),
    () => list("no token at all", from, node)
  ][index % 5]!()

const statuses = (answers: ReadonlyArray<Answer>) =>
  Object.fromEntries([...Map.groupBy(answers, ({ status }) => status)].map(([status, of]) => [status, of.length]))

const times = (count: number, call: (index: number) => Promise<Answer>) =>
  Promise.all(Array.from({ length: count }, (_, index) => call(index)))

describe("wrong credentials", () => {
  it("count for the address, whatever its port and spelling, and for nobody where a proxy names none", async () => {
    const answers = await times(100, (index) => wrong(index, `203.0.113.90:${50_000 + index}`))
    assert.hasAnyKeys(statuses(answers), ["429"])
    const spellings = ["[2001:db8:9::1]:443", "2001:DB8:9:0::1", "2001:db8:9::1", "[2001:0db8:9::1]"]
    const others = await times(100, (index) => wrong(index, spellings[index % 4]!))
    assert.hasAnyKeys(statuses(others), ["429"])
  })

  it("count alike, made-up or malformed, and tell when to come back", async () => {
    const from = "203.0.113.1"
    const begun = performance.now()
    const answers = await times(100, (index) => wrong(index, from))
    const seconds = Math.ceil((performance.now() - begun) / 1000)
    const { 401: counted = 0, 429: limited = 0 } = statuses(answers)
    assert.strictEqual(counted + limited, 100)
    assert.isAtLeast(counted, 60)
    // One more for each second that the test took.
    assert.isAtMost(counted, 60 + seconds)
    for (const answer of answers.filter(({ status }) => status === 429)) {
      refused(answer, 429, "RATE_LIMITED")
      assert.strictEqual(answer.headers["ratelimit-policy"], "\"authentication\";q=60;w=60")
      assert.match(String(answer.headers["ratelimit"]), /^"authentication";r=0;t=[1-9]\d*$/)
      assert.strictEqual(answer.headers["ratelimit"]?.toString().split("t=")[1], answer.headers["retry-after"])
    }
  })

  it("do not keep right ones out, also those that were never seen, and cost no query each", async () => {
    const from = "203.0.113.2"
    await times(80, (index) => wrong(index, from))
    const fresh = await service.issue()
    const { token } = await service.data("POST", "/api/v1/api-keys", { name: "fresh", scopes: ["product:read"] })
    const database = await session(service.databaseUrl)
    // Of the tables that keys are looked up and counted in: what the service does besides, in its own time, is another
    // matter.
    const lookups = async () => {
      const [row] = await database.query(`
        SELECT sum(seq_scan + idx_scan + n_tup_ins) AS n FROM pg_stat_user_tables
        WHERE relname IN ('license_keys', 'rate_limits', 'activities')`)
      return Number(row.n)
    }
    const before = await lookups()
    const storm = (async () => {
      const answers: Array<Answer> = []
      for (let round = 0; round < 2; round++) answers.push(...await times(100, () => check(anyKey(), from)))
      return answers
    })()
    refused(await check(fresh.key, from), 404, "DEVICE_NOT_ACTIVATED")
    assert.strictEqual((await list(token, from)).status, 200)
    refused(await check(issued.key, from), 404, "DEVICE_NOT_ACTIVATED")
    const { 429: limited = 0 } = statuses(await storm)
    assert.isAtLeast(limited, 150)
    assert.isBelow(await lookups() - before, limited)
    assert.isAtLeast(
      Number(
        /^countersign_rate_limited_total\{.*limit="authentication".*\} (\d+)/m.exec(
          (await service.call("GET", "/metrics")).text
        )?.[1]
      ),
      limited
    )
  })

  it("are of the /64 that an IPv6 address is in", async () => {
    await times(80, (index) => wrong(index, `2001:db8:1:2::${(index + 1).toString(16)}`))
    // One a second is let in again, so it is asked many times at once.
    const { 429: limited = 0 } = statuses(await times(30, () => check(anyKey(), "2001:db8:1:2:ffff::1")))
    assert.isAtLeast(limited, 10)
    refused(await check(anyKey(), "2001:db8:1:3::1"), 401, "LICENSE_KEY_INVALID")
  })

  it("are counted over all nodes", async () => {
    const from = "203.0.113.3"
    const other = await startService({ databaseUrl: service.databaseUrl, environment: proxies })
    await times(80, (index) => wrong(index, from))
    // The other node hears of them soon after the first failure of its own; alone it would let 60 in.
    refused(await check(anyKey(), from, other), 401, "LICENSE_KEY_INVALID")
    let asked = 1
    await eventually("the other node refuses", async () => {
      asked += 1
      return (await check(anyKey(), from, other)).status === 429
    })
    assert.isBelow(asked, 60)
    const { 429: limited = 0 } = statuses(await times(30, () => check(anyKey(), from, other)))
    assert.isAtLeast(limited, 10)
    refused(await check(issued.key, from, other), 404, "DEVICE_NOT_ACTIVATED")
  })

  it("a key that was replaced is a wrong one from then on", async () => {
    const from = "203.0.113.4"
    const given = await service.issue()
    refused(await check(given.key, from), 404, "DEVICE_NOT_ACTIVATED")
    const path = `/api/v1/licenses/${given.license.id}/rotate-key`
    const headers = { "idempotency-key": randomUUID() }
    const rotated = await service.call("POST", path, { body: { overlap_minutes: 0 }, headers })
    assert.isBelow(rotated.status, 300, rotated.text)
    refused(await check(given.key, from), 401, "LICENSE_KEY_INVALID")
    const { 401: counted = 0, 429: limited = 0 } = statuses(await times(110, () => check(given.key, from)))
    assert.strictEqual(counted + limited, 110)
    assert.isAtLeast(limited, 10)
  })
})

describe("limits of requests", () => {
  it("are of a key, a token and an address, each with its headers; off with 0", async () => {
    const limited = await startService({
      databaseUrl: service.databaseUrl,
      environment: {
        ...proxies,
        COUNTERSIGN_LIMIT_KEY_RATE: "1",
        COUNTERSIGN_LIMIT_TOKEN_RATE: "2",
        COUNTERSIGN_LIMIT_ADDRESS_RATE: "4",
        COUNTERSIGN_LIMIT_FAILED_CREDENTIALS: "0"
      }
    })
    const { token } = await service.data("POST", "/api/v1/api-keys", { name: "limited", scopes: ["product:read"] })
    const policies = new Set<string>()
    const collect = (answers: ReadonlyArray<Answer>) => {
      for (const answer of answers.filter(({ status }) => status === 429)) {
        refused(answer, 429, "RATE_LIMITED")
        policies.add(String(answer.headers["ratelimit-policy"]))
        assert.match(String(answer.headers["retry-after"]), /^[1-9]\d*$/)
      }
    }
    // A key is known to be one by its first answer, and counted from then on.
    await check(issued.key, "203.0.113.5", limited)
    collect(await times(30, () => check(issued.key, "203.0.113.5", limited)))
    assert.sameMembers([...policies], ["\"key\";q=10;w=10"])
    collect(await times(38, () => list(token, "203.0.113.6", limited)))
    assert.sameMembers([...policies], ["\"key\";q=10;w=10", "\"token\";q=20;w=10"])
    collect(await times(100, () => check(anyKey(), "203.0.113.7", limited)))
    assert.sameMembers([...policies], ["\"key\";q=10;w=10", "\"token\";q=20;w=10", "\"address\";q=40;w=10"])
    // Another address has a limit of its own.
    refused(await check(anyKey(), "203.0.113.8", limited), 401, "LICENSE_KEY_INVALID")
  })
})
