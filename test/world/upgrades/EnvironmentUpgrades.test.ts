import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { examine } from "../../fixtures/Doctor.ts"
import { newerMigration, newerRelease, newerTable } from "../../fixtures/NewerRelease.ts"
import { serve, temporaryDirectory } from "../../fixtures/Program.ts"
import { caller, released } from "../../fixtures/Released.ts"
import { adminToken } from "../../fixtures/Service.ts"
import type { Service } from "../../fixtures/Service.ts"
import { database, eventually, session } from "../../fixtures/Session.ts"
import { testDatabaseOf, testToken } from "../../fixtures/TestEnvironment.ts"

const environment = { ...released.environment, COUNTERSIGN_LIMIT_DELAY_MS: "10000" }

/** A database beside which a test environment comes, both of them empty. */
const makeDatabases = async () => {
  const databaseUrl = await database()
  return { databaseUrl, testDatabase: testDatabaseOf({ databaseUrl } as Service) }
}

const hasNewerTable = async (url: string): Promise<boolean> => {
  const { close, query } = await session(url)
  const [{ found }] = await query(`SELECT to_regclass('${newerTable}') IS NOT NULL AS found`)
  await close()
  return found
}

const migrated = (printed: string) => printed.split(`Migrated ${newerMigration}`).length - 1

/** Callers that write and read in one environment, through every node that is up. */
const startCalls = async (nodes: () => ReadonlyArray<string>, token: string) => {
  const ask = async (url: string, method: string, path: string, body?: object) => {
    const answer = await caller(url).call(method, path, body, `Bearer ${token}`)
    if (answer.status >= 300) wrong.push(`${method} ${path} at ${url}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body?.data
  }
  const wrong: Array<string> = []
  const ending = new AbortController()
  const answered = new Map<string, number>()
  const created: Array<string> = []
  const call = async () => {
    for (let turn = 0; !ending.signal.aborted; turn++) {
      const up = nodes()
      const url = up[turn % up.length]!
      const product = await ask(url, "POST", "products", { name: "Studio", code: randomUUID() })
      if (product === undefined) continue
      created.push(product.id)
      await ask(up[(turn + 1) % up.length]!, "GET", `products/${product.id}`)
      answered.set(url, (answered.get(url) ?? 0) + 1)
    }
  }
  const working = Promise.all([call(), call()])
  return {
    created,
    /** Waits until each node has answered so many more. */
    more: (count: number) => {
      const enough = new Map(nodes().map((url) => [url, (answered.get(url) ?? 0) + count]))
      return eventually(`each node answers ${count} more`, () => {
        assert.deepStrictEqual(wrong, [])
        return [...enough].every(([url, least]) => (answered.get(url) ?? 0) >= least)
      })
    },
    stop: async () => {
      ending.abort()
      await working
      return wrong
    }
  }
}

describe("an upgrade with a test environment", () => {
  it("refuses nothing in either environment while nodes of this release and of the next work on both databases", async () => {
    const { databaseUrl, testDatabase } = await makeDatabases()
    const of = { ...environment, DATABASE_URL: databaseUrl }
    const startOlder = () => serve(["src/runtime/main.ts"], of)
    const program = await newerRelease(temporaryDirectory())
    let older = await startOlder()
    let up = [older.url]
    const calls = await Promise.all([adminToken, testToken].map((token) => startCalls(() => up, token)))
    const more = (count: number) => Promise.all(calls.map((each) => each.more(count)))
    try {
      await more(5)
      const newer = await serve([program], of)
      assert.strictEqual(migrated(newer.printed()), 1, "the start has migrated live")
      assert.isFalse(await hasNewerTable(testDatabase))
      up = [older.url, newer.url]
      await more(5)
      assert.strictEqual(migrated(newer.printed()), 2, "the first request of test has migrated test")
      assert.isTrue(await hasNewerTable(testDatabase))

      // The older one is started again, on databases of the newer one.
      up = [newer.url]
      await more(2)
      assert.strictEqual(await older.stop(), 0, older.printed())
      older = await startOlder()
      up = [newer.url, older.url]
      await more(5)

      // A reset by the older one leaves tables that only it knows; the newer one makes its own again.
      for (const each of calls) assert.deepStrictEqual(await each.stop(), [])
      const inTest = (url: string, method: string, path: string) =>
        caller(url).call(method, path, undefined, `Bearer ${testToken}`)
      assert.strictEqual((await inTest(older.url, "POST", "environment/reset")).status, 200)
      const first = await inTest(older.url, "GET", "products")
      assert.deepStrictEqual([first.status, first.body.data], [200, []])
      assert.isFalse(await hasNewerTable(testDatabase))
      const second = await inTest(newer.url, "GET", "products")
      assert.deepStrictEqual([second.status, second.body.data], [200, []])
      assert.isTrue(await hasNewerTable(testDatabase))

      const [live] = calls
      const asked = caller(newer.url)
      for (const id of live!.created.slice(0, 5)) {
        assert.strictEqual((await asked.call("GET", `products/${id}`)).status, 200)
      }
      assert.strictEqual(await older.stop(), 0, older.printed())
      assert.strictEqual(await newer.stop(), 0, newer.printed())
    } finally {
      for (const each of calls) await each.stop()
    }
    for (const url of [databaseUrl, testDatabase]) assert.deepStrictEqual((await examine(url)).found, [])
  })
})
