import { assert, beforeAll, describe, it } from "@effect/vitest"
import { createHash, randomUUID } from "node:crypto"
import { extractText, getDocumentProxy } from "unpdf"
import { zipEntries } from "../../../src/client/files/unpacked.ts"
import { ExportError, verifyExport } from "../../../src/client/verify/verifyCheckpoint.ts"
import { canonicalJson } from "../../../src/domain/ground/wire/CanonicalJson.ts"
import { exchange } from "../../fixtures/Exchange.ts"
import type { Exchanged } from "../../fixtures/Exchange.ts"
import { parseCsv } from "../../fixtures/parseCsv.ts"
import type { Issued, Service } from "../../fixtures/Service.ts"
import { adminToken, refused, startService } from "../../fixtures/Service.ts"
import type { Body, Session } from "../../fixtures/Session.ts"
import { eventually, session } from "../../fixtures/Session.ts"

const base = "/api/v1/reports/exports"
const sha256 = (bytes: string | Uint8Array) => `sha256:${createHash("sha256").update(bytes).digest("hex")}`

/** Names that spreadsheets and documents get wrong. */
const names = [
  "株式会社サンプル",
  "شركة المثال",
  "Müller & Söhne GmbH",
  "=HYPERLINK(\"http://evil\")",
  "Smith, \"Bob\" Ltd"
]

let service: Service
let database: Session
let customers: ReadonlyArray<Body>
let issued: ReadonlyArray<Issued>

const sold = async (customer: Body): Promise<Issued> => {
  const made = await service.issue({ license: { customer_id: customer.id } })
  const feature = await service.data("POST", `/api/v1/products/${made.product.id}/features`, {
    name: "Export",
    code: "x"
  })
  await service.data("POST", `/api/v1/licenses/${made.license.id}/features`, { feature_id: feature.id })
  const fingerprint = `device-of-${customer.code}`
  await service.license("activate", made.key, { fingerprint })
  for (let amount = 1; amount <= 4; amount++) {
    const body = { fingerprint, feature_code: "x", amount, event_id: randomUUID() }
    const consumed = await service.license("consume", made.key, body)
    assert.strictEqual(consumed.status, 200, consumed.text)
  }
  return made
}

beforeAll(async () => {
  service = await startService()
  database = await session(service.databaseUrl)
  customers = await Promise.all(
    names.map((name, index) => service.data("POST", "/api/v1/customers", { name, code: `customer-${index}` }))
  )
  issued = await Promise.all(customers.map(sold))
  await service.feed()
  await eventually(
    "a checkpoint is signed",
    async () => (await database.query("SELECT 1 FROM event_checkpoints LIMIT 1")).length > 0
  )
})

const byCustomer = { report_kind: "usage-summary", filters: { group_by: "customer_id", bucket: "1d" } }

const create = (body: object): Promise<Body> => service.data("POST", base, body)

const ended = (id: string) =>
  eventually(`export ${id} ends`, async () => {
    const over = "SELECT 1 FROM report_exports WHERE id = $1 AND status IN ('ready', 'failed')"
    return (await database.query(over, [id])).length > 0 && await service.data("GET", `${base}/${id}`)
  })

const ready = async (body: object): Promise<Body> => {
  const record = await ended((await create(body)).id)
  assert.strictEqual(record.status, "ready", JSON.stringify(record))
  return record
}

const inFormats = new Map<string, Promise<Body>>()

/** The export by customer in a format, made once: rendering a document is what costs most here. */
const readyIn = (format: string): Promise<Body> => {
  const made = inFormats.get(format) ?? ready({ ...byCustomer, format })
  inFormats.set(format, made)
  return made
}

/** A download with its bytes. */
const download = (path: string, headers: Readonly<Record<string, string>> = {}, method = "GET"): Promise<Exchanged> =>
  exchange(service.url, path, {
    method,
    headers: { authorization: `Bearer ${adminToken}`, accept: "application/json", ...headers }
  })

