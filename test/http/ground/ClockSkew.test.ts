import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { verifyEnvelope, verifyOffline } from "../../../src/client/verify/index.ts"
import type { Issued, Service } from "../../fixtures/Service.ts"
import { refused, startService } from "../../fixtures/Service.ts"
import type { Session } from "../../fixtures/Session.ts"
import { session } from "../../fixtures/Session.ts"

const minute = 60_000

/** Loaded before the service: its clock is off by this many minutes. */
const preload = (minutes: number): string =>
  `--import=data:text/javascript,${
    encodeURIComponent(`
      const True = Date, shift = ${minutes * minute}
      globalThis.Date = class Date extends True {
        constructor(...given) { given.length === 0 ? super(True.now() + shift) : super(...given) }
        static now() { return True.now() + shift }
      }`)
  }`

let right: Service
/** Nodes whose clocks are an hour ahead and an hour behind. */
let wrong: ReadonlyArray<readonly [minutes: number, node: Service]>
let database: Session

beforeAll(async () => {
  right = await startService({ altered: ["api_key expires_at"] })
  database = await session(right.databaseUrl)
  wrong = await Promise.all([60, -60].map(async (minutes) =>
    [
      minutes,
      await startService({ databaseUrl: right.databaseUrl, environment: { NODE_OPTIONS: preload(minutes) } })
    ] as const
  ))
})

const fromNow = (minutes: number): string => new Date(Date.now() + minutes * minute).toISOString()

const isNear = (instant: string, expected: string): void =>
  assert.isBelow(Math.abs(Date.parse(instant) - Date.parse(expected)), minute, `${instant}, not ${expected}`)

const policy = { max_activations: 3, max_floating_users: 1, floating_timeout_minutes: 10 }

const passing = ({ license }: Issued, minutes: number) =>
  database.query("UPDATE leases SET expires_at = expires_at - make_interval(mins => $2::int) WHERE license_id = $1", [
    license.id,
    minutes
  ])

