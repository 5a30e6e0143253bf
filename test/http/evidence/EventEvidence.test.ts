import { assert, beforeAll, describe, it } from "@effect/vitest"
import { createHash, createPublicKey, verify } from "node:crypto"
import type { PublicKey } from "../../../src/client/verify/index.ts"
import {
  followLogKeys,
  verifyCheckpoint,
  verifyEvents,
  verifyLicenseChain,
  verifyReceipt
} from "../../../src/client/verify/index.ts"
import { verifyConsistency, verifyInclusion } from "../../../src/domain/evidence/transparency/MerkleTree.ts"
import { servedHash, servedLeafHash, servedLeafText } from "../../../src/domain/log/EventLeaf.ts"
import { makeHistory } from "../../fixtures/History.ts"
import { sha256 } from "../../fixtures/NaiveTree.ts"
import { soldUnder } from "../../fixtures/Plans.ts"
import type { Service } from "../../fixtures/Service.ts"
import { refused, startService } from "../../fixtures/Service.ts"
import type { Body, Session } from "../../fixtures/Session.ts"
import { eventually, session } from "../../fixtures/Session.ts"
import { readTlog } from "../../fixtures/TlogReader.ts"

let service: Service
let inspect: Session
let keys: ReadonlyArray<PublicKey>
const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, "hex"))

const get = async (path: string): Promise<Body> => service.data("GET", `/api/v1/events/${path}`)

/** The latest checkpoint, once it covers everything that has happened. */
const checkpoint = async (): Promise<Body> => {
  const { sequence } = (await service.feed()).at(-1)
  return eventually("a checkpoint covers the feed", async () => {
    const latest = await service.call("GET", "/api/v1/events/checkpoint")
    return latest.status === 200 && latest.body.data.tree_size >= sequence ? latest.body.data : undefined
  })
}

beforeAll(async () => {
  service = await startService()
  inspect = await session(service.databaseUrl)
  await makeHistory(service)
  keys = await service.data("GET", "/api/v1/system/public-keys")
})

describe("the checkpoint", () => {
  it("is signed about a second after new events, and verifies with the feed and the public keys alone", async () => {
    const latest = await checkpoint()
    assert.match(latest.origin, /^127\.0\.0\.1:\d+\/events\/[0-9a-f]{16}$/)
    const [origin, size, root] = latest.note.split("\n")
    assert.deepStrictEqual([origin, size], [latest.origin, String(latest.tree_size)])
    assert.strictEqual(Buffer.from(root, "base64").toString("hex"), latest.root_hash)
    // Something that the history set going may have happened since.
    const covered = (await service.feed()).filter(({ sequence }) => sequence <= latest.tree_size)
    const lines = [...covered, { checkpoint: latest }]
    const verdict = await verifyEvents({ lines, publicKeys: keys })
    assert.isTrue(verdict.ok, JSON.stringify(verdict))
    if (!verdict.ok) return
    assert.strictEqual(verdict.events, latest.tree_size)
    assert.deepInclude(verdict.checkpoints[0], { kid: latest.kid, time: latest.created_at })
  })

  it("is a signed note as golang.org/x/mod/sumdb/note and C2SP tlog-cosignature word it", async () => {
    const { note, origin } = await checkpoint()
    const end = (note as string).lastIndexOf("\n\n")
    const [text, block] = [note.slice(0, end + 1), note.slice(end + 2)]
    assert.isTrue(block.endsWith("\n"))
    const found = (block as string).slice(0, -1).split("\n").map((line) => {
      const [, name, encoded] = /^\u2014 ([^\s+]+) ([A-Za-z0-9+/]+=*)$/.exec(line) ?? assert.fail(line)
      const bytes = Buffer.from(encoded!, "base64")
      assert.strictEqual(name, origin)
      for (const { public_key } of keys) {
        const raw = Buffer.from(public_key, "base64")
        const jwk = { kty: "OKP", crv: "Ed25519", x: raw.toString("base64url") }
        const key = createPublicKey({ key: jwk, format: "jwk" })
        const keyId = (type: number) => {
          const hash = createHash("sha256").update(`${name}\n`).update(Uint8Array.of(type)).update(raw)
          return hash.digest().subarray(0, 4)
        }
        if (keyId(1).equals(bytes.subarray(0, 4))) return verify(null, Buffer.from(text), key, bytes.subarray(4))
        if (!keyId(4).equals(bytes.subarray(0, 4))) continue
        const signed = `cosignature/v1\ntime ${bytes.readBigUInt64BE(4)}\n${text}`
        return verify(null, Buffer.from(signed), key, bytes.subarray(12))
      }
      return assert.fail("no published key has this id")
    })
    // Two of the active key, and two of the one before it.
    assert.deepStrictEqual(found, [true, true, true, true])
  })

  it("by size is the first that covers it", async () => {
    const latest = await checkpoint()
    assert.deepStrictEqual(await get(`checkpoint?size=${latest.tree_size}`), latest)
    const first = await get("checkpoint?size=1")
    assert.isAtLeast(first.tree_size, 1)
    assert.deepStrictEqual(await get(`checkpoint?size=${first.tree_size}`), first)
    refused(await service.call("GET", `/api/v1/events/checkpoint?size=${latest.tree_size + 1000}`), 404, "NOT_FOUND")
    for (const wrong of ["0", "-1", "1.5", "x", ""]) {
      refused(await service.call("GET", `/api/v1/events/checkpoint?size=${wrong}`), 400, "INVALID_QUERY")
    }
  })

  it("keeps its origin when the service is started again at another address", async () => {
    const { origin } = await checkpoint()
    await service.stop()
    await service.start()
    await service.data("POST", "/api/v1/products", { name: "Again", code: "again" })
    assert.strictEqual((await checkpoint()).origin, origin)
  })
})

