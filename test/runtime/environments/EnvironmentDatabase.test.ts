import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { prepare, targetOf, whyNone } from "../../../src/runtime/environments/EnvironmentDatabase.ts"
import { atEnd, database, session } from "../../fixtures/Session.ts"

const live = await database()
const name = new URL(live).pathname.slice(1)

/** The URL of the live database that names it by a parameter, as libpq takes it, whatever its path says. */
const byParameter = (database: string) => {
  const url = new URL(live)
  url.pathname = "/postgres"
  url.searchParams.set("dbname", database)
  return Redacted.make(url.href)
}

describe("the database of an environment", () => {
  it.effect("stands beside the one that the parameter dbname of a URL names", () =>
    Effect.gen(function*() {
      const target = targetOf("test", byParameter(name), undefined)
      atEnd(async () => {
        const { query } = await session(live)
        await query(`DROP DATABASE IF EXISTS "${name}_test" WITH (FORCE)`)
      })
      assert.strictEqual(target.database, `${name}_test`)
      const url = new URL(Redacted.value(target.url))
      assert.isFalse(url.searchParams.has("dbname"))
      yield* prepare(target)
      const { query } = yield* Effect.promise(() => session(url.href))
      const [found] = yield* Effect.promise(() =>
        query("SELECT current_database() AS name, to_regclass('environment_clock') IS NOT NULL AS marked")
      )
      assert.deepStrictEqual(found, { name: `${name}_test`, marked: true })
    }))

  it("is the one that the operator named by a parameter", () => {
    const target = targetOf("test", Redacted.make(live), byParameter("named"))
    assert.strictEqual(target.database, "named")
    assert.strictEqual(new URL(Redacted.value(target.url)).pathname, "/named")
    assert.isUndefined(target.beside)
  })

  it.effect("is none where its name would be cut off, which a start and a request say", () =>
    Effect.gen(function*() {
      // 63 bytes are the longest name, and a character of two bytes counts as two.
      const fits = targetOf("test", byParameter("a".repeat(58)), undefined)
      assert.strictEqual(Buffer.byteLength(fits.database), 63)
      for (const long of ["a".repeat(59), "\u00e9".repeat(30)]) {
        const target = { ...targetOf("test", byParameter(long), undefined), beside: Redacted.make(live) }
        assert.include(yield* whyNone(target), "is too long for a database")
        assert.include((yield* Effect.flip(prepare(target))).message, "is too long for a database")
      }
      assert.isUndefined(yield* whyNone({ ...fits, beside: Redacted.make(live) }))
    }))
})
