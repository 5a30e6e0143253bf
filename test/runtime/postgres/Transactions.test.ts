import { PgConnection } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { inject } from "vitest"
import { database, eventually } from "../../fixtures/Session.ts"
import { holdsTransactions, watchTransactions } from "../../fixtures/TransactionWatch.ts"

/** Leaves a transaction open without a word for so many seconds, in a session that is named as those of a node are. */
const silent = (url: string, name: string, begin: string, seconds: number) =>
  Effect.scoped(Effect.gen(function*() {
    const connection = yield* PgConnection.make({ url: Redacted.make(url), applicationName: `${name} 1a2b-c3d4e5` })
    yield* connection.query("CREATE TABLE IF NOT EXISTS t (n int)")
    yield* connection.query("BEGIN")
    yield* connection.query(begin)
    yield* Effect.sleep(`${seconds} seconds`)
    yield* connection.query("COMMIT")
  })).pipe(Effect.runPromise)

// Side by side, each with transactions of another name.
describe.concurrent("the watch over transactions", () => {
  it("finds one that is silent for more than a second", async () => {
    const applicationName = "countersign-watched"
    const url = await database()
    // The more the machine is loaded, the longer silence is suffered, and the fewer looks are in time.
    let seconds = 5
    await eventually("it is found", async () => {
      const end = await watchTransactions(inject("databaseUrl"), applicationName)
      await silent(url, applicationName, "INSERT INTO t VALUES (1)", seconds)
      seconds *= 2
      const found = await end()
      // Nothing is found while the machine has no time for the watch: then once more.
      if (found.length === 0) return false
      assert.lengthOf(found, 1)
      assert.match(found[0]!, /silent for \d+\.\d s/)
      assert.include(found[0]!, "INSERT INTO t VALUES (1)")
      return true
    })
  })

  it("leaves alone what has no id, and what a test holds on purpose", async () => {
    const url = await database()
    const exempt = await database()
    const applicationName = "countersign-left-alone"
    await holdsTransactions(exempt)
    const end = await watchTransactions(inject("databaseUrl"), applicationName)
    await Promise.all([
      silent(url, applicationName, "SELECT count(*) FROM t", 3),
      silent(exempt, applicationName, "INSERT INTO t VALUES (1)", 3)
    ])
    assert.deepStrictEqual(await end(), [])
  })
})