describe("the proofs", () => {
  it("of inclusion: every event is in the latest checkpoint and in the first that covered it", async () => {
    const latest = await checkpoint()
    const events = await service.feed()
    for (const event of events.filter((_, index) => index % 10 === 0 || index > events.length - 4)) {
      const early = await get(`checkpoint?size=${event.sequence}`)
      for (const [query, size] of [["", latest.tree_size], [`?size=${early.tree_size}`, early.tree_size]] as const) {
        const proof = await get(`${event.id}/proof${query}`)
        assert.deepInclude(proof, { event_id: event.id, sequence: event.sequence, leaf_index: event.sequence - 1 })
        assert.strictEqual(proof.tree_size, size)
        assert.strictEqual(proof.root_hash, proof.checkpoint.root_hash)
        // C2SP tlog-proof: the very path, in base64, and the note with all of its signatures.
        const [path, note] = proof.tlog_proof.split(/\n\n([^]*)/)
        const hashes = proof.hashes.map((hash: string) => Buffer.from(hash, "hex").toString("base64"))
        const extra = `extra ${Buffer.from(servedLeafText(event)).toString("base64")}`
        const index = `index ${proof.leaf_index}`
        assert.deepStrictEqual(path.split("\n"), ["c2sp.org/tlog-proof@v1", extra, index, ...hashes])
        assert.strictEqual(note, proof.checkpoint.note)
        assert.strictEqual(proof.leaf_hash, Buffer.from(servedLeafHash(event, sha256)).toString("hex"))
        assert.isTrue(verifyInclusion({
          leafHash: servedLeafHash(event, sha256),
          index: proof.leaf_index,
          size: proof.tree_size,
          root: bytes(proof.root_hash),
          hashes: proof.hashes.map(bytes)
        }, sha256))
      }
    }
    // A size between checkpoints can be proven too; nothing signed vouches for its root.
    const last = await get(`${events[0].id}/proof?size=2`)
    assert.strictEqual(last.hashes.length, 1)
    assert.isUndefined(last.tlog_proof)
  })

  it("of consistency: each checkpoint begins every later one", async () => {
    const latest = await checkpoint()
    const sizes = (await inspect.query("SELECT tree_size::int AS size FROM event_checkpoints ORDER BY 1"))
      .map(({ size }) => size as number)
    assert.isAtLeast(sizes.length, 2)
    for (const from of sizes) {
      const [proof, before] = [await get(`consistency?from=${from}`), await get(`checkpoint?size=${from}`)]
      assert.deepInclude(proof, { from, to: latest.tree_size, to_root_hash: latest.root_hash })
      assert.strictEqual(proof.from_root_hash, before.root_hash)
      assert.isTrue(verifyConsistency({
        first: from,
        firstRoot: bytes(before.root_hash),
        second: proof.to,
        secondRoot: bytes(latest.root_hash),
        hashes: proof.hashes.map(bytes)
      }, sha256))
    }
    assert.strictEqual((await get("consistency?from=3&to=7")).to, 7)
  })

  it("are refused for what is not there", async () => {
    const { tree_size } = await checkpoint()
    const events = await service.feed()
    const path = `/api/v1/events/${events[9].id}/proof`
    refused(await service.call("GET", "/api/v1/events/evt_none/proof"), 404, "NOT_FOUND")
    refused(await service.call("GET", `${path}?size=9`), 400, "INVALID_QUERY")
    refused(await service.call("GET", `${path}?size=${tree_size + 1000}`), 400, "INVALID_QUERY")
    for (const query of ["", "?from=0", "?from=9&to=8", `?from=1&to=${tree_size + 1000}`, "?from=1&size=3"]) {
      refused(await service.call("GET", `/api/v1/events/consistency${query}`), 400, "INVALID_QUERY")
    }
  })

  it("need the scope of the feed", async () => {
    const reader = await service.data("POST", "/api/v1/api-keys", { name: "auditor", scopes: ["event:read"] })
    const other = await service.data("POST", "/api/v1/api-keys", { name: "other", scopes: ["license:read"] })
    await checkpoint()
    for (const path of ["checkpoint", "consistency?from=1", `${(await service.feed())[0].id}/proof`]) {
      const answer = await service.call("GET", `/api/v1/events/${path}`, { token: reader.token })
      assert.strictEqual(answer.status, 200, answer.text)
      const denied = await service.call("GET", `/api/v1/events/${path}`, { token: other.token })
      refused(denied, 403, "TOKEN_SCOPE_DENIED")
    }
  })

  it("wait for a checkpoint that covers the event", async () => {
    const events = await service.feed()
    await checkpoint()
    await inspect.query("CREATE TABLE kept AS SELECT * FROM event_checkpoints")
    await inspect.query("DELETE FROM event_checkpoints WHERE tree_size > (SELECT min(tree_size) FROM kept)")
    const before = await service.call("GET", `/api/v1/events/${events.at(-1).id}/proof`)
    await inspect.query("INSERT INTO event_checkpoints SELECT * FROM kept ON CONFLICT DO NOTHING")
    // The signer may have come by in between.
    if (before.status !== 200) refused(before, 409, "STATE_CONFLICT")
    assert.strictEqual((await service.call("GET", `/api/v1/events/${events.at(-1).id}/proof`)).status, 200)
  })
})

