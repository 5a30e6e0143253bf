import { assert, beforeAll, describe, it } from "@effect/vitest"
import { inject } from "vitest"
import { Countersign } from "../../../src/client/api/index.ts"
import { alwaysOpen } from "../../../src/http/ground/edge/Refusal.ts"
import { changesBetween, contentsOf } from "../../fixtures/DatabaseContents.ts"
import { examine } from "../../fixtures/Doctor.ts"
import { play } from "../../fixtures/histories/Play.ts"
import { historyOf } from "../../fixtures/histories/Search.ts"
import { filesOf, keepBusy, makeVendor, settled, toldOf } from "../../fixtures/LiveVendor.ts"
import type { LiveVendor } from "../../fixtures/LiveVendor.ts"
import { MailServer } from "../../fixtures/MailServer.ts"
import { startReceiver } from "../../fixtures/Receiver.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Service } from "../../fixtures/Service.ts"
import type { Session } from "../../fixtures/Session.ts"
import { session } from "../../fixtures/Session.ts"
import { salesStories } from "../../fixtures/stories/SalesStories.ts"
import { clockStory, serviceStories } from "../../fixtures/stories/ServiceStories.ts"
import { watchOperations } from "../../fixtures/stories/Stage.ts"
import type { Stage } from "../../fixtures/stories/Stage.ts"
import { inTestOf, testDatabaseOf, testPrefix } from "../../fixtures/TestEnvironment.ts"

const mails = await new MailServer().start()
const service = await startService({
  environment: {
    COUNTERSIGN_LIMIT_FAILED_CREDENTIALS: "0",
    COUNTERSIGN_SMTP_URL: mails.url,
    COUNTERSIGN_MAIL_FROM: "licenses@acme.example",
    COUNTERSIGN_MAIL_TEST_ADDRESSES: "licenses@acme.example"
  }
})
const test = inTestOf(service, testDatabaseOf(service))
const receiver = await startReceiver()

/** Both environments are given the same names in the same order: product codes, e-mails, IDs of shops, keys of requests. */
const namesOf = (kind: string) => {
  let count = 0
  return () => `twin-${kind}-${++count}`
}

/** The histories that both environments live through, and how many rounds they have. */
const seeds = ["a"].map((name) => `${inject("seed")}-live-${name}`)
const rounds = 12

const stageOf = (on: Service, prefix: string, watched: ReturnType<typeof watchOperations>): Stage => {
  const send = watched.fetch(prefix)
  const keys = new Map<string, string>()
  const nextKey = namesOf("key")
  const withNames: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers)
    const { pathname } = new URL(String(input))
    // Probes and metrics are those of the process.
    const open = pathname.slice(prefix.length)
    if (alwaysOpen.has(open)) return send(`${on.url}${open}`, init)
    const key = headers.get("idempotency-key")
    if (key === null) return send(input, init)
    // The client draws its keys, and repeats a request with the key that it had.
    if (!keys.has(key)) keys.set(key, nextKey())
    headers.set("idempotency-key", keys.get(key)!)
    return send(input, { ...init, headers })
  }
  const common = { baseUrl: on.url + prefix, fetch: withNames }
  return {
    service: on,
    client: new Countersign({ ...common, token: on.token }),
    open: (credentials) => new Countersign({ ...common, ...credentials }),
    unique: namesOf("story"),
    note: watched.note,
    allowTest: prefix === testPrefix,
    asksConditionally: true
  }
}

/** Plays what both environments go through: every operation, and random histories. */
const playAll = async (on: Service, database: Session, stage: Stage) => {
  for (const [, tell] of [...salesStories, ...serviceStories]) await tell(stage)
  for (const [index, seed] of seeds.entries()) {
    const place = {
      service: on,
      database,
      receiver: receiver.url,
      differences: new Set<string>(),
      run: `rtwin${index}`
    }
    const { findings } = await play(place, historyOf(seed, rounds))
    assert.deepStrictEqual(findings, [], `HISTORIES_SEED=${seed}`)
  }
}

describe("the live environment, under load, while everything there is happens in test under the same names", () => {
  let vendor: LiveVendor
  let database: Session

  beforeAll(async () => {
    database = await session(service.databaseUrl)
    await playAll(service, database, stageOf(service, "", watchOperations()))
    vendor = await makeVendor(service, receiver.url, namesOf("vendor"))
    await settled(service)
  })

  const seen = async () => {
    const told = await toldOf(service, vendor)
    return { ...told, ...await contentsOf(database) }
  }

  it("has the same log, tables, reports and exports before and after, byte for byte", async () => {
    const load = keepBusy(service, vendor)
    const files = await filesOf(service, vendor)
    await settled(service)
    const before = await seen()
    const watched = watchOperations()
    const stage = stageOf(test, testPrefix, watched)
    // Its first request makes its database.
    await test.data("GET", "/api/v1/environment")
    const inTest = await session(test.databaseUrl)
    await playAll(test, inTest, stage)
    const twin = await makeVendor(test, receiver.url, namesOf("vendor"))
    assert.strictEqual(twin.offer.product.code, vendor.offer.product.code)
    for (const advance of ["P1M", "P13M"]) {
      await test.data("PUT", "/api/v1/environment/clock", { advance })
      assert.deepStrictEqual((await examine(test.databaseUrl)).found, [])
    }
    // Ends with a reset; then the same vendor begins again.
    await clockStory[1](stage)
    await makeVendor(test, receiver.url, namesOf("vendor"))
    await settled(test)
    const after = await seen()
    assert.deepStrictEqual(await filesOf(service, vendor), files)
    assert.isAbove(await load.end(), 20)
    assert.deepStrictEqual([...changesBetween(before, after)], [])
    assert.deepStrictEqual([...watched.missing()], [])
    for (const { databaseUrl } of [service, test]) assert.deepStrictEqual((await examine(databaseUrl)).found, [])
  }, 900_000)

  it("would show one change", async () => {
    const before = await seen()
    await service.data("PATCH", `/api/v1/customers/${vendor.customer}`, { name: "Grace" })
    await settled(service)
    const changes = [...changesBetween(before, await seen())]
    assert.includeMembers(changes, ["feed", "/api/v1/events/checkpoint", `/api/v1/customers/${vendor.customer}`])
    assert.includeMembers(changes, ["public.customers", "public.event_records"])
  })
})