const textOf = async (bytes: Uint8Array): Promise<string> =>
  (await extractText(await getDocumentProxy(new Uint8Array(bytes)), { mergePages: true })).text

describe("an export", () => {
  it("is a record at once, and ready a little later", async () => {
    const record = await create({ report_kind: "usage-ledger", format: "csv", filters: { feature_code: "x" } })
    assert.match(record.id, /^rptx_/)
    assert.strictEqual(record.status, "queued")
    assert.deepStrictEqual(record.progress, { rows: 0 })
    assert.deepStrictEqual(record.filters, { feature_code: "x" })
    assert.strictEqual(record.download_url, `${service.url}${base}/${record.id}/download`)
    assert.strictEqual(record.content_type, "text/csv; charset=utf-8")
    assert.strictEqual(record.file_name, `usage-ledger-${record.created_at.slice(0, 10)}-${record.id.slice(-8)}.csv`)
    const done = await ended(record.id)
    assert.strictEqual(done.status, "ready")
    assert.deepStrictEqual(done.progress, { rows: 20, total: 20 })
    assert.match(done.digest, /^sha256:[0-9a-f]{64}$/)
    assert.isAbove(done.as_of_sequence, 0)
    assert.isAtMost(done.checkpoint.tree_size, done.as_of_sequence)
    assert.strictEqual(Date.parse(done.expires_at) - Date.parse(done.ready_at), 90 * 24 * 3_600_000)
  })

  it("has the format json unless another one is asked for, and its file is the snapshot", async () => {
    const record = await ready(byCustomer)
    const { bytes, headers, status } = await download(`${base}/${record.id}/download`)
    assert.strictEqual(status, 200)
    assert.strictEqual(headers["content-type"], "application/json")
    assert.strictEqual(headers["content-length"], String(bytes.length))
    assert.strictEqual(headers["content-disposition"], `attachment; filename="${record.file_name}"`)
    assert.strictEqual(headers["etag"], `"${record.artifact_digest}"`)
    assert.strictEqual(sha256(bytes), record.digest)
    assert.strictEqual(record.artifact_digest, record.digest)
    assert.strictEqual(record.artifact_size, bytes.length)
    const snapshot = JSON.parse(bytes.toString())
    assert.strictEqual(bytes.toString(), canonicalJson(snapshot))
    assert.strictEqual(snapshot.as_of_sequence, record.as_of_sequence)
    assert.deepStrictEqual(snapshot.checkpoint, record.checkpoint)
    assert.lengthOf(snapshot.table.rows, names.length)
    assert.strictEqual(snapshot.row_count, names.length)
    assert.sameMembers(snapshot.table.rows.map((row: Body) => row.label), names)
    assert.isTrue(snapshot.table.rows.every((row: Body) => row.amount === 10 && row.uses === 4))
  })

  it("with its evidence is one archive, of the bytes that each part has by itself", async () => {
    const record = await readyIn("csv")
    const path = `${base}/${record.id}`
    const { bytes, headers, status } = await download(`${path}/archive`)
    assert.strictEqual(status, 200)
    assert.strictEqual(headers["content-type"], "application/zip")
    assert.strictEqual(headers["content-length"], String(bytes.length))
    const stem = record.file_name.replace(/\.csv$/, "")
    assert.strictEqual(headers["content-disposition"], `attachment; filename="${stem}.zip"`)
    const [file, snapshot, manifest] = await zipEntries(new Uint8Array(bytes))
    assert.strictEqual(file!.name, record.file_name)
    assert.strictEqual(sha256(Buffer.from(file!.bytes)), record.artifact_digest)
    assert.strictEqual(snapshot!.name, `${stem}.snapshot.json`)
    assert.strictEqual(sha256(Buffer.from(snapshot!.bytes)), record.digest)
    assert.strictEqual(manifest!.name, `${stem}.manifest.json`)
    const served = JSON.parse((await download(`${path}/manifest`)).bytes.toString())
    assert.deepStrictEqual(JSON.parse(Buffer.from(manifest!.bytes).toString()), {
      data: served.data,
      signature: served.signature
    })
    // The same bytes each time, so that a download goes on where it ended.
    const middle = Math.floor(bytes.length / 2)
    const part = await download(`${path}/archive`, {
      range: `bytes=${middle}-${middle + 99}`,
      "if-range": headers["etag"]!
    })
    assert.strictEqual(part.status, 206)
    assert.isTrue(part.bytes.equals(bytes.subarray(middle, middle + 100)))
    assert.strictEqual((await download(`${path}/archive`, { "if-none-match": headers["etag"]! })).status, 304)
    assert.strictEqual((await download(`${path}/archive`, {}, "HEAD")).headers["content-length"], String(bytes.length))
    const json = await ready(byCustomer)
    const parts = await zipEntries(new Uint8Array((await download(`${base}/${json.id}/archive`)).bytes))
    assert.deepStrictEqual(parts.map(({ name }) => name), [
      json.file_name,
      json.file_name.replace(/json$/, "manifest.json")
    ])
  })

  it("as CSV opens in a spreadsheet: every name is there, and none is a formula", async () => {
    const record = await readyIn("csv")
    const { bytes, headers } = await download(`${base}/${record.id}/download`)
    assert.strictEqual(headers["content-type"], "text/csv; charset=utf-8")
    assert.strictEqual(sha256(bytes), record.artifact_digest)
    const [head = [], ...rows] = parseCsv(bytes.toString())
    assert.deepStrictEqual(head, ["bucket", "group", "label", "uses", "amount", "first_at", "last_at"])
    assert.sameMembers(rows.map((row) => row[2]), names.map((name) => name.startsWith("=") ? `'${name}` : name))
    assert.isTrue(rows.every((row) => row[3] === "4" && row[4] === "10" && row.length === head.length))
  })

  it("for a reader's time zone shows times in it, and says so", async () => {
    const zone = { ...byCustomer, time_zone: "Asia/Kolkata" }
    const record = await ready({ ...zone, format: "csv" })
    assert.strictEqual(record.time_zone, "Asia/Kolkata")
    const { bytes } = await download(`${base}/${record.id}/download`)
    const [head = [], ...rows] = parseCsv(bytes.toString())
    assert.deepStrictEqual(head.slice(-4), ["first_at", "first_at (Asia/Kolkata)", "last_at", "last_at (Asia/Kolkata)"])
    for (const row of rows) {
      const local = Date.parse(`${row.at(-1)!.replace(" ", "T")}+05:30`)
      assert.strictEqual(local, Math.floor(Date.parse(row.at(-2)!) / 1000) * 1000)
    }
    const wrong = await service.call("POST", base, { body: { ...zone, time_zone: "Mars/Olympus" } })
    assert.strictEqual(wrong.status, 422)
    assert.strictEqual(wrong.body.error.fields[0].path, "time_zone")
  })

  it("is the same file where a worker finds nothing but its snapshot", async () => {
    const found = [await readyIn("csv"), await ready({ ...byCustomer, time_zone: "Asia/Kolkata", format: "csv" })]
    for (const record of [...found, await ready({ report_kind: "usage-ledger", format: "csv" })]) {
      await database.query(
        `UPDATE report_exports SET status = 'queued', tries = 0, due_at = now(), artifact_digest = NULL,
           artifact_size = NULL, manifest = NULL, manifest_signature = NULL, ready_at = NULL, expires_at = NULL
         WHERE id = $1`,
        [record.id]
      )
      const { artifact_digest, artifact_size, digest } = await ended(record.id)
      assert.deepStrictEqual(
        { artifact_digest, artifact_size, digest },
        {
          artifact_digest: record.artifact_digest,
          artifact_size: record.artifact_size,
          digest: record.digest
        }
      )
    }
  })

  it("of many blocks of rows holds each of them, in order", async () => {
    const { license } = issued[0]!
    const filters = { feature_code: "blocks" }
    await database.query(
      `INSERT INTO usage_records (license_id, feature_id, event_id, amount, device_id, created_at, id, feature_code,
         total_consumptions, product_id)
       SELECT u.license_id, u.feature_id, 'call-' || n, n, u.device_id,
         timestamptz '2026-01-01T00:00:00Z' + n * interval '1 second', 'evt_' || repeat(n::text, n % 60 + 1), 'blocks',
         n, u.product_id
       FROM generate_series(1, 4500) n, (SELECT * FROM usage_records WHERE license_id = $1 LIMIT 1) u`,
      [license.id]
    )
    try {
      const uses = await database.query(
        `SELECT id, amount::int, event_id, license_id FROM usage_records WHERE feature_code = 'blocks'
         ORDER BY created_at DESC`
      )
      const [json, csv] = await Promise.all(
        ["json", "csv"].map(async (format) => {
          const record = await ready({ report_kind: "usage-ledger", format, filters })
          const { bytes } = await download(`${base}/${record.id}/download`)
          assert.strictEqual(sha256(bytes), record.artifact_digest)
          return bytes.toString()
        })
      ) as [string, string]
      const { columns, rows } = JSON.parse(json).table
      const members = ({ id, amount, event_id, license_id }: Body) => ({ id, amount, event_id, license_id })
      assert.lengthOf(uses, 4500)
      assert.deepStrictEqual(rows.map(members), uses.map(members))
      assert.deepStrictEqual(
        parseCsv(csv).slice(1).map((cells) => cells.join()),
        rows.map((row: Body) => columns.map(({ key }: Body) => row[key] ?? "").join())
      )
    } finally {
      await database.query("DELETE FROM usage_records WHERE feature_code = 'blocks'")
    }
  })

  it("as PDF is a tagged document with its fonts inside, in which every name can be found", async () => {
    const record = await readyIn("pdf")
    const { bytes, headers } = await download(`${base}/${record.id}/download`)
    assert.strictEqual(headers["content-type"], "application/pdf")
    assert.strictEqual(sha256(bytes), record.artifact_digest)
    const text = await textOf(bytes)
    for (const name of names) assert.include(text, name)
    for (const part of ["Usage summary", "Usage over time", "Customer ID", "Total", record.digest]) {
      assert.include(text, part)
    }
    assert.match(text, /Page 1 of\s*1/)
    const document = await getDocumentProxy(new Uint8Array(bytes))
    assert.isTrue((await document.getMarkInfo())?.["Marked"])
    const tags = JSON.stringify(await (await document.getPage(1)).getStructTree())
    for (const role of ["H1", "H2", "Figure", "Table", "THead", "TH", "TBody", "TR", "TD"]) {
      assert.include(tags, `"role":"${role}"`)
    }
  })

  it("of every kind is ready in every format", async () => {
    const subscription = await service.data("POST", `/api/v1/products/${issued[0]!.product.id}/subscriptions`, {
      external_system: "shop",
      external_id: "s-1",
      status: "active",
      current_period_start: "2026-01-01T00:00:00Z",
      current_period_end: "2027-01-01T00:00:00Z"
    })
    const requests = [
      { report_kind: "usage-ledger" },
      { report_kind: "license-audit", filters: { license_id: issued[0]!.license.id } },
      { report_kind: "customer-summary", filters: { customer_id: customers[1].id } },
      { report_kind: "subscription-settlement", filters: { subscription_id: subscription.id } }
    ].flatMap((body) => [
      { ...body, format: "json" },
      { ...body, format: "csv" },
      { ...body, format: "pdf", time_zone: "Asia/Kolkata" }
    ])
    const records = await Promise.all(requests.map(create))
    for (const { id, format } of records) {
      const record = await ended(id)
      assert.strictEqual(record.status, "ready", JSON.stringify(record))
      const { bytes } = await download(`${base}/${id}/download`)
      assert.strictEqual(sha256(bytes), record.artifact_digest)
      if (format === "json") assert.strictEqual(bytes.toString(), canonicalJson(JSON.parse(bytes.toString())))
      if (format === "csv") assert.lengthOf(parseCsv(bytes.toString()), record.progress.total + 1)
      if (format !== "pdf") continue
      const text = await textOf(bytes)
      assert.include(text, record.digest)
      assert.include(text, "Time zone Asia/Kolkata")
    }
  })
})