describe("the chain of a license", () => {
  /** Every page of a license's chain, all proven in one checkpoint. */
  const read = async (license: string, limit: number) => {
    const pages: Array<Body> = []
    let more = ""
    do {
      const page = await get(`chain?license_id=${license}&limit=${limit}${more}`)
      pages.push(page)
      more = page.next_cursor === undefined ? "" : `&cursor=${page.next_cursor}&size=${pages[0]!.checkpoint.tree_size}`
    } while (more !== "")
    return pages
  }

  it("is read in pages with proofs, has the events of its devices and seats, and verifies without the others", async () => {
    const { tree_size } = await checkpoint()
    const feed = await service.feed()
    const licenses = new Set<string>(feed.flatMap(({ license_id }) => license_id ?? []))
    assert.isAbove(licenses.size, 2)
    const families = new Set<string>()
    for (const license of licenses) {
      const expected = feed.filter(({ license_id, sequence }) => license_id === license && sequence <= tree_size)
      for (const limit of [3, 200]) {
        const pages = await read(license, limit)
        const events = pages.flatMap((page) => page.events)
        const of = events.map(({ event }: Body) => event)
        assert.deepStrictEqual(of.filter(({ sequence }: Body) => sequence <= tree_size), expected)
        for (const { event_type } of of) families.add(event_type.slice(0, event_type.indexOf(".")))
        const { note } = pages[0]!.checkpoint
        const verdict = await verifyLicenseChain({ licenseId: license, events, note, publicKeys: keys, after: null })
        assert.isTrue(verdict.ok, JSON.stringify(verdict))
        if (events.length < 3) continue
        const without = events.filter((_, index) => index !== 1)
        assert.deepInclude(
          await verifyLicenseChain({ licenseId: license, events: without, note, publicKeys: keys, after: null }),
          { ok: false, fault: "missing", sequence: events[1].event.sequence }
        )
      }
      const filtered = await service.call("GET", `/api/v1/events?license_id=${license}&limit=200`)
      assert.deepStrictEqual(filtered.body.data.slice(0, expected.length), expected)
    }
    assert.includeMembers([...families], ["license", "device", "lease"])
  })

  it("is that of no license without events, and refuses what is no license or no size", async () => {
    const other = "/api/v1/events/chain?license_id=lic_06eqpx1trxz3h94vqjm3a6kz7c"
    refused(await service.call("GET", other), 404, "NOT_FOUND")
    refused(await service.call("GET", "/api/v1/events/chain"), 400, "INVALID_QUERY")
    const license = (await service.feed()).find(({ license_id }) => license_id !== undefined)!.license_id
    refused(await service.call("GET", `/api/v1/events/chain?license_id=${license}&size=999999999`), 404, "NOT_FOUND")
  })
})

