import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Trust } from "../../../src/client/evidence/Trust.ts"
import { verifyFiles } from "../../../src/client/evidence/verifyFiles.ts"
import { figuresOf } from "../../../src/client/statements/statementFigures.ts"
import type { StatedLeaf } from "../../../src/client/statements/statementLeaves.ts"
import { forgedFrom, placesChanged } from "../../fixtures/Forger.ts"
import { sha256 } from "../../fixtures/NaiveTree.ts"
import { root } from "../../fixtures/Program.ts"
import { noteOver, signedFeed, signingKey } from "../../fixtures/SignedFeed.ts"
import { verifierOver } from "../../fixtures/Verifier.ts"
import { cases, forged, text } from "../../vectors/makeStatements.ts"

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

/** A reader who knows no witness. */
const readers: Trust = {
  publicKeys: [],
  revokedKeys: [],
  witnesses: [],
  quorum: 0,
  licenseKey: undefined,
  fingerprint: undefined,
  now: 0,
  sha256
}

interface Case {
  readonly name: string
  readonly statement: string
  readonly expected: string
  readonly ends?: string
  readonly lacks?: string
}

/** The words of the command for a verdict of the vectors. */
const words: Readonly<Record<string, string | RegExp>> = {
  closed: "No event of 1 license is missing, from before the period to after it",
  late: "Whether usage of the period was reported late",
  missing: "was omitted",
  other_license: "events of another license",
  malformed: /The evidence cannot be read|is not as its schema says|one was changed, moved, omitted or added/,
  proof_mismatch: "one was changed, moved, omitted or added",
  figures_differ: /The statement says (?:amount 12|closing -4|told_after 0) /,
  verified: /All figures of \d rows? follow from these events\./
}

describe("the published statements", () => {
  it("are those that are made, and are judged as they say", async () => {
    const published = readFileSync(join(root, "test/vectors/statements.json"), "utf8")
    assert.deepStrictEqual(JSON.parse(published), JSON.parse(text))
    const { keys } = JSON.parse(text)
    const run = verifierOver(new Map([["keys.json", new TextEncoder().encode(JSON.stringify({ data: keys }))]]))
    for (const { ends, expected, lacks, name, statement } of cases as ReadonlyArray<Case>) {
      const { out, status } = await run(["statement.json", "--keys", "keys.json"], { "statement.json": statement })
      // Complete, or not proven.
      assert.strictEqual(
        status,
        expected !== "verified" ? 1 : ends === "closed" && lacks === undefined ? 0 : 3,
        `${name}: ${out}`
      )
      assert.match(out, new RegExp(words[ends ?? expected]!), name)
      assert.strictEqual(out.includes("reported late"), ends === "late", name)
    }
  })

  it("are not proven after anything that a forger does, unless it is named as the vendor's word", async () => {
    const { keys } = JSON.parse(text)
    const trust = { ...readers, publicKeys: keys }
    const reportOf = async (statement: unknown) => {
      const bytes = new TextEncoder().encode(JSON.stringify(statement))
      const [report] = await verifyFiles([{ name: "statement.json", bytes }], trust)
      return report!
    }
    const { findings, verdict } = await reportOf(forged.genuine)
    const said = findings.map(({ outcome, text }) => `${outcome}: ${text}`).join("\n")
    assert.strictEqual(verdict, "proven", said)
    const words = /The vendor's word, which follows from no event: (.*)\./.exec(said)![1]!.split(/, | and /)
    const isUnder = (inner: string, outer: string) =>
      inner === outer || inner.startsWith(`${outer}.`) || inner.startsWith(`${outer}[`)
    const isWord = (place: string) => words.some((word) => isUnder(word, place) || isUnder(place, word))
    let passed = 0
    for (const forgery of forged.forgeries) {
      const { verdict } = await reportOf(forgedFrom(forged.genuine, forgery))
      if (verdict !== "proven") continue
      passed += 1
      assert.deepStrictEqual(placesChanged(forgery).filter((place) => !isWord(place)), [], forgery.name)
    }
    assert.isAbove(forged.forgeries.length, 400)
    assert.isBelow(passed, forged.forgeries.length / 3)
  })
})

describe("what stands beside the note of a checkpoint", () => {
  it("is what the note says, or the vendor's word; with more it is no checkpoint", async () => {
    const key = signingKey(9)
    const feed = signedFeed(3)
    const note = noteOver(feed, key)
    const [name, size, root] = note.split("\n")
    const served = {
      origin: name,
      tree_size: Number(size),
      root_hash: Buffer.from(root!, "base64").toString("hex"),
      created_at: new Date(1_780_000_000_000).toISOString(),
      kid: key.published.kid,
      note
    }
    const trust = { ...readers, publicKeys: [key.published] }
    const verdictOf = async (value: unknown) => {
      const bytes = new TextEncoder().encode(JSON.stringify(value))
      const [report] = await verifyFiles([{ name: "checkpoint.json", bytes }], trust)
      return report!
    }
    for (const whole of [served, { data: served }, { checkpoint: served }, { data: served, meta: {} }]) {
      assert.strictEqual((await verdictOf(whole)).verdict, "proven")
    }
    for (const member of Object.keys(served)) {
      const { verdict } = await verdictOf({ data: { ...served, [member]: "other" } })
      assert.notStrictEqual(verdict, "proven", member)
    }
    const more = await verdictOf({ ...served, cosigned_tree_size: 9 })
    assert.include(more.findings.map(({ text }) => text).join(), "does not contain: cosigned_tree_size.")
    for (
      const proof of [{ ...served, hashes: [] }, { data: { checkpoint: served, leaf: "x" } }, {
        data: served,
        events: []
      }]
    ) {
      assert.strictEqual((await verdictOf(proof)).verdict, "open")
    }
  })
})
