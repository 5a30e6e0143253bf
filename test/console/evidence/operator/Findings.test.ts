import { assert, describe, it } from "@effect/vitest"
import { verdictOf } from "../../../../src/console/evidence/operator/Findings.ts"
import type { Known } from "../../../../src/console/evidence/operator/Findings.ts"
import { readMetrics } from "../../../../src/console/evidence/operator/Metrics.ts"

const here = <A>(data: A) => ({ data, error: undefined, isAnswered: true })
const away = <A>(data?: A) => ({ data, error: new Error("503"), isAnswered: data !== undefined })
const awaited = { data: undefined, error: undefined, isAnswered: false }

const ready: Known["ready"] = here({ status: "ready", db: "ok", phase: "ready" })
const none = { newest: [], hasMore: false }
const exports = { queued: none, running: none, failed: none }
const well: Known = {
  ready,
  metrics: here(new Map() as never),
  health: here({
    status: "ok",
    reasons: [],
    as_of: "2026-01-01T00:00:00.000Z",
    backlog: 0,
    retries_pending: 0,
    unsequenced: 0,
    feed_lag_seconds: 0
  } as never),
  checkpoint: here(undefined),
  exports: here(exports),
  signingKeys: here([])
}
const parts = Object.keys(well) as ReadonlyArray<keyof Known>

describe("what the page of operations comes to", () => {
  it("is well when every part was read and has nothing to look at", () => {
    assert.deepStrictEqual(verdictOf(well), { state: "well", findings: [], hidden: [] })
  })

  it.each(parts)("is not well when it could not read: %s", (part) => {
    for (const failed of [away(), away(well[part]!.data)]) {
      const { findings, state } = verdictOf({ ...well, [part]: failed })
      assert.strictEqual(state, "unknown")
      assert.lengthOf(findings, 1)
      assert.match(findings[0]!.text, /^Could not be read: [\w ]+$/)
    }
  })

  it("names each part that could not be read", () => {
    const [finding] = verdictOf({ ...well, metrics: away(), exports: away(), signingKeys: away() }).findings
    assert.strictEqual(
      finding!.text,
      "Could not be read: node and database metrics, exports, signing keys"
    )
  })

  it.each(parts)("is not well yet while it awaits: %s", (part) => {
    assert.strictEqual(verdictOf({ ...well, [part]: awaited }).state, "checking")
  })

  it("names what the token may not see", () => {
    assert.deepStrictEqual(verdictOf({ ...well, checkpoint: undefined, signingKeys: undefined }), {
      state: "well",
      findings: [],
      hidden: ["checkpoint", "signing keys"]
    })
  })

  it("is bad before anything else, with the bad first and what could not be read last", () => {
    const { findings, state } = verdictOf({
      ...well,
      ready: here({ status: "not_ready", db: "unavailable", phase: "ready" } as never),
      exports: here({ ...exports, failed: { newest: [{} as never], hasMore: false } }),
      metrics: away()
    })
    assert.strictEqual(state, "bad")
    assert.deepStrictEqual(findings.map(({ tone }) => tone), ["bad", "warn", "warn"])
    assert.match(findings[0]!.text, /the database is unavailable/)
    assert.match(findings[2]!.text, /^Could not be read/)
  })

  it("asks to look at what this browser did not verify", () => {
    const { findings, state } = verdictOf({ ...well, checkpoint: here({ why: "plain http" }) })
    assert.deepStrictEqual([state, findings.map(({ text }) => text)], ["look", [
      "This browser did not verify the checkpoint"
    ]])
  })

  it.each([[365, []], [366, [/^The signing key is .+ old: rotate it$/]]] as const)(
    "asks to rotate a signing key that is older than a year: %i days",
    (days, texts) => {
      const metrics = here(readMetrics(`countersign_signing_key_age_seconds ${days * 86_400}\n`))
      const { findings } = verdictOf({ ...well, metrics })
      assert.lengthOf(findings, texts.length)
      for (const [index, text] of texts.entries()) assert.match(findings[index]!.text, text)
    }
  )
})