describe("the receipt of a use", () => {
  const ask = (licenseKey: string, query: string, headers: Readonly<Record<string, string>> = {}) =>
    service.call("GET", `/api/v1/license/receipt${query}`, { licenseKey, headers })

  it("proves the use to the app that knows its key, whatever became of the license, and to nobody else", async () => {
    const { consume, feature, key, license, path } = await soldUnder(service, [{ max_consumptions: 9 }])
    const other = await soldUnder(service, [{ max_consumptions: 9 }])
    assert.strictEqual((await consume(2, service, "use-1")).status, 200)
    const nonce = "n-7f3a9c21d0"
    const { text } = await eventually("a checkpoint covers the use", async () => {
      const answer = await ask(key, "?event_id=use-1", { "x-nonce": nonce })
      if (answer.status === 200) return answer
      assert.strictEqual(refused(answer, 503, "UNAVAILABLE").detail, "no_checkpoint")
      assert.strictEqual(answer.headers["retry-after"], "1")
      return undefined
    })
    const expected = { licenseId: String(license.id), eventId: "use-1", nonce }
    const { checkpoint, event } = await verifyReceipt({ receipt: text, publicKeys: keys, expected })
    const of = (await service.feed()).find(({ event_type, license_id }) =>
      event_type === "license.usage_recorded" && license_id === license.id
    )
    assert.deepInclude(event, { id: of.id, sequence: of.sequence, data: of.data, created_at: of.created_at })
    // Personal values are commitments: the address that the app called from, and its salt, are not in the leaf.
    assert.notProperty(event, "ip_address")
    assert.notProperty(event, "salts")
    assert.isAtLeast(checkpoint.size, of.sequence)
    // The same as a text that a reader of the standard verifies by itself.
    assert.deepStrictEqual(JSON.parse(readTlog(JSON.parse(text).data.tlog_proof, keys).extra), event)
    refused(await ask(other.key, "?event_id=use-1"), 404, "NOT_FOUND")
    refused(await ask(key, "?event_id=use-2"), 404, "NOT_FOUND")
    refused(await ask(key, "?event_id=use-1&feature_code=none"), 404, "NOT_FOUND")
    refused(await ask("CS-00000-00000-00000-00000-00000", "?event_id=use-1"), 401, "LICENSE_KEY_INVALID")
    for (const query of ["", "?event_id=", `?event_id=${"x".repeat(129)}`, "?event_id=use-1&event=1"]) {
      refused(await ask(key, query), 400, "INVALID_QUERY")
    }
    refused(await ask(key, "?event_id=use-1", { "x-nonce": "short" }), 400, "INVALID_HEADER")
    // The same ID under a second feature: which one is meant must be said.
    const { product_id } = feature
    const second = await service.data("POST", `/api/v1/products/${product_id}/features`, { name: "B", code: "second" })
    await service.data("POST", `${path}/features`, { feature_id: second.id, max_consumptions: 3 })
    const more = { fingerprint: "a", feature_code: "second", event_id: "use-1", amount: 1 }
    assert.strictEqual((await service.license("consume", key, more)).status, 200)
    assert.strictEqual(refused(await ask(key, "?event_id=use-1"), 400, "INVALID_QUERY").detail, "feature_code")
    await service.data("POST", `${path}/revoke`, {})
    const named = await ask(key, "?event_id=use-1&feature_code=render")
    assert.strictEqual(named.body.data.feature_code, "render", named.text)
  })
})

describe("a rotated key", () => {
  it("is introduced in the log by the one before it, and followed from there by the proof of that alone", async () => {
    const before = await service.data("GET", "/api/v1/system/public-keys")
    const { kid } = await service.data("POST", "/api/v1/signing-keys/rotate", {})
    await checkpoint()
    const [event] = (await service.feed("&event_type=log.key_introduced")).slice(-1)
    assert.deepInclude(event, { resource_type: "log", resource_id: event.data.origin })
    assert.deepInclude(event.data, { kid, origin: event.data.origin })
    const { tree_size } = await get(`checkpoint?size=${event.sequence}`)
    const { tlog_proof } = await get(`${event.id}/proof?size=${tree_size}`)
    const { note, verifier_key } = await checkpoint()
    assert.strictEqual(event.data.verifier_key, verifier_key)
    const followed = await followLogKeys({ proofs: [tlog_proof], publicKeys: before })
    assert.isTrue(followed.ok, JSON.stringify(followed))
    const publicKeys = (followed.ok ? followed.publicKeys : []).filter((key) => key.kid === kid)
    assert.deepInclude(await verifyCheckpoint({ note, publicKeys }), { ok: true })
  })
})

