import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import type { Json, JsonObject } from "../../../src/domain/ground/wire/CanonicalJson.ts"
import { canonicalJson } from "../../../src/domain/ground/wire/CanonicalJson.ts"
import type { EventColumns, ServedEvent } from "../../../src/domain/log/EventLeaf.ts"
import * as EventRecord from "../../../src/domain/log/EventLeaf.ts"
import { sha256 } from "../../fixtures/NaiveTree.ts"

const wellFormed = (value: Json): Json => {
  if (typeof value === "string") return value.toWellFormed()
  if (value === null || typeof value !== "object") return value
  if (Array.isArray(value)) return value.map(wellFormed)
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name.toWellFormed(), wellFormed(item)]))
}

const text = Arbitrary.map(Arbitrary.schema(Schema.String), (value) => value.toWellFormed())
const anyObject = Arbitrary.map(
  Arbitrary.schema(Schema.Record(Schema.String, Schema.Json)),
  (value) => wellFormed(value) as JsonObject
)
const maybe = Arbitrary.flatMap(
  Arbitrary.schema(Schema.Boolean),
  (there) => there ? text : Arbitrary.Constant(undefined)
)
const columns = Arbitrary.all({
  id: text,
  sequence: Arbitrary.schema(Schema.Int.check(Schema.isGreaterThan(0))),
  event_type: text,
  actor_type: text,
  actor_id: text,
  resource_type: text,
  resource_id: maybe,
  metadata: anyObject,
  data: anyObject,
  request_id: maybe,
  created_at: text,
  commitments: Arbitrary.map(Arbitrary.array(Arbitrary.all([text, text]), { maxLength: 3 }), Object.fromEntries)
})

const salt = (fill: number) => new Uint8Array(16).fill(fill)

const event = {
  id: "evt_1",
  sequence: 1,
  event_type: "device.reset",
  actor_type: "api_key",
  actor_id: "key_1",
  resource_type: "device",
  resource_id: "dev_1",
  metadata: { "a/b~c": "personal", kept: 1 },
  data: { hostname: "ada-laptop", os: "linux", devices: [{ ip: "192.0.2.7" }] },
  created_at: "2026-03-01T10:00:00.000Z",
  ip_address: "203.0.113.9"
}
const pointers = ["/ip_address", "/data/hostname", "/data/devices/0/ip", "/metadata/a~1b~0c", "/data/absent"]
const salts = pointers.map((_, index) => salt(index))

/** The event as the feed would serve it as its first. */
const serve = (leaf: Omit<ServedEvent, "hash" | "previous_hash">): ServedEvent => {
  const served = { ...leaf, previous_hash: EventRecord.genesisHash, hash: "" }
  return { ...served, hash: EventRecord.servedHash(served, EventRecord.genesisHash, sha256) }
}

describe("leafText", () => {
  it.prop("is the canonical JSON of the leaf", [columns], ([{ commitments, ...row }]) => {
    const leaf = { ...row, ...(Object.keys(commitments).length > 0 ? { commitments } : {}) }
    const stored: EventColumns = {
      ...row,
      environment: "live",
      commitments,
      data: canonicalJson(row.data),
      metadata: canonicalJson(row.metadata)
    }
    assert.strictEqual(EventRecord.leafText(stored), canonicalJson(leaf))
    assert.strictEqual(canonicalJson(EventRecord.leafOf(stored)), canonicalJson(leaf))
  })

  it("takes rows as the database gives them", () => {
    const row = {
      id: "evt_1",
      sequence: 7n,
      event_type: "product.created",
      actor_type: "system",
      actor_id: "system",
      resource_type: "product",
      resource_id: null,
      metadata: "{}",
      data: "{}",
      environment: "live" as const,
      request_id: null,
      created_at: "2026-03-01T10:00:00.000Z",
      commitments: null,
      license_id: null,
      license_previous: null,
      license_previous_hash: null
    }
    assert.strictEqual(
      EventRecord.leafText(row),
      `{"actor_id":"system","actor_type":"system","created_at":"2026-03-01T10:00:00.000Z","data":{},` +
        `"event_type":"product.created","id":"evt_1","metadata":{},"resource_type":"product","sequence":7}`
    )
    const license = { license_id: "lic_1", license_previous: 5n, license_previous_hash: new Uint8Array(32).fill(9) }
    const link = `{"hash":"${"09".repeat(32)}","sequence":5}`
    assert.include(
      EventRecord.leafText({ ...row, ...license, request_id: "req_1" }),
      `"id":"evt_1","license_id":"lic_1","metadata":{},"previous_of_license":${link},"request_id":"req_1"`
    )
    assert.include(
      EventRecord.leafText({ ...row, ...license, license_previous: 0n, license_previous_hash: null }),
      `"license_id":"lic_1","metadata":{},"previous_of_license":{"hash":"${
        "0".repeat(64)
      }","sequence":0},"resource_type"`
    )
  })
})

