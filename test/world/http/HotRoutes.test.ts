import { assert, beforeAll, describe, it } from "@effect/vitest"
import { createHash, randomBytes, randomUUID } from "node:crypto"
import { request } from "node:http"
import { buffer } from "node:stream/consumers"
import { Api } from "../../../src/api/composition/Api.ts"
import { runtimeBodyLimit } from "../../../src/domain/ground/admission/DoorLimits.ts"
import { formatLicenseKey } from "../../../src/domain/keys/security/Credential.ts"
import { startCollector } from "../../fixtures/Collector.ts"
import type { CollectedSpan, Collector } from "../../fixtures/Collector.ts"
import { chance } from "../../fixtures/Seeded.ts"
import type { Issued, Service } from "../../fixtures/Service.ts"
import { startService } from "../../fixtures/Service.ts"
import { eventually, holdLicense, session } from "../../fixtures/Session.ts"

/**
 * A hot operation has one implementation and two ways to it: a request that has arrived whole goes past the server of
 * general requests, and one that arrives bit by bit does not. So every request is sent twice, with a content-length and
 * in chunks. But for ids, times and signatures, the answers must be the same.
 */

let service: Service
let issued: Issued
let suspended: Issued
const fingerprint = "b8e1c6f2d4"

beforeAll(async () => {
  service = await startService({
    environment: { COUNTERSIGN_LIMIT_FAILED_CREDENTIALS: "0" }
  })
  const made = async () => {
    const given = await service.issue({ policy: { max_floating_users: 3 } })
    const feature = await service.data("POST", `/api/v1/products/${given.product.id}/features`, {
      name: "f",
      code: "f"
    })
    await service.data("POST", `/api/v1/licenses/${given.license.id}/features`, { feature_id: feature.id })
    assert.strictEqual((await service.license("activate", given.key, { fingerprint })).status, 200)
    return given
  }
  issued = await made()
  suspended = await made()
  await service.data("POST", `/api/v1/licenses/${suspended.license.id}/suspend`)
})

type Headers = Readonly<Record<string, string | undefined>>

interface Sent {
  readonly status: number
  readonly headers: ReadonlyArray<readonly [string, string]>
  readonly text: string
}

const send = (
  operation: string,
  headers: Headers,
  body: string | Buffer,
  framing: "length" | "chunks",
  url = service.url
): Promise<Sent> =>
  new Promise((resolve, reject) => {
    const outgoing = request(`${url}/api/v1/license/${operation}`, {
      method: "POST",
      headers: {
        ...Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)),
        ...(framing === "length" ? { "content-length": Buffer.byteLength(body) } : { "transfer-encoding": "chunked" })
      }
    })
    outgoing.once("error", reject)
    outgoing.once("response", async (incoming) => {
      const { rawHeaders, statusCode = 0 } = incoming
      const names = rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase())
      resolve({
        status: statusCode,
        headers: names.map((name, index) => [name, rawHeaders[2 * index + 1]!]),
        text: (await buffer(incoming)).toString()
      })
    })
    outgoing.end(body)
  })

/** Only the order of the headers tells which way a request came. */
const isShort = ({ headers }: Sent): boolean => {
  const names = headers.map(([name]) => name)
  return names.indexOf("content-length") > names.indexOf("x-request-id")
}

const varying = new Set(["date", "x-request-id", "content-length"])

/** An answer without what is another each time. */
const comparable = ({ headers, status, text }: Sent) => ({
  status,
  headers: headers.filter(([name]) => !varying.has(name)).toSorted(([a], [b]) => a.localeCompare(b)),
  body: text
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, "<time>")
    .replace(/"value":"[^"]+"/, `"value":"<signature>"`)
    // A use has an id of its own each time.
    .replace(/"request_hash":"[0-9a-f]+"/, `"request_hash":"<hash>"`)
    .replace(/"request_id":"req_[^"]+"/, `"request_id":"<id>"`)
})

const authorized = (key: string): string => `License ${key}`