describe("a download", () => {
  let record: Body
  let path: string
  let whole: Buffer

  beforeAll(async () => {
    record = await readyIn("pdf")
    path = `${base}/${record.id}/download`
    whole = (await download(path)).bytes
  })

  it("answers ranges, alone and put together", async () => {
    const half = Math.floor(whole.length / 2)
    const first = await download(path, { range: `bytes=0-${half - 1}` })
    const second = await download(path, { range: `bytes=${half}-` })
    assert.deepStrictEqual([first.status, second.status], [206, 206])
    assert.strictEqual(first.headers["content-range"], `bytes 0-${half - 1}/${whole.length}`)
    assert.strictEqual(second.headers["content-length"], String(whole.length - half))
    assert.isTrue(Buffer.concat([first.bytes, second.bytes]).equals(whole))
    const last = await download(path, { range: "bytes=-5", "if-range": `"${record.artifact_digest}"` })
    assert.isTrue(last.bytes.equals(whole.subarray(-5)))
    const stale = await download(path, { range: "bytes=-5", "if-range": "\"another\"" })
    assert.deepStrictEqual([stale.status, stale.bytes.length], [200, whole.length])
    const several = await download(path, { range: "bytes=0-1,4-5" })
    assert.strictEqual(several.status, 200)
  })

  it("answers 416 with the size for a range beyond the end", async () => {
    const answer = await service.call("GET", path, { headers: { range: `bytes=${whole.length}-` } })
    refused(answer, 416, "RANGE_NOT_SATISFIABLE")
    assert.strictEqual(answer.headers["content-range"], `bytes */${whole.length}`)
  })

  it("answers 304 to who has it, and HEAD without a body", async () => {
    const known = await download(path, { "if-none-match": `"x", W/"${record.artifact_digest}"` })
    assert.deepStrictEqual([known.status, known.bytes.length], [304, 0])
    assert.strictEqual(known.headers["etag"], `"${record.artifact_digest}"`)
    const head = await download(path, {}, "HEAD")
    assert.deepStrictEqual([head.status, head.bytes.length], [200, 0])
    assert.strictEqual(head.headers["content-length"], String(whole.length))
  })

  it("is in the feed, as creating and finishing it are", async () => {
    const kinds = (await service.feed(`&resource_id=${record.id}`)).map(({ event_type }) => event_type)
    assert.deepStrictEqual(kinds.slice(0, 3), [
      "report_export.created",
      "report_export.ready",
      "report_export.downloaded"
    ])
    const [read] = (await service.feed(`&resource_id=${record.id}&event_type=report_export.downloaded`)).slice(0, 1)
    assert.deepStrictEqual(read.metadata, { first_byte: 0, last_byte: whole.length - 1 })
  })

  it("is in the feed once for each caller and hour, in however many ranges and through however many nodes", async () => {
    const other = await startService({ databaseUrl: service.databaseUrl })
    const { api_key, token } = await service.data("POST", "/api/v1/api-keys", { name: "p", scopes: ["report:export"] })
    const ranges = Array.from({ length: 20 }, (_, index) => ({ range: `bytes=${index}-${index}` }))
    const answers = await Promise.all(
      ranges.map((headers, index) => (index % 2 === 0 ? service : other).call("GET", path, { headers, token }))
    )
    for (const { status } of answers) assert.strictEqual(status, 206)
    const downloads = await service.feed(`&resource_id=${record.id}&event_type=report_export.downloaded`)
    const of = (actor: string) =>
      downloads.filter(({ actor_id }) => actor_id === actor).map(({ created_at }) => String(created_at).slice(0, 13))
    // The hour may end meanwhile; then there is one event more, and of the next hour.
    for (const hours of [of(api_key.id), of("bootstrap")]) {
      assert.isAbove(hours.length, 0)
      assert.strictEqual(new Set(hours).size, hours.length)
    }
  })

  it("needs the scope report:export", async () => {
    const { token } = await service.data("POST", "/api/v1/api-keys", { name: "reader", scopes: ["report:read"] })
    const denied = refused(await service.call("GET", path, { token }), 403, "TOKEN_SCOPE_DENIED")
    assert.strictEqual(denied.detail, "report:export")
  })
})

