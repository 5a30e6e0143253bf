import { assert, describe, it } from "@effect/vitest"
import { chainStart, verifyChain, verifyLink } from "../../../src/domain/log/EventChain.ts"
import type { ServedEvent } from "../../../src/domain/log/EventLeaf.ts"
import * as EventRecord from "../../../src/domain/log/EventLeaf.ts"
import { sha256 } from "../../fixtures/NaiveTree.ts"

/** A feed of events, each with a personal address. */
const makeFeed = (length: number): Array<ServedEvent> => {
  const feed: Array<ServedEvent> = []
  let previous = EventRecord.genesisHash
  for (let sequence = 1; sequence <= length; sequence++) {
    const { leaf, personal } = EventRecord.withhold(
      {
        id: `evt_${sequence}`,
        sequence,
        event_type: "license.activated",
        actor_type: "license",
        actor_id: "lic_1",
        resource_type: "license",
        metadata: {},
        data: { seats: sequence, ratio: 0.5 },
        created_at: "2026-03-01T10:00:00.000Z",
        ip_address: "203.0.113.9"
      },
      ["/ip_address"],
      [new Uint8Array(16).fill(sequence)],
      sha256
    )
    const served = { ...EventRecord.disclose(leaf, personal), previous_hash: previous, hash: "" }
    previous = EventRecord.servedHash(served, previous, sha256)
    feed.push({ ...served, hash: previous })
  }
  return feed
}

const feed = makeFeed(6)
const verdictOf = (events: Iterable<unknown>) => verifyChain(events, { sha256 })
const assertFault = (events: Iterable<unknown>, sequence: number, fault: string) => {
  const verdict = verdictOf(events)
  assert.isFalse(verdict.ok)
  if (!verdict.ok) assert.deepStrictEqual([verdict.sequence, verdict.fault], [sequence, fault])
}
const edit = (index: number, change: object): Array<unknown> => feed.with(index, { ...feed[index]!, ...change })

const renumbered = (events: ReadonlyArray<ServedEvent>, by: number): ReadonlyArray<ServedEvent> =>
  events.map((event) => Object.assign({}, event, { sequence: event.sequence + by }))

describe("verifyChain", () => {
  it("accepts a feed as served, after parsing, after an erasure, and in parts", () => {
    const end = { ok: true, next: { sequence: 7, previousHash: feed[5]!.hash, beforeHash: feed[4]!.hash } }
    assert.deepStrictEqual(verdictOf(feed), end as never)
    assert.deepStrictEqual(verdictOf(feed.map((event) => JSON.parse(JSON.stringify(event)))), end as never)
    const { ip_address: _ip, salts: _salts, ...erased } = feed[2]!
    assert.deepStrictEqual(verdictOf(feed.with(2, erased)), end as never)
    const half = verdictOf(feed.slice(0, 3))
    assert.isTrue(half.ok)
    if (half.ok) assert.deepStrictEqual(verifyChain(feed.slice(3), { sha256, from: half.next }), end as never)
    assert.deepStrictEqual(verdictOf([]), { ok: true, next: chainStart })
  })

  it("names the first event whose content changed, whichever member it is", () => {
    const changes = {
      id: "evt_x",
      event_type: "license.revoked",
      actor_type: "system",
      actor_id: "lic_2",
      resource_type: "device",
      resource_id: "added",
      metadata: { added: 1 },
      data: { seats: 3, ratio: 0.25 },
      request_id: "added",
      created_at: "2026-03-01T10:00:00.001Z",
      commitments: {},
      previous_hash: feed[3]!.hash,
      hash: feed[3]!.hash,
      sequence: 9,
      added: true
    }
    for (const [name, value] of Object.entries(changes)) assertFault(edit(2, { [name]: value }), 3, "altered")
    assertFault(edit(2, { sequence: 1 }), 3, "altered")
    assertFault(edit(2, { sequence: "3" }), 3, "altered")
    for (const wrong of [null, 3, {}, { sequence: 3 }]) assertFault(feed.with(2, wrong as never), 3, "altered")
  })

  it("sees an altered event whose own hash was computed again", () => {
    const forged = { ...feed[2]!, actor_id: "lic_2" }
    const rehashed = { ...forged, hash: EventRecord.servedHash(forged, forged.previous_hash, sha256) }
    assertFault(feed.with(2, rehashed), 3, "altered")
    const first = { ...feed[0]!, actor_id: "lic_2" }
    assertFault(
      feed.with(0, { ...first, hash: EventRecord.servedHash(first, first.previous_hash, sha256) }),
      1,
      "altered"
    )
  })

  it("sees an event that was put in, with the right hash, and those after it numbered anew", () => {
    const forged = { ...feed[2]!, id: "evt_forged" }
    const rehashed = { ...forged, hash: EventRecord.servedHash(forged, forged.previous_hash, sha256) }
    const shifted = renumbered(feed.slice(2), 1)
    assertFault([feed[0], feed[1], rehashed, ...shifted], 3, "inserted")
    assertFault([feed[0], feed[1], rehashed, ...feed.slice(2)], 3, "inserted")
  })

  it("sees an event that was taken out, and those after it numbered anew", () => {
    const shifted = renumbered(feed.slice(3), -1)
    assertFault([feed[0], feed[1], ...shifted], 3, "altered")
  })

  it("sees what is missing, out of order or put in", () => {
    assertFault(feed.toSpliced(2, 1), 3, "missing")
    assertFault(feed.slice(1), 1, "missing")
    assertFault([feed[0], feed[2], feed[1], feed[3]], 2, "reordered")
    assertFault([...feed.slice(1), feed[0]], 1, "reordered")
    assertFault([feed[0], feed[1], feed[1], feed[2]], 2, "inserted")
  })

  it("sees a personal value that was changed, and one that was never committed to", () => {
    assertFault(edit(3, { ip_address: "203.0.113.10" }), 4, "commitment_mismatch")
    assertFault(edit(3, { salts: {} }), 4, "commitment_mismatch")
    const { commitments: _commitments, ...uncommitted } = feed[3]!
    assertFault(feed.with(3, uncommitted as ServedEvent), 4, "altered")
    assertFault(edit(3, { commitments: { "/id": "x" } }), 4, "altered")
  })

  it("can be done an event at a time", () => {
    let position = chainStart
    for (const event of feed) {
      const verdict = verifyLink(event, position, sha256)
      assert.isTrue(verdict.ok)
      if (verdict.ok) position = verdict.next
    }
    assert.strictEqual(position.previousHash, feed[5]!.hash)
  })
})