describe("the hashes", () => {
  it("are those of RFC 6962 and of the chain, computed by hand", () => {
    const digest = (...parts: ReadonlyArray<Uint8Array>) => sha256(Buffer.concat(parts))
    const leaf = digest(Buffer.of(0), Buffer.from(`{"é":1}`))
    assert.deepStrictEqual(EventRecord.leafHash(`{"é":1}`, sha256), leaf)
    const previous = new Uint8Array(32).fill(9)
    assert.deepStrictEqual(EventRecord.chainHash(previous, leaf, sha256), digest(previous, leaf))
    assert.strictEqual(
      EventRecord.commitment(salt(3), "é", sha256),
      Buffer.from(digest(salt(3), Buffer.from(`"é"`))).toString("base64")
    )
  })
})

describe("withhold and disclose", () => {
  it("replace personal values by commitments and put them back", () => {
    const { leaf, personal } = EventRecord.withhold(event, pointers, salts, sha256)
    assert.notMatch(canonicalJson(leaf), /203\.0|ada-laptop|192\.0|personal/)
    assert.deepStrictEqual<JsonObject>(leaf.data, { os: "linux", devices: [{}] })
    assert.deepStrictEqual(Object.keys(leaf.commitments!).toSorted(), pointers.slice(0, 4).toSorted())
    assert.strictEqual(leaf.commitments!["/data/hostname"], EventRecord.commitment(salt(1), "ada-laptop", sha256))

    const disclosed = EventRecord.disclose(leaf, personal)
    const { commitments: _commitments, salts: shown, ...content } = disclosed
    assert.deepStrictEqual(content, event)
    assert.strictEqual(shown!["/data/hostname"], Buffer.from(salt(1)).toString("base64"))
    // The event that came in is untouched.
    assert.strictEqual(event.data.devices[0]!.ip, "192.0.2.7")
  })

  it("leave the leaf as it was when there is nothing personal", () => {
    const { ip_address: _ip, ...bare } = event
    const { leaf, personal } = EventRecord.withhold(bare, ["/ip_address"], [salt(0)], sha256)
    assert.deepStrictEqual(leaf, bare)
    assert.deepStrictEqual(personal, {})
    assert.deepStrictEqual(EventRecord.disclose(leaf, null), bare)
  })

  it("open every commitment, before and after an erasure, with the same leaf", () => {
    const { leaf, personal } = EventRecord.withhold(event, pointers, salts, sha256)
    const served = serve(EventRecord.disclose(leaf, personal))
    assert.isUndefined(EventRecord.unopenedCommitment(served, sha256))
    const { "/data/hostname": _erased, ...left } = personal
    for (const remaining of [left, {}]) {
      const after = serve(EventRecord.disclose(leaf, remaining))
      assert.strictEqual(after.hash, served.hash)
      assert.strictEqual(EventRecord.servedLeafText(after), canonicalJson(leaf))
      assert.isUndefined(EventRecord.unopenedCommitment(after, sha256))
    }
  })

  it("show a value or a salt that is changed, added, or left without the other", () => {
    const { leaf, personal } = EventRecord.withhold(event, pointers, salts, sha256)
    const served = serve(EventRecord.disclose(leaf, personal))
    const { "/ip_address": ipSalt, ...otherSalts } = served.salts!
    const { ip_address: _ip, ...withoutIp } = served
    const cases: ReadonlyArray<readonly [ServedEvent, string]> = [
      [{ ...served, ip_address: "203.0.113.10" }, "/ip_address"],
      [{ ...served, salts: otherSalts }, "/ip_address"],
      [withoutIp, "/ip_address"],
      [{ ...served, salts: { ...otherSalts, "/ip_address": "!" } }, "/ip_address"],
      [{ ...served, salts: { ...otherSalts, "/ip_address": Buffer.from(salt(9)).toString("base64") } }, "/ip_address"],
      [{ ...served, salts: { ...served.salts, "/data/os": ipSalt! } }, "/data/os"]
    ]
    for (const [tampered, pointer] of cases) {
      assert.strictEqual(EventRecord.servedLeafText(tampered), EventRecord.servedLeafText(served))
      assert.strictEqual(EventRecord.unopenedCommitment(tampered, sha256), pointer)
    }
  })

  it("refuse pointers that hold no personal data, overlap, or miss a salt, and an address in the leaf", () => {
    const refuse = (list: ReadonlyArray<string>, given = list.map(() => salt(0))) => {
      assert.throws(
        () => EventRecord.withhold(event, ["/ip_address", ...list], [salt(1), ...given], sha256),
        RangeError
      )
    }
    for (const pointer of ["", "/", "/id", "/sequence", "/data", "/data/", "/metadata", "/datax/y", "ip_address"]) {
      refuse([pointer])
    }
    refuse(["/data/__proto__/x"])
    refuse(["/data/devices", "/data/devices/0/ip"])
    refuse(["/data/devices/0/ip", "/data/devices"])
    refuse(["/data/hostname", "/data/hostname"])
    refuse(["/data/devices/0"])
    refuse(["/data/hostname"], [])
    refuse(["/data/hostname"], [new Uint8Array(15)])
    assert.throws(() => EventRecord.withhold(event, [], [], sha256), RangeError)
    assert.throws(() => EventRecord.disclose({}, { "/id": { salt: "", value: 1 } }), RangeError)
  })
})