describe("the manifest", () => {
  let keys: ReadonlyArray<Body>
  beforeAll(async () => {
    keys = await service.data("GET", "/api/v1/system/public-keys")
  })

  const code = async (run: Promise<unknown>): Promise<string> => {
    const error = await run.then(() => undefined, (error: unknown) => error)
    assert.instanceOf(error, ExportError)
    return (error as ExportError).code
  }

  it.each(["json", "csv", "pdf"])("of %s proves the file and its snapshot to who asks nobody", async (format) => {
    const record = await readyIn(format)
    const answer = await service.call("GET", `${base}/${record.id}/manifest`)
    assert.sameMembers(Object.keys(answer.body), ["data", "signature", "meta"])
    const file = (await download(`${base}/${record.id}/download`)).bytes
    const snapshot = (await download(`${base}/${record.id}/snapshot`)).bytes
    const options = { manifest: answer.text, publicKeys: keys as never }
    const { kid, manifest } = await verifyExport({ ...options, file: [file] })
    assert.strictEqual(kid, answer.body.signature.kid)
    assert.strictEqual(manifest.artifact_digest, record.artifact_digest)
    assert.strictEqual(manifest.export_id, record.id)
    await verifyExport({ ...options, file: [snapshot.subarray(0, 9), snapshot.subarray(9)], part: "snapshot" })

    const altered = Buffer.from(file)
    altered[altered.length - 1]! ^= 1
    assert.strictEqual(await code(verifyExport({ ...options, file: [altered] })), "digest_mismatch")
    assert.strictEqual(await code(verifyExport({ ...options, file: [file.subarray(1)] })), "size_mismatch")
    const forged = JSON.parse(answer.text)
    forged.data.rows += 1
    assert.strictEqual(await code(verifyExport({ ...options, manifest: forged, file: [file] })), "signature_mismatch")
    assert.strictEqual(await code(verifyExport({ ...options, publicKeys: [], file: [file] })), "unknown_key")
    assert.strictEqual(await code(verifyExport({ ...options, manifest: "{}", file: [file] })), "malformed")
  })
})

