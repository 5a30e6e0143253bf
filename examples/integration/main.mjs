// An integration written from /llms-full.txt alone: what a vendor's backend, its app and its receiver do. It uses no name that
// does not stand there, and nothing but Node. URL and TOKEN say where the service is and who manages it.
import {
  createDecipheriv,
  createHash,
  createHmac,
  createPublicKey,
  hkdfSync,
  randomUUID,
  timingSafeEqual,
  verify
} from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:http"

const { PORT = "4400", TOKEN, URL: base } = process.env

const fail = (text) => {
  throw new Error(text)
}
const expect = (holds, text) => holds || fail(text)

/** One request, sent again after what asks for it; the error's code is thrown as `code`. */
const send = async (method, path, { authorization, body, headers = {} }) => {
  for (let attempt = 1;; attempt++) {
    const response = await fetch(`${base}${path}`, {
      method,
      headers: {
        ...(authorization === undefined ? {} : { authorization }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    if (response.ok) return response
    const { error } = await response.json()
    if (attempt < 5 && (response.status === 429 || response.status === 503)) {
      await new Promise((resolve) => setTimeout(resolve, 1000 * Number(response.headers.get("retry-after") ?? 1)))
    } else throw Object.assign(new Error(`${error.code}: ${error.message}`), { code: error.code, doc: error.doc_url })
  }
}

// The backend.
const manage = async (method, path, body) => {
  const headers = method === "GET" ? {} : { "idempotency-key": randomUUID() }
  const response = await send(method, path, { authorization: `Bearer ${TOKEN}`, body, headers })
  return response.status === 204 ? undefined : response.json()
}
const make = async (path, body) => (await manage("POST", path, body)).data

/** Every entry of a list. */
const all = async (path, limit = 50) => {
  const found = []
  for (let cursor = "";;) {
    const { data, page_info } = await manage("GET", `${path}${path.includes("?") ? "&" : "?"}limit=${limit}${cursor}`)
    found.push(...data)
    if (!page_info.has_more) return found
    cursor = `&cursor=${encodeURIComponent(page_info.next_cursor)}`
  }
}

// The app.
const publicKeys = (await (await fetch(`${base}/api/v1/system/public-keys`)).json()).data
const isSigned = (data, { kid, value }) => {
  const key = publicKeys.find((key) => key.kid === kid) ?? fail("the answer is signed by an unknown key")
  const x = Buffer.from(key.public_key, "base64").toString("base64url")
  const publicKey = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" })
  return verify(null, Buffer.from(JSON.stringify(data)), publicKey, Buffer.from(value, "base64"))
}
/** Asks with a license key, and believes only what is signed. */
const ask = async (licenseKey, operation, body, key) => {
  const response = await send("POST", `/api/v1/license/${operation}`, {
    authorization: `License ${licenseKey}`,
    body,
    headers: key === undefined ? {} : { "idempotency-key": key }
  })
  const { data, signature } = await response.json()
  expect(isSigned(data, signature), `${operation}: forged`)
  return data
}
const refusedWith = async (code, call) => {
  const error = await call().then(() => undefined, (error) => error)
  expect(error?.code === code, `expected ${code}, not ${error?.message}`)
  expect(error.doc.endsWith(`/docs/errors/${code}`), "no doc_url")
}

const suffix = randomUUID().slice(0, 8)
const product = await make("/api/v1/products", { name: "Integration", code: `integration-${suffix}` })
const sell = async (code, rules) => {
  const policy = await make(`/api/v1/products/${product.id}/policies`, { name: code, code, ...rules })
  return make("/api/v1/licenses", { product_id: product.id, policy_id: policy.id })
}

const metered = async () => {
  const feature = await make(`/api/v1/products/${product.id}/features`, { name: "Renders", code: "render" })
  const { license, license_key } = await sell("payg", { license_type: "consumption" })
  await make(`/api/v1/licenses/${license.id}/features`, { feature_id: feature.id, max_consumptions: 10 })
  await ask(license_key, "activate", { fingerprint: "farm" }, randomUUID())
  const use = (event_id, amount) =>
    ask(license_key, "consume", { fingerprint: "farm", feature_code: "render", event_id, amount }, event_id)
  await use("job-1", 4)
  const [entitlement] = (await use("job-1", 4)).features
  expect(entitlement.consumed === 4 && entitlement.remaining === 6, "a repeat was counted")
  await refusedWith("FEATURE_QUOTA_EXCEEDED", () => use("job-2", 7))
  await refusedWith("IDEMPOTENCY_CONFLICT", () => use("job-1", 5))
  const nonce = randomUUID()
  const { nonce: echoed, status } = await ask(license_key, "validate", { fingerprint: "farm", nonce })
  expect(echoed === nonce && status === "active", "an old answer")
  return license
}

const floating = async () => {
  const { license_key } = await sell("office", {
    license_type: "subscription",
    max_floating_users: 1,
    floating_timeout_minutes: 10
  })
  const checkout = (fingerprint) => ask(license_key, "floating/checkout", { fingerprint }, randomUUID())
  const { lease_expires_at, lease_token } = await checkout("anna")
  await refusedWith("FLOATING_LIMIT_EXCEEDED", () => checkout("ben"))
  const beat = await ask(license_key, "floating/heartbeat", { lease_token })
  expect(beat.lease_expires_at >= lease_expires_at, "the heartbeat extended nothing")
  await ask(license_key, "floating/checkin", { lease_token }, randomUUID())
  await refusedWith("LEASE_NOT_FOUND", () => ask(license_key, "floating/heartbeat", { lease_token }))
  await checkout("ben")
}

const offline = async () => {
  const { license_key } = await sell("field", { license_type: "subscription", offline_grace_days: 30 })
  const { device_id } = await ask(license_key, "activate", { fingerprint: "field" }, randomUUID())
  const authorization = `License ${license_key}`
  const response = await send("POST", "/api/v1/license/offline", { authorization, body: { fingerprint: "field" } })
  const { ciphertext, kid, nonce, salt } = (await response.json()).data
  const open = (deviceId) => {
    const sealed = Buffer.from(ciphertext, "base64")
    const key = hkdfSync("sha256", license_key, Buffer.from(salt, "base64"), "countersign/offline/v1", 32)
    const decipher = createDecipheriv("aes-256-gcm", Buffer.from(key), Buffer.from(nonce, "base64"))
    decipher.setAAD(Buffer.from(kid + deviceId)).setAuthTag(sealed.subarray(-16))
    return JSON.parse(Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]).toString())
  }
  const { data, signature } = open(device_id)
  expect(isSigned(data, signature) && signature.kid === kid && data.device_id === device_id, "not for this device")
  expect(data.product_code === product.code && data.offline_counter >= 1, "not for this app")
  expect(new Date(data.issued_at) <= new Date() && new Date() <= new Date(data.valid_until), "not now")
  let isOpened = true
  try {
    open("dev_of_another")
  } catch {
    isOpened = false
  }
  expect(!isOpened, "another device opened it")
}

const webhooks = async (license) => {
  const received = new Map()
  let secret = ""
  const server = createServer(async (request, response) => {
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    const raw = Buffer.concat(chunks)
    const id = request.headers["x-service-delivery-id"]
    const parts = request.headers["x-service-signature"].split(",").map((part) => part.split("="))
    const t = parts.find(([name]) => name === "t")[1]
    const expected = createHmac("sha256", secret).update(`${t}.${id}.`).update(raw).digest()
    const isGenuine = Math.abs(Date.now() / 1000 - Number(t)) <= 300 &&
      parts.some(([name, hex]) => name === "v1" && timingSafeEqual(Buffer.from(hex, "hex"), expected))
    response.writeHead(isGenuine ? 204 : 401).end()
    if (isGenuine) received.set(id, JSON.parse(raw.toString()))
  }).listen(Number(PORT), "127.0.0.1")
  await once(server, "listening")
  const made = await make("/api/v1/webhooks", {
    name: "Integration",
    url: `http://127.0.0.1:${PORT}/hook`,
    event_types: ["license.suspended", "license.reinstated"]
  })
  secret = made.secret
  await make(`/api/v1/licenses/${license.id}/suspend`)
  await make(`/api/v1/licenses/${license.id}/reinstate`)
  while (received.size < 2) await new Promise((resolve) => setTimeout(resolve, 50))
  const [last] = [...received.values()].toSorted((a, b) => b.sequence - a.sequence)
  expect(last.type === "license.reinstated" && last.data.status === "active", "another order")
  // What was missed is read from the feed.
  const missed = await manage("GET", `/api/v1/events?cursor=${last.sequence - 1}&resource_id=${license.id}`)
  expect(missed.data[0].id === last.id && missed.data[0].event_type === last.type, "the feed tells another story")
  await manage("DELETE", `/api/v1/webhooks/${made.webhook.id}`)
  server.close()
  server.closeAllConnections()
}

const exports = async (license) => {
  for (const format of ["json", "csv"]) {
    const filters = { license_id: license.id }
    const { id } = await make("/api/v1/reports/exports", { report_kind: "usage-ledger", format, filters })
    const path = `/api/v1/reports/exports/${id}`
    let record
    do {
      record = (await manage("GET", path)).data
      expect(record.status !== "failed", record.failure?.message)
      await new Promise((resolve) => setTimeout(resolve, 100))
    } while (record.status !== "ready")
    const response = await send("GET", `${path}/download`, { authorization: `Bearer ${TOKEN}` })
    const file = Buffer.from(await response.arrayBuffer())
    const digest = createHash("sha256").update(file).digest("hex")
    expect(record.artifact_digest.endsWith(digest), "the file is not the one that was frozen")
    expect(file.includes("job-1"), "the use is not in the ledger")
  }
}

const lists = async () => {
  for (let index = 0; index < 5; index++) await sell(`more-${index}`, { license_type: "perpetual" })
  const path = `/api/v1/licenses?product_id=${product.id}`
  const [whole, paged] = [await all(path), await all(path, 3)]
  expect(paged.length === 8 && paged.every(({ id }, index) => id === whole[index].id), "the pages do not meet")
  const oldest = await all(`${path}&order=asc`)
  expect(oldest[0].id === whole.at(-1).id, "another order")
}

const license = await metered()
await floating()
await offline()
await webhooks(license)
await exports(license)
await lists()
console.log("integrated")
