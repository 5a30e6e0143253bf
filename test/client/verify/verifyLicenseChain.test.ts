import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { verifyCheckpoint, verifyLicenseChain } from "../../../src/client/verify/index.ts"
import { servedLeafHash } from "../../../src/domain/log/EventLeaf.ts"
import { verifyLicenseEvents } from "../../../src/domain/log/LicenseChainVerdict.ts"
import { licenseStart } from "../../../src/domain/log/LicenseLink.ts"
import { linkedFeed, ofLicense, provenIn } from "../../fixtures/LinkedFeed.ts"
import { naiveProof, sha256 } from "../../fixtures/NaiveTree.ts"
import { root } from "../../fixtures/Program.ts"
import type { Body } from "../../fixtures/Session.ts"
import { signingKey } from "../../fixtures/SignedFeed.ts"
import { cases, text } from "../../vectors/makeLicenseChains.ts"

const key = signingKey(9)
const publicKeys = [key.published]
const licenseId = "lic_1"

describe("the chain of a license", () => {
  it.each(cases)("$name: $expected", ({ after, events, expected, sequence }) => {
    const verdict = verifyLicenseEvents(events, { license: licenseId, sha256, after })
    assert.deepStrictEqual(
      verdict.ok ? ["verified", undefined] : [verdict.fault, verdict.sequence],
      [expected, sequence]
    )
  })

  it("has the published vectors", () => {
    const published = readFileSync(join(root, "test/vectors/license-chains.json"), "utf8")
    assert.deepStrictEqual(JSON.parse(published), JSON.parse(text))
  })

  it.each(JSON.parse(text).proven as ReadonlyArray<Body>)(
    "$name: $expected",
    async ({ events, expected, note, sequence }) => {
      const verdict = await verifyLicenseChain({ licenseId, events, note, publicKeys, after: null })
      assert.deepStrictEqual(
        verdict.ok ? ["verified", undefined] : [verdict.fault, verdict.sequence],
        [expected, sequence]
      )
    }
  )

  it("is verified with proofs to one note, page by page, and says what it follows and where it ends", async () => {
    const feed = linkedFeed(30)
    const chain = ofLicense(feed, licenseId)
    const { events, note } = provenIn(feed, chain, key)
    const whole = await verifyLicenseChain({ licenseId, events, note, publicKeys, after: null })
    const { hash, sequence } = chain.at(-1)!
    assert.deepInclude(whole, { ok: true, events: chain.length, after: licenseStart, last: { hash, sequence } })
    const first = await verifyLicenseChain({ licenseId, events: events.slice(0, 4), note, publicKeys })
    assert.isTrue(first.ok)
    if (!first.ok || !first.last) return
    const rest = await verifyLicenseChain({ licenseId, events: events.slice(4), note, publicKeys, after: first.last })
    assert.deepInclude(rest, { ok: true, after: first.last })
    const gap = await verifyLicenseChain({ licenseId, events: events.slice(5), note, publicKeys, after: first.last })
    assert.deepInclude(gap, { ok: false, fault: "missing", sequence: chain[4]!.sequence })
    assert.deepInclude(await verifyLicenseChain({ licenseId, events: [], note, publicKeys, after: null }), {
      ok: true,
      last: licenseStart
    })
  })

  it("is not verified where an event is in no tree that was signed, or the note is not by a known key", async () => {
    const feed = linkedFeed(20)
    const chain = ofLicense(feed, licenseId)
    const { events, note } = provenIn(feed, chain, key)
    // A chain that is right by itself, of a history that was not signed.
    const other = provenIn(
      linkedFeed(20, { amount: () => 2 }),
      ofLicense(linkedFeed(20, { amount: () => 2 }), licenseId),
      key
    )
    assert.deepInclude(await verifyLicenseChain({ licenseId, events: other.events, note, publicKeys }), {
      ok: false,
      fault: "not_in_log",
      sequence: chain[0]!.sequence
    })
    assert.deepInclude(
      await verifyLicenseChain({ licenseId, events, note, publicKeys: [signingKey(8).published] }),
      { ok: false, fault: "unknown_key" }
    )
    assert.deepInclude(await verifyLicenseChain({ licenseId: "lic_2", events, note, publicKeys }), {
      ok: false,
      fault: "other_license"
    })
  })

  it("shows each of two customers that the log was forked between them", async () => {
    const length = 24
    /** From event 13 on, the uses of lic_2 differ. Nothing of lic_1 does. */
    const forked = (by: number) => linkedFeed(length, { amount: (n) => n > 12 && n % 3 === 0 ? by : 1 })
    const [shownToFirst, shownToSecond] = [forked(1), forked(2)]
    const shown = [{ license: "lic_1", feed: shownToFirst, other: shownToSecond }, {
      license: "lic_2",
      feed: shownToSecond,
      other: shownToFirst
    }]
    for (const { feed, license, other } of shown) {
      const early = feed.slice(0, 20)
      const seen = provenIn(early, ofLicense(early, license), key)
      const kept = await verifyLicenseChain({ licenseId: license, ...seen, publicKeys, after: null })
      assert.isTrue(kept.ok)
      if (!kept.ok || !kept.last) continue
      // Each history is right by itself, with everything signed.
      const whole = provenIn(other, ofLicense(other, license), key)
      assert.isTrue((await verifyLicenseChain({ licenseId: license, ...whole, publicKeys, after: null })).ok)
      // Whoever is shown the other one from then on sees that it does not follow what was shown before.
      const later = ofLicense(other, license).filter(({ sequence }) => sequence > kept.last!.sequence)
      assert.isAbove(later.length, 0)
      assert.deepInclude(
        await verifyLicenseChain({ licenseId: license, ...provenIn(other, later, key), publicKeys, after: kept.last }),
        { ok: false, fault: "altered", sequence: kept.last.sequence }
      )
      // Or compares the notes with those of the other customer.
      const leaves = other.map((event) => servedLeafHash(event, sha256))
      const prove = (from: number) =>
        Promise.resolve({ hashes: naiveProof(from, leaves).map((hash) => Buffer.from(hash).toString("hex")) })
      assert.deepInclude(
        await verifyCheckpoint({ note: whole.note, publicKeys, since: { note: seen.note, prove } }),
        { ok: false, fault: "rewritten" }
      )
    }
  })
})