describe("what is refused", () => {
  it("names every wrong filter", async () => {
    const post = (body: object) => service.call("POST", base, { body })
    refused(await post({ report_kind: "usage" }), 422, "VALIDATION_ERROR")
    refused(await post({ report_kind: "usage-summary", format: "xml" }), 422, "VALIDATION_ERROR")
    refused(await post({ report_kind: "usage-summary", colour: 1 }), 400, "UNKNOWN_FIELD")
    const unknown = refused(await post({ report_kind: "usage-summary", filters: { x: 1 } }), 400, "UNKNOWN_FIELD")
    assert.deepStrictEqual(unknown.fields.map(({ path }: Body) => path), ["filters.x"])
    const wrong = { report_kind: "usage-summary", filters: { bucket: "2d", from: "yesterday" } }
    const { fields } = refused(await post(wrong), 422, "VALIDATION_ERROR")
    assert.sameMembers(fields.map(({ path }: Body) => path), ["filters.bucket", "filters.from"])
    const needed = refused(await post({ report_kind: "license-audit" }), 422, "VALIDATION_ERROR")
    assert.deepStrictEqual(needed.fields.map(({ code, path }: Body) => [path, code]), [[
      "filters.license_id",
      "required"
    ]])
    const backwards = { from: "2026-02-01T00:00:00Z", to: "2026-01-01T00:00:00Z" }
    refused(await post({ report_kind: "usage-ledger", filters: backwards }), 422, "VALIDATION_ERROR")
  })

  it("an export that nothing has", async () => {
    for (const path of ["", "/download", "/snapshot", "/manifest"]) {
      refused(await service.call("GET", `${base}/rptx_x${path}`), 404, "NOT_FOUND")
    }
    refused(await service.call("POST", `${base}/rptx_x/retry`), 404, "NOT_FOUND")
  })

  it("a download before the export is ready, and a retry of one that did not fail", async () => {
    const { id } = await create({ report_kind: "usage-ledger" })
    await ended(id)
    await database.query(
      "UPDATE report_exports SET status = 'queued', due_at = 'infinity', manifest = NULL WHERE id = $1",
      [id]
    )
    for (const path of ["download", "snapshot", "manifest"]) {
      const { message } = refused(await service.call("GET", `${base}/${id}/${path}`), 409, "STATE_CONFLICT")
      assert.include(message, "not ready yet")
    }
    assert.strictEqual((await service.data("POST", `${base}/${id}/retry`)).status, "queued")
  })
})