describe("a node whose clock is an hour off", () => {
  it("is off, or nothing below would show anything", async () => {
    for (const [minutes, node] of wrong) {
      const { body } = await node.call("GET", "/health", { token: null })
      isNear(body.meta.timestamp, fromNow(minutes))
    }
  })

  it("gives its objects ids of the database's time, and says that it is off", async () => {
    const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"
    // The first 48 bits of a UUIDv7 are Unix milliseconds, and ten characters of base32.
    const instantOf = (id: string) =>
      Array.from(id.split("_")[1]!.slice(0, 10)).reduce((sum, character) => sum * 32 + alphabet.indexOf(character), 0)
    const ids: Array<string> = []
    for (const [minutes, node] of [...wrong, ...wrong]) {
      for (const  of of[node, right]) {
        const from = Date.now()
        const { id } = await of.data("POST", "/api/v1/products", { name: "Clock", code: randomUUID() })
        assert.isAtLeast(instantOf(id), from - 1000)
        assert.isAtMost(instantOf(id), Date.now() + 1000)
        ids.push(id)
      }
      assert.match(
        node.logs(),
        new RegExp(`clock of this node is 3[56]\\d\\d\\.\\d s ${minutes > 0 ? "ahead" : "behind"}`)
      )
      const { text } = await node.call("GET", "/metrics")
      const offset = /^countersign_clock_offset_seconds(?:\{.*\})? (\S+)/m.exec(text)?.[1]
      assert.isBelow(Math.abs(Number(offset) - minutes * 60), 5)
    }
    assert.lengthOf(ids, 8)
  })

  it("judges licenses by the database's clock, and signs its instants", async () => {
    const serving = await right.issue({ policy, license: { starts_at: fromNow(-30), expires_at: fromNow(30) } })
    const expired = await right.issue({ policy, license: { starts_at: fromNow(-90), expires_at: fromNow(-30) } })
    const future = await right.issue({ policy, license: { starts_at: fromNow(30) } })
    const publicKeys = (await right.call("GET", "/api/v1/system/public-keys")).body.data
    for (const [, node] of wrong) {
      const answer = await node.license("activate", serving.key, { fingerprint: "a" })
      assert.strictEqual(answer.status, 200, answer.text)
      const { data } = answer.body
      assert.strictEqual(data.status, "active")
      isNear(data.issued_at, fromNow(0))
      isNear(data.valid_until, fromNow(30))
      await verifyEnvelope({ body: answer.text, publicKeys })
      assert.strictEqual((await node.data("GET", `/api/v1/licenses/${serving.license.id}`)).status, "active")
      refused(await node.license("activate", expired.key, { fingerprint: "a" }), 403, "LICENSE_EXPIRED")
      assert.strictEqual((await node.data("GET", `/api/v1/licenses/${expired.license.id}`)).status, "expired")
      refused(await node.license("activate", future.key, { fingerprint: "a" }), 403, "LICENSE_INACTIVE")
    }
  })

  it("keeps the time of floating seats with the others", async () => {
    for (const [, node] of wrong) {
      const issued = await right.issue({ policy })
      const out = await node.license("floating/checkout", issued.key, { fingerprint: "a" })
      isNear(out.body.data.lease_expires_at, fromNow(10))
      refused(
        await right.license("floating/checkout", issued.key, { fingerprint: "b" }),
        403,
        "FLOATING_LIMIT_EXCEEDED"
      )
      await passing(issued, 5)
      const beat = await node.license("floating/heartbeat", issued.key, { lease_token: out.body.data.lease_token })
      isNear(beat.body.data.lease_expires_at, fromNow(10))
      const { lease_token } = beat.body.data
      await passing(issued, 11)
      refused(await node.license("floating/heartbeat", issued.key, { lease_token }), 409, "LEASE_EXPIRED")
      const next = await right.license("floating/checkout", issued.key, { fingerprint: "b" })
      assert.strictEqual(next.status, 200, next.text)
      refused(await node.license("floating/checkout", issued.key, { fingerprint: "a" }), 403, "FLOATING_LIMIT_EXCEEDED")
    }
  })

  it("counts use, repeats answers and seals envelopes as the others do", async () => {
    const issued = await right.issue({ policy })
    const path = `/api/v1/licenses/${issued.license.id}/features`
    const made = await right.data("POST", `/api/v1/products/${issued.product.id}/features`, { name: "X", code: "x" })
    await right.data("POST", path, { feature_id: made.id, max_consumptions: 2, expires_at: fromNow(30) })
    const { device_id } = (await right.license("activate", issued.key, { fingerprint: "a" })).body.data
    const publicKeys = (await right.call("GET", "/api/v1/system/public-keys")).body.data
    for (const [, node] of wrong) {
      const body = { fingerprint: "a", feature_code: "x", event_id: randomUUID() }
      const headers = { "idempotency-key": randomUUID() }
      const first = await right.license("consume", issued.key, body, headers)
      assert.strictEqual(first.status, 200, first.text)
      assert.strictEqual((await node.license("consume", issued.key, body, headers)).text, first.text)
      assert.strictEqual((await node.license("consume", issued.key, body)).status, 200)
      const offline = await node.license("offline", issued.key, { fingerprint: "a" })
      const { data } = await verifyOffline({
        envelope: offline.body.data,
        licenseKey: issued.key,
        deviceId: device_id,
        publicKeys
      })
      isNear(String(data["issued_at"]), fromNow(0))
    }
    await right.data("POST", path, { feature_id: made.id, expires_at: fromNow(-30) })
    for (const [, node] of wrong) {
      const body = { fingerprint: "a", feature_code: "x", event_id: randomUUID() }
      refused(await node.license("consume", issued.key, body), 403, "FEATURE_NOT_ENTITLED")
    }
  })

  it("takes and refuses API keys as the others do", async () => {
    const make = async (minutes: number): Promise<string> =>
      (await right.data("POST", "/api/v1/api-keys", {
        name: "clock",
        scopes: ["product:read"],
        expires_at: fromNow(minutes)
      }))
        .token
    const token = await make(30)
    const old = await make(5)
    await database.query(
      "UPDATE management_keys SET expires_at = now() - interval '30 minutes' WHERE key_prefix = $1",
      [
        old.slice(0, 12)
      ]
    )
    for (const [, node] of wrong) {
      assert.strictEqual((await node.call("GET", "/api/v1/products", { token })).status, 200)
      refused(await node.call("GET", "/api/v1/products", { token: old }), 401, "TOKEN_EXPIRED")
    }
  })
})