/** One header each that is not as usual; undefined leaves it out. */
const headersOf = (): ReadonlyArray<Headers> => [
  {},
  { authorization: undefined },
  { authorization: authorized(issued.key.toLowerCase()) },
  { authorization: `license  ${issued.key.replaceAll("0", "O")}` },
  { authorization: authorized(`${issued.key}X`) },
  { authorization: authorized(formatLicenseKey(randomBytes(15))) },
  { authorization: authorized(suspended.key) },
  { authorization: `Bearer ${issued.key}` },
  { authorization: "License" },
  { "content-type": undefined },
  { "content-type": "Application/JSON;charset=UTF-8" },
  { "content-type": "application/json; charset=latin1" },
  { "content-type": "text/plain" },
  { "x-nonce": "n-7f3a9c21d0" },
  { "x-nonce": "short" },
  { "x-nonce": "n-7f3a9c21d0<" },
  { "x-request-id": "mine-12345678" },
  { "x-request-id": "no good" },
  { "idempotency-key": undefined },
  { "idempotency-key": "with a space" },
  { "idempotency-key": "" },
  { "if-match": "\"of another resource\"" },
  { "content-encoding": "gzip" },
  { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" },
  { "x-forwarded-for": "203.0.113.7" }
]

const good = { fingerprint, hostname: "studio-07", os: "linux", app_version: "1.4.2" }

/** One body each that is not as usual. */
const bodies: ReadonlyArray<unknown> = [
  good,
  { ...good, nonce: "n-7f3a9c21d0" },
  { ...good, nonce: "short" },
  { ...good, unknown: 1, other: 2 },
  { ...good, app_version: "1.4.2<" },
  { ...good, app_version: 1 },
  { ...good, hostname: "x".repeat(256), os: "x".repeat(129) },
  { ...good, hostname: "a\u0000b" },
  { ...good, hostname: "\ud800" },
  { ...good, is_vm: true },
  { ...good, is_vm: "true" },
  { ...good, is_container: true },
  { ...good, is_container: true, pod_name: "p" },
  { ...good, product_code: "another" },
  { ...good, fingerprint: "  " },
  { ...good, fingerprint: "another device" },
  { ...good, fingerprint: null },
  {},
  [],
  null,
  Buffer.from(" "),
  Buffer.from("{"),
  Buffer.from(`\ufeff${JSON.stringify(good)}`),
  Buffer.from(`{"__proto__":{},"fingerprint":"${fingerprint}"}`),
  Buffer.from(`{"fingerprint":"x","fingerprint":"${fingerprint}"}`),
  Buffer.concat([
    Buffer.from(`{"fingerprint":"${fingerprint}","hostname":"`),
    Buffer.from([0xff, 0xc3]),
    Buffer.from(`"}`)
  ]),
  { ...good, hostname: "x".repeat(16 * 1024) }
]

const operations = {
  validate: () => ({}),
  check: () => ({}),
  // One use each, so that no answer is that to a repeat.
  consume: () => ({ feature_code: "f", event_id: randomUUID() })
}

const bytesOf = (body: unknown, more: object): string | Buffer =>
  Buffer.isBuffer(body)
    ? body
    : JSON.stringify(typeof body === "object" && body !== null && !Array.isArray(body) ? { ...body, ...more } : body)

const expectSame = async (operation: keyof typeof operations, headers: Headers, body: unknown): Promise<void> => {
  const answer = (framing: "length" | "chunks") =>
    send(
      operation,
      {
        authorization: authorized(issued.key),
        "content-type": "application/json",
        "idempotency-key": randomUUID(),
        ...headers
      },
      bytesOf(body, operations[operation]()),
      framing
    )
  const [whole, chunked] = [await answer("length"), await answer("chunks")]
  const what = `${operation} ${JSON.stringify(headers)} ${String(bytesOf(body, {})).slice(0, 200)}`
  assert.deepStrictEqual(comparable(whole), comparable(chunked), what)
  assert.isFalse(isShort(chunked), what)
  assert.strictEqual(
    isShort(whole),
    Buffer.byteLength(bytesOf(body, operations[operation]())) <= runtimeBodyLimit,
    what
  )
}

const hotEndpoints = [Api.groups.runtime, Api.groups.floating].flatMap(({ endpoints }) => Object.values(endpoints))

it.each(hotEndpoints.map(({ path }) => path.replace("/api/v1/license/", "")))(
  "%s has a hot route",
  async (operation) => {
    for (const framing of ["length", "chunks"] as const) {
      const answer = await send(operation, { "content-type": "application/json" }, "{}", framing)
      assert.strictEqual(JSON.parse(answer.text).error.code, "LICENSE_KEY_INVALID")
      assert.strictEqual(isShort(answer), framing === "length")
    }
  }
)

describe.each(Object.keys(operations) as Array<keyof typeof operations>)("%s in either framing", (operation) => {
  it("is answered the same, whatever the headers", async () => {
    for (const headers of headersOf()) await expectSame(operation, headers, good)
  })

  it("is answered the same, whatever the body", async () => {
    for (const body of bodies) await expectSame(operation, {}, body)
  })

  it("is answered the same, whatever is wrong together", async () => {
    const { upTo } = chance(`hot route of ${operation}`)
    const any = <A>(of: ReadonlyArray<A>): A => of[Math.trunc(upTo(of.length))]!
    for (let turn = 0; turn < 40; turn++) {
      await expectSame(operation, { ...any(headersOf()), ...any(headersOf()) }, any(bodies))
    }
  })
})

it("a heartbeat in either framing keeps the lease", async () => {
  const { data } = (await service.license("floating/checkout", issued.key, { fingerprint: "floating" })).body
  const headers = { authorization: authorized(issued.key), "content-type": "application/json" }
  const body = JSON.stringify({ lease_token: data.lease_token, nonce: "n-7f3a9c21d0" })
  // The second is answered the token of the first, because its own was replaced just now.
  const whole = await send("floating/heartbeat", headers, body, "length")
  const chunked = await send("floating/heartbeat", headers, body, "chunks")
  assert.deepStrictEqual(comparable(whole), comparable(chunked))
  assert.deepStrictEqual([whole, chunked].map(isShort), [true, false])
  assert.strictEqual(whole.status, 200)
})

it("a heartbeat that is not said to be JSON is refused afresh each time, and nothing of it is kept", async () => {
  const { data } = (await service.license("floating/checkout", issued.key, { fingerprint: "media" })).body
  const headers = {
    authorization: authorized(issued.key),
    "idempotency-key": randomUUID(),
    "content-type": "text/plain"
  }
  const body = JSON.stringify({ lease_token: data.lease_token })
  const idOf = ({ text }: Sent): string => JSON.parse(text).meta.request_id
  const refused = [
    await send("floating/heartbeat", headers, body, "length"),
    await send("floating/heartbeat", headers, body, "length"),
    await send("floating/heartbeat", headers, "lease", "chunks")
  ]
  for (const answer of refused) {
    assert.strictEqual(answer.status, 415)
    assert.strictEqual(JSON.parse(answer.text).error.code, "UNSUPPORTED_MEDIA_TYPE")
    const sent = new Map(answer.headers)
    assert.isFalse(sent.has("idempotency-replayed"))
    assert.strictEqual(idOf(answer), sent.get("x-request-id"))
  }
  assert.lengthOf(new Set(refused.map(idOf)), 3)
  const good = await send("floating/heartbeat", { ...headers, "content-type": "application/json" }, body, "length")
  assert.strictEqual(good.status, 200, good.text)
})

it("a stored answer to a body that does not decode is refused as the body is", async () => {
  const headers = { "idempotency-key": randomUUID() }
  const { data } = (await service.license("floating/checkout", issued.key, { fingerprint: "stored" })).body
  const sent = { lease_token: data.lease_token }
  assert.strictEqual((await service.license("floating/heartbeat", issued.key, sent, headers)).status, 200)
  const sql = await session(service.databaseUrl)
  const body = JSON.stringify({ lease_token: 1 })
  await sql.query("UPDATE idempotency_keys SET request_hash = $1 WHERE key = $2", [
    createHash("sha256").update(`POST /api/v1/license/floating/heartbeat\n${body}`).digest(),
    headers["idempotency-key"]
  ])
  const repeat = await service.license("floating/heartbeat", issued.key, { lease_token: 1 }, headers)
  assert.strictEqual(repeat.status, 422)
  assert.strictEqual(repeat.body.error.code, "VALIDATION_ERROR")
})

/** What a collector has of a request, once it has it: its span, and those of the work that was done for it. */
const traceOf = async ({ spans }: Collector, { headers }: Sent): Promise<ReadonlyArray<CollectedSpan>> => {
  const id = new Map(headers.map(([name, value]) => [name.toLowerCase(), value])).get("x-request-id")!
  const own = await eventually(
    `the span of ${id}`,
    () => spans.find(({ attributes }) => attributes["countersign.request_id"] === id)
  )
  const below = (span: CollectedSpan): ReadonlyArray<CollectedSpan> => {
    const children = spans.filter(({ parentSpanId, traceId }) =>
      traceId === span.traceId && parentSpanId === span.spanId
    )
    return [span, ...children.flatMap(below)]
  }
  return below(own)
}

/** A trace without what is another each time, and the place of the caller's trace that it goes on from. */
const comparableTrace = (trace: ReadonlyArray<CollectedSpan>, traceparent: string | undefined) => ({
  begins: traceparent === undefined
    ? trace[0]!.parentSpanId
    : `00-${trace[0]!.traceId}-${trace[0]!.parentSpanId}-01` === traceparent,
  spans: trace
    .map(({ attributes, kind, name, status }) => ({
      name,
      kind,
      status,
      attributes: { ...attributes, "countersign.request_id": "<id>" }
    }))
    .toSorted((a, b) => a.kind - b.kind || a.name.localeCompare(b.name))
})

describe("while traces leave", () => {
  it("a request leaves the same spans in either framing", async () => {
    const collector = await startCollector()
    const traced = await startService({
      environment: {
        COUNTERSIGN_LIMIT_FAILED_CREDENTIALS: "0",
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_BSP_SCHEDULE_DELAY: "100"
      }
    })
    const { key, license } = await traced.issue({ policy: { max_activations: 9 } })
    const sent: Array<readonly [what: string, whole: Sent, chunked: Sent, traceparent: string | undefined]> = []
    const both = async (operation: string, headers: Headers, body: unknown) => {
      const all = { authorization: authorized(key), "content-type": "application/json", ...headers }
      const answer = (framing: "length" | "chunks") =>
        send(
          operation,
          operation === "activate" ? { "idempotency-key": randomUUID(), ...all } : all,
          bytesOf(body, operation === "activate" ? { fingerprint: randomUUID() } : {}),
          framing,
          traced.url
        )
      const [whole, chunked] = [await answer("length"), await answer("chunks")]
      assert.deepStrictEqual([whole, chunked].map(isShort), [true, false])
      sent.push([`${operation} ${JSON.stringify(headers)}`, whole, chunked, headers["traceparent"]])
    }

    // What the first request of a service loads stands in its trace alone.
    assert.strictEqual((await traced.license("activate", key, good)).status, 200)
    assert.strictEqual((await traced.license("validate", key, good)).status, 200)
    await both("activate", {}, good)
    for (const headers of headersOf().filter((one) => !("authorization" in one))) await both("validate", headers, good)
    await both("validate", {}, good)
    await both("validate", { b3: "0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-1" }, good)
    await both("check", { authorization: authorized(formatLicenseKey(randomBytes(15))) }, good)
    await both("check", {}, { ...good, unknown: 1 })
    await traced.data("POST", `/api/v1/licenses/${license.id}/suspend`)
    await both("validate", {}, good)

    for (const [what, whole, chunked, traceparent] of sent) {
      assert.deepStrictEqual({ ...comparable(whole), body: "" }, { ...comparable(chunked), body: "" }, what)
      const [ofWhole, ofChunked] = [await traceOf(collector, whole), await traceOf(collector, chunked)]
      assert.deepStrictEqual(comparableTrace(ofWhole, traceparent), comparableTrace(ofChunked, traceparent), what)
    }
  })

  it("a request whose caller has left is told in the same way", async () => {
    const collector = await startCollector()
    const traced = await startService({
      environment: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: "100" }
    })
    const spans = []
    for (const framing of ["length", "chunks"]) {
      // Each waits for a license of its own: activations of one license wait for each other in memory, where nobody sees
      // whether the second has arrived.
      const { key, license } = await traced.issue()
      const holder = await holdLicense(traced.databaseUrl, license.id)
      const body = JSON.stringify({ fingerprint })
      const id = `leaves-by-${framing}`
      const outgoing = request(`${traced.url}/api/v1/license/activate`, {
        method: "POST",
        headers: {
          authorization: authorized(key),
          "content-type": "application/json",
          "idempotency-key": randomUUID(),
          "x-request-id": id,
          ...(framing === "length" ? { "content-length": Buffer.byteLength(body) } : { "transfer-encoding": "chunked" })
        }
      })
      outgoing.on("error", () => {})
      outgoing.end(body)
      await holder.blocked(1)
      outgoing.destroy()
      spans.push(
        await eventually(
          `the span of ${id}`,
          () => collector.spans.find(({ attributes }) => attributes["countersign.request_id"] === id)
        )
      )
      await holder.release()
    }
    const [whole, chunked] = spans.map((span) => comparableTrace([span], undefined))
    assert.deepStrictEqual(whole, chunked)
  })
})
