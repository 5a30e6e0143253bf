import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { figuresOf } from "../../../src/client/evidence/statementFigures.ts"
import type { StatedLeaf } from "../../../src/client/evidence/statementLeaves.ts"
import { root } from "../../fixtures/Program.ts"
import { verifierOver } from "../../fixtures/Verifier.ts"
import { cases, text } from "../../vectors/makeStatements.ts"

let sequence = 0
const leaf = (at: number, data: StatedLeaf["data"], more: Partial<StatedLeaf> = {}): StatedLeaf => ({
  sequence: ++sequence,
  kind: "license.usage_recorded",
  licenseId: "lic_1",
  featureId: "feat_1",
  at,
  createdAt: at,
  data,
  metadata: {},
  ...more
})
const use = (at: number, amount: number, total: number, more: StatedLeaf["data"] = {}) =>
  leaf(at, { amount, total_consumptions: total, ...more })
const reset = (at: number, total: number, metadata: StatedLeaf["metadata"] = {}) =>
  leaf(at, { total_consumptions: total }, { kind: "license.usage_reset", metadata })
const period = { from: 10, to: 20 }

describe("the figures of a statement", () => {
  it("are of the window alone, with the overage by either of its names", () => {
    const events = [use(5, 7, 7), use(12, 3, 10, { over_quota: 1 }), use(13, 4, 14, { overage: 2 }), use(25, 1, 15)]
    const { figures, gaps, isClosed } = figuresOf(events, period)
    assert.deepInclude(figures, { uses: 2, amount: 7, overage: 3, within_quota: 4 })
    assert.deepStrictEqual([gaps, isClosed], [[], true])
  })

  it("show the event before which usage is missing: the first, one between, a refund, and the one after", () => {
    const gapsOf = (...events: ReadonlyArray<StatedLeaf>) => figuresOf(events, period).gaps
    const [first, second] = [use(12, 3, 5), use(13, 1, 6)]
    assert.deepStrictEqual(gapsOf(first, second), [first.sequence])
    assert.deepStrictEqual(gapsOf(use(5, 2, 2), first, second), [])
    const later = use(14, 1, 8)
    assert.deepStrictEqual(gapsOf(use(5, 2, 2), first, second, later), [later.sequence])
    const refund = reset(15, 3, { refund_of: "one", counted: 1 })
    assert.deepStrictEqual(gapsOf(use(5, 2, 2), first, second, refund), [refund.sequence])
    const after = use(25, 1, 9)
    assert.deepStrictEqual(gapsOf(use(5, 2, 2), first, second, after), [after.sequence])
  })

  it("say that the end is open without a later usage event, and count corrections that set a total", () => {
    const { figures, isClosed, resets } = figuresOf([use(12, 3, 3), reset(13, 0)], period)
    assert.deepStrictEqual([isClosed, resets, figures.adjusted], [false, 1, -3])
  })
})

/** The words of the command for a verdict of the vectors. */
const words: Readonly<Record<string, string | RegExp>> = {
  closed: "No event of 1 license is missing, from before the period to after it",
  late: "Whether usage of the period was reported late",
  missing: "was omitted",
  other_license: "events of another license",
  malformed: /The evidence cannot be read|one was changed, moved, omitted or added/,
  proof_mismatch: "one was changed, moved, omitted or added",
  figures_differ: "The statement says amount 12",
  verified: "All figures of 1 row follow from these events."
}

describe("the published statements", () => {
  it("are those that are made, and are judged as they say", async () => {
    const published = readFileSync(join(root, "test/vectors/statements.json"), "utf8")
    assert.deepStrictEqual(JSON.parse(published), JSON.parse(text))
    const { keys } = JSON.parse(text)
    const run = verifierOver(new Map([["keys.json", new TextEncoder().encode(JSON.stringify({ data: keys }))]]))
    for (const { ends, expected, name, statement } of cases) {
      const { out, status } = await run(["statement.json", "--keys", "keys.json"], { "statement.json": statement })
      assert.strictEqual(status, expected === "verified" ? 0 : 1, `${name}: ${out}`)
      assert.match(out, new RegExp(words[ends ?? expected]!), name)
      assert.strictEqual(out.includes("reported late"), ends === "late", name)
    }
  })
})