describe("a failure", () => {
  it("has a reason, can be retried, and leaves nothing behind", async () => {
    const { id } = await create({ report_kind: "license-audit", filters: { license_id: "lic_nobody" }, format: "csv" })
    const failed = await ended(id)
    assert.strictEqual(failed.status, "failed")
    assert.strictEqual(failed.failure.code, "NOT_FOUND")
    assert.isNotEmpty(failed.failure.message)
    refused(await service.call("GET", `${base}/${id}/download`), 409, "STATE_CONFLICT")
    assert.deepStrictEqual(await database.query("SELECT 1 FROM report_export_pieces WHERE export_id = $1", [id]), [])
    await database.query("UPDATE report_exports SET filters = $2::text::jsonb WHERE id = $1", [
      id,
      JSON.stringify({ license_id: issued[0]!.license.id })
    ])
    const retried = await service.data("POST", `${base}/${id}/retry`)
    assert.isUndefined(retried.failure)
    assert.strictEqual((await ended(id)).status, "ready")
    refused(await service.call("POST", `${base}/${id}/retry`), 409, "STATE_CONFLICT")
    const kinds = (await service.feed(`&resource_id=${id}`)).map(({ event_type }) => event_type)
    assert.deepStrictEqual(kinds, ["report_export.created", "report_export.failed", "report_export.ready"])
  })
})

describe("the list", () => {
  it("is paged and filtered, newest first", async () => {
    const mine: Array<string> = []
    for (let index = 0; index < 5; index++) {
      mine.unshift((await create({ report_kind: "usage-ledger", format: "csv" })).id)
    }
    const query = "report_kind=usage-ledger&format=csv&limit=2"
    const found: Array<string> = []
    for (let cursor = ""; found.length < 5;) {
      const { body } = await service.call("GET", `${base}?${query}${cursor}`)
      assert.lengthOf(body.data, 2)
      found.push(...body.data.map(({ id }: Body) => id))
      cursor = `&cursor=${body.page_info.next_cursor}`
    }
    assert.deepStrictEqual(found.slice(0, 5), mine)
    const first = await service.call("GET", `${base}?${query}`)
    refused(
      await service.call("GET", `${base}?limit=2&cursor=${first.body.page_info.next_cursor}`),
      400,
      "INVALID_CURSOR"
    )
    refused(await service.call("GET", `${base}?status=done`), 400, "INVALID_QUERY")
    const failed = (await service.call("GET", `${base}?status=failed`)).body.data
    assert.isTrue(failed.every(({ status }: Body) => status === "failed"))
  })
})