describe("deliveryBody", () => {
  it.prop("is the canonical JSON of the body", [columns], ([row]) => {
    assert.strictEqual(
      EventRecord.deliveryBody({ ...row, environment: "live", epoch: 2, data: canonicalJson(row.data) }),
      canonicalJson({
        id: row.id,
        type: row.event_type,
        event_type: row.event_type,
        sequence: row.sequence,
        epoch: 2,
        created_at: row.created_at,
        data: row.data
      })
    )
  })

  it("shows the personal values of the data that are left, and no others", () => {
    const { leaf, personal } = EventRecord.withhold(event, pointers, salts, sha256)
    const row = { ...leaf, data: canonicalJson(leaf.data) }
    const body = EventRecord.deliveryBody({ ...row, environment: "live", epoch: 1 }, personal)
    assert.strictEqual(canonicalJson(JSON.parse(body)), body)
    assert.deepStrictEqual(JSON.parse(body), {
      id: "evt_1",
      type: "device.reset",
      event_type: "device.reset",
      sequence: 1,
      epoch: 1,
      created_at: event.created_at,
      data: event.data
    })
    assert.deepStrictEqual(JSON.parse(EventRecord.deliveryBody({ ...row, environment: "live", epoch: 1 }, {})).data, {
      os: "linux",
      devices: [{}]
    })
  })
})