describe("events that somebody changes in the database", () => {
  let latest: Body
  let events: Array<Body>

  beforeAll(async () => {
    // An early one, so that little has to be read each time. What the key signed that the history revokes no longer
    // verifies.
    latest = await get("checkpoint?size=30")
    while (!keys.some(({ kid }) => kid === latest["kid"])) {
      latest = await get(`checkpoint?size=${latest["tree_size"] + 1}`)
    }
    events = (await service.feed()).filter(({ sequence }) => sequence <= latest.tree_size)
    await inspect.query("CREATE TABLE saved_places AS TABLE event_places")
    await inspect.query("CREATE TABLE saved_records AS TABLE event_records")
  })

  /** What the verifier says of the feed as it is served after the statements; then everything is as it was. */
  const verdictAfter = async (...statements: ReadonlyArray<string>) => {
    try {
      for (const statement of statements) await inspect.query(statement)
      const { data } = (await service.call("GET", `/api/v1/events?limit=${Math.min(latest.tree_size, 200)}`)).body
      const served = data.filter(({ sequence }: Body) => sequence <= latest.tree_size)
      return await verifyEvents({ lines: [...served, { checkpoint: latest }], publicKeys: keys })
    } finally {
      await inspect.query("DELETE FROM event_places")
      await inspect.query("DELETE FROM event_records")
      await inspect.query("INSERT INTO event_places TABLE saved_places")
      await inspect.query("INSERT INTO event_records TABLE saved_records")
    }
  }

  const hashOf = (event: Body) => servedHash(event, event.previous_hash, sha256)
  const forged = () => {
    const event = { ...events[20], id: "evt_forged" }
    return { event, hash: hashOf(event) }
  }

  it("nothing changed", async () => {
    assert.deepInclude(await verdictAfter(), { ok: true, events: latest.tree_size })
  })

  const is21 = "ordinal = (SELECT ordinal FROM event_places WHERE sequence = 21)"
  /** Changes what both the place and the record say. */
  const both = (change: string) => `
    WITH placed AS (UPDATE event_places SET ${change} WHERE sequence = 21 RETURNING ordinal)
    UPDATE event_records SET ${change} WHERE ordinal = (SELECT ordinal FROM placed)`

  it.each(
    [
      ["altered", `UPDATE event_records SET data = '{"id":"another"}' WHERE ${is21}`],
      ["altered", `UPDATE event_records SET created_at = created_at + interval '1 ms' WHERE ${is21}`],
      ["altered", `UPDATE event_records SET metadata = '{"a":1}' WHERE ${is21}`],
      ["altered", `UPDATE event_records SET commitments = '{"/data/name":"x"}' WHERE ${is21}`],
      ["altered", `UPDATE event_records SET actor_id = 'somebody' WHERE ${is21}`],
      ["altered", `UPDATE event_records SET request_id = 'another' WHERE ${is21}`],
      ["altered", both("event_type = 'license.revoked'")],
      ["altered", both("resource_id = 'another'")],
      ["altered", both("actor_type = 'license'")],
      ["altered", both("id = 'evt_another'")],
      ["altered", `UPDATE event_places SET hash = decode(repeat('ab', 32), 'hex') WHERE sequence = 21`],
      ["altered", `UPDATE event_places SET previous_hash = decode(repeat('ab', 32), 'hex') WHERE sequence = 21`],
      // What is said twice and differs is taken for gone.
      ["missing", "UPDATE event_places SET event_type = 'license.revoked' WHERE sequence = 21"],
      ["missing", "UPDATE event_places SET resource_id = 'another' WHERE sequence = 21"],
      ["missing", "UPDATE event_places SET ordinal = -1 WHERE sequence = 21"],
      ["missing", `UPDATE event_records SET actor_type = 'license' WHERE ${is21}`],
      ["missing", `UPDATE event_records SET id = 'evt_another' WHERE ${is21}`],
      ["missing", `DELETE FROM event_records WHERE ${is21}`],
      ["missing", `DELETE FROM event_places WHERE sequence = 21`],
      ["missing", `DELETE FROM event_places WHERE sequence BETWEEN 21 AND 25`],
      ["truncated", `DELETE FROM event_places WHERE sequence >= 21`]
    ] as const
  )("%s: %s", async (fault, statement) => {
    assert.deepInclude(await verdictAfter(statement), { ok: false, fault, sequence: 21 })
  })

  it("altered, with its own hash made right again", async () => {
    const hash = hashOf({ ...events[20], actor_id: "somebody" })
    const statements = [
      `UPDATE event_records SET actor_id = 'somebody' WHERE ${is21}`,
      `UPDATE event_places SET hash = decode('${hash}', 'hex') WHERE sequence = 21`
    ]
    assert.deepInclude(await verdictAfter(...statements), { ok: false, fault: "altered", sequence: 21 })
  })

  it("a personal value changed", async () => {
    const verdict = await verdictAfter(`
      UPDATE event_records SET personal = jsonb_set(personal, '{/data/name,value}', '"Somebody else"')
      WHERE ordinal = (SELECT ordinal FROM events WHERE personal ? '/data/name' ORDER BY sequence LIMIT 1)`)
    const { sequence } = events.find(({ salts }) => salts?.["/data/name"] !== undefined)
    assert.deepInclude(verdict, { ok: false, fault: "commitment_mismatch", sequence })
  })

  it("reordered, by their numbers or with all that they say", async () => {
    const move = (from: number, to: number) => `UPDATE event_places SET sequence = ${to} WHERE sequence = ${from}`
    const swap = [move(21, 1_000_000), move(22, 21), move(1_000_000, 22)]
    assert.deepInclude(await verdictAfter(...swap), { ok: false, fault: "altered", sequence: 21 })
    const [a, b] = [events[20], events[21]]
    const chain = (sequence: number, of: Body) =>
      `UPDATE event_places SET previous_hash = decode('${of.previous_hash}', 'hex'), hash = decode('${of.hash}', 'hex')
       WHERE sequence = ${sequence}`
    const verdict = await verdictAfter(...swap, chain(21, a), chain(22, b))
    assert.deepInclude(verdict, { ok: false, fault: "altered", sequence: 21 })
  })

  it("removed, with those after it numbered anew", async () => {
    const verdict = await verdictAfter(
      "DELETE FROM event_places WHERE sequence = 21",
      "UPDATE event_places SET sequence = sequence + 1000000 WHERE sequence > 21",
      "UPDATE event_places SET sequence = sequence - 1000001 WHERE sequence > 1000000"
    )
    assert.deepInclude(verdict, { ok: false, fault: "altered", sequence: 21 })
  })

  it("inserted, with its hash right and those after it numbered anew", async () => {
    const verdict = await verdictAfter(
      "UPDATE event_places SET sequence = sequence + 1000000 WHERE sequence >= 21",
      "UPDATE event_places SET sequence = sequence - 999999 WHERE sequence > 1000000",
      `INSERT INTO event_records SELECT -1, created_at, 'evt_forged', event_type, actor_type, actor_id, resource_id,
         metadata, data, commitments, personal, request_id, traceparent FROM event_records
       WHERE ordinal = (SELECT ordinal FROM event_places WHERE sequence = 22)`,
      `INSERT INTO event_places SELECT 21, -1, 'evt_forged', event_type, resource_id, actor_type, previous_hash,
         decode('${forged().hash}', 'hex'), license_id, license_previous, license_previous_hash
       FROM event_places WHERE sequence = 22`
    )
    assert.deepInclude(verdict, { ok: false, fault: "inserted", sequence: 21 })
  })

  it("altered, with every hash after it made right again: the signed root does not know it", async () => {
    const statements: Array<string> = [`UPDATE event_records SET actor_id = 'somebody' WHERE ${is21}`]
    let previous = events[20].previous_hash
    for (const event of events.slice(20)) {
      const changed = event.sequence === 21 ? { ...event, actor_id: "somebody" } : event
      const hash = servedHash(changed, previous, sha256)
      statements.push(`
        UPDATE event_places SET previous_hash = decode('${previous}', 'hex'), hash = decode('${hash}', 'hex')
        WHERE sequence = ${event.sequence}`)
      previous = hash
    }
    assert.deepInclude(await verdictAfter(...statements), { ok: false, fault: "rewritten", sequence: 1 })
  })
})
