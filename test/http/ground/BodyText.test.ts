import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { gzipSync } from "node:zlib"
import type { Answer, Issued, Service } from "../../fixtures/Service.ts"
import { refused, startService } from "../../fixtures/Service.ts"

/** What is stored is what was sent: what a reader of bytes, of text or of JSON would change is refused. */

let service: Service
let issued: Issued

beforeAll(async () => {
  service = await startService()
  issued = await service.issue()
})

const json = { "content-type": "application/json" }

interface Door {
  readonly name: string
  readonly send: (raw: string | Uint8Array, headers?: Readonly<Record<string, string>>) => Promise<Answer>
  /** A body with a text in it, as bytes of the encoding. */
  readonly body: (text: Uint8Array) => Uint8Array
}

const around = (before: string, text: Uint8Array, after: string): Uint8Array =>
  Buffer.concat([Buffer.from(before), text, Buffer.from(after)])

const doors: ReadonlyArray<Door> = [
  {
    name: "management",
    send: (raw, headers = {}) => service.call("POST", "/api/v1/products", { raw, headers: { ...json, ...headers } }),
    body: (text) => around(`{"code":"${randomUUID()}","name":"`, text, "\"}")
  },
  {
    name: "apps, on a hot route",
    send: (raw, headers = {}) =>
      service.call("POST", "/api/v1/license/activate", {
        licenseKey: issued.key,
        raw,
        headers: { ...json, "idempotency-key": randomUUID(), ...headers }
      }),
    body: (text) => around("{\"fingerprint\":\"f\",\"hostname\":\"", text, "\"}")
  },
  {
    name: "apps, in chunks",
    send: (raw, headers = {}) =>
      service.call("POST", "/api/v1/license/activate", {
        licenseKey: issued.key,
        raw,
        headers: { ...json, "idempotency-key": randomUUID(), "transfer-encoding": "chunked", ...headers }
      }),
    body: (text) => around("{\"fingerprint\":\"f\",\"hostname\":\"", text, "\"}")
  }
]

describe.each(doors)("a body for $name", ({ body, send }) => {
  const windows1252 = Buffer.from([0x5a, 0x6f, 0xeb])

  it("that is not UTF-8 is refused, and the byte is named", async () => {
    const raw = body(windows1252)
    const { message } = refused(await send(raw), 400, "INVALID_JSON")
    assert.include(message, `byte ${raw.indexOf(0xeb)}, counted from 0, is 0xEB`)
    // Whoever repeats it is told the same.
    refused(await send(raw, { "idempotency-key": randomUUID() }), 400, "INVALID_JSON")
  })

  it("may hold the character that stands for what could not be read", async () => {
    const answer = await send(body(Buffer.from("a\ufffd")))
    assert.isBelow(answer.status, 300, answer.text)
  })

  it("is in UTF-8, whatever its header says", async () => {
    const raw = body(Buffer.from("Zoë"))
    for (const charset of ["utf-16", "utf-16le", "iso-8859-1", "windows-1252"]) {
      refused(
        await send(raw, { "content-type": `application/json; charset=${charset}` }),
        415,
        "UNSUPPORTED_MEDIA_TYPE"
      )
    }
    for (const charset of ["utf-8", "UTF8", "\"utf-8\"", "us-ascii"]) {
      const answer = await send(body(Buffer.from("Zoë")), { "content-type": `application/json; charset=${charset}` })
      assert.isBelow(answer.status, 300, answer.text)
    }
  })

  it("may begin with a byte order mark, which is passed over", async () => {
    const mark = Buffer.from([0xef, 0xbb, 0xbf])
    const answer = await send(Buffer.concat([mark, body(Buffer.from("a"))]))
    assert.isBelow(answer.status, 300, answer.text)
    // One is passed over: a second is of the JSON, which begins with none.
    refused(await send(Buffer.concat([mark, mark, body(Buffer.from("a"))])), 400, "INVALID_JSON")
  })

  it("that is not said to be JSON is refused afresh each time, and its Idempotency-Key stays free", async () => {
    const key = { "idempotency-key": randomUUID() }
    const raw = body(Buffer.from("a"))
    const idOf = (answer: Answer): string => answer.body.meta.request_id
    const first = await send(raw, { ...key, "content-type": "text/plain" })
    const second = await send(raw, { ...key, "content-type": "text/plain" })
    for (const answer of [first, second]) {
      refused(answer, 415, "UNSUPPORTED_MEDIA_TYPE")
      assert.notProperty(answer.headers, "idempotency-replayed")
    }
    assert.notStrictEqual(idOf(first), idOf(second))
    const sent = await send(raw, key)
    assert.isBelow(sent.status, 300, sent.text)
  })

  it("is not compressed", async () => {
    const { message } = refused(
      await send(gzipSync(body(Buffer.from("a"))), { "content-encoding": "gzip" }),
      415,
      "UNSUPPORTED_MEDIA_TYPE"
    )
    assert.include(message, "Content-Encoding")
    const answer = await send(body(Buffer.from("a")), { "content-encoding": "identity" })
    assert.isBelow(answer.status, 300, answer.text)
  })

  it("has each member once", async () => {
    const text = Buffer.from(body(Buffer.from("a"))).toString().replace(/\}$/, ",\"is_vm\":true,\"\\u0069s_vm\":false}")
    const { fields } = refused(await send(text), 422, "VALIDATION_ERROR")
    assert.lengthOf(fields, 1)
    assert.strictEqual(fields[0].path, "is_vm")
    assert.include(fields[0].message, "appears twice")
  })

  it("that is no JSON is told so, whatever else is wrong with it", async () => {
    const { message } = refused(await send("{\"a\":1e400,,"), 400, "INVALID_JSON")
    assert.include(message, "line 1, column 12")
  })
})

describe("numbers", () => {
  const made = (metadata: string) =>
    service.call("POST", "/api/v1/products", {
      raw: `{"name":"n","code":"${randomUUID()}","metadata":${metadata}}`,
      headers: json
    })

  it.each([
    ["{\"a\":{\"steam_id\":76561198000000001}}", "metadata.a.steam_id", "Send it as text"],
    ["{\"ids\":[1,-9007199254740993]}", "metadata.ids.1", "Send it as text"],
    ["{\"a\":1e400}", "metadata.a", "beyond the numbers"],
    ["{\"a\":0.1234567890123456789}", "metadata.a", "Send it as text"]
  ])("that would become others are refused, with the cure: %s", async (metadata, path, cure) => {
    const { fields } = refused(await made(metadata), 422, "VALIDATION_ERROR")
    assert.deepInclude(fields[0], { path, code: "invalid_value" })
    assert.include(fields[0].message, cure)
    assert.lengthOf(fields, 1)
  })

  it("have the reason that is true, wherever they stand", async () => {
    const answer = await service.call("POST", "/api/v1/products", { raw: "[1e400]", headers: json })
    const { fields } = refused(answer, 422, "VALIDATION_ERROR")
    assert.deepInclude(fields[0], { path: "0" })
    assert.include(fields[0].message, "beyond the numbers")
  })

  it("that are kept are taken", async () => {
    const metadata = { largest: 9007199254740992, price: 0.1, half: 1.5, huge: 1e21, id: "76561198000000001" }
    const answer = await made(
      JSON.stringify(metadata).replace("1e+21", "1000000000000000000000").replace("1.5", "1.50")
    )
    assert.strictEqual(answer.status, 201, answer.text)
    assert.deepStrictEqual(answer.body.data.metadata, metadata)
  })

  it("are judged in bulks by the same reader", async () => {
    const bulk = (mode: string) =>
      service.call("POST", "/api/v1/licenses/bulk", {
        raw: `{"mode":"${mode}","licenses":[{"metadata":{"n":1e999}}]}`,
        headers: json
      })
    const { fields } = refused(await bulk("all_or_nothing"), 422, "VALIDATION_ERROR")
    const { error } = (await bulk("per_row")).body.data.results[0]
    assert.deepStrictEqual(fields, [{ ...error.fields[0], path: "licenses.0.metadata.n" }])
    assert.deepInclude(error.fields[0], { path: "metadata.n" })
  })
})

describe("queries", () => {
  it.each(["?q=%ff", "?q=%E9t%E9", "?q=%", "?%ff=1"])("that are not UTF-8 are refused: %s", async (query) => {
    const { fields } = refused(await service.call("GET", `/api/v1/licenses${query}`), 400, "INVALID_QUERY")
    assert.include(fields[0].message, "percent-encoded")
  })

  it("in UTF-8 are read", async () => {
    assert.strictEqual((await service.call("GET", "/api/v1/licenses?q=%C3%A9t%C3%A9+a%2Bb")).status, 200)
  })
})
