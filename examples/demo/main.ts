// The whole line against a running service: what a vendor does, what an app does, and how each proves what it got.
import { createHash, randomBytes } from "node:crypto"
import { hostname } from "node:os"
import { verifyDelivery, verifyEnvelope } from "../../src/client/verify/index.ts"
import { chainStart, verifyChain } from "../../src/domain/events/EventChain.ts"
import type { ChainPosition } from "../../src/domain/events/EventChain.ts"
import type { Sha256 } from "../../src/domain/events/EventLeaf.ts"
import { startReceiver } from "./DemoReceiver.ts"
import type { DemoReceiver } from "./DemoReceiver.ts"
import { DemoStop, findService, Refusal } from "./DemoService.ts"
import type { DemoService } from "./DemoService.ts"

const colour = (code: number) => (text: string): string =>
  process.stdout.isTTY === true && process.env["NO_COLOR"] === undefined ? `\u001b[${code}m${text}\u001b[0m` : text
const bold = colour(1)
const dim = colour(2)
const green = colour(32)
const red = colour(31)

let steps = 0
const step = (title: string, ...details: ReadonlyArray<string>): void => {
  steps += 1
  console.log(`${dim(String(steps).padStart(2))}  ${bold(title)}`)
  for (const detail of details) console.log(`    ${detail}`)
}

const sha256: Sha256 = (...parts) => {
  const digest = createHash("sha256")
  for (const part of parts) digest.update(part)
  return new Uint8Array(digest.digest())
}

/** Where the feed ends now, so that the demo can check the chain over what it adds. */
const endOfFeed = async ({ call, token }: DemoService): Promise<ChainPosition> => {
  const { body } = await call({ token }, "GET", "/api/v1/events?order=desc&limit=1")
  const [last] = body.data
  return last === undefined ? chainStart : { sequence: last.sequence + 1, previousHash: last.hash }
}

/** Reads the feed from a position until an event of this type is in it. */
const readFeed = async ({ call, token }: DemoService, from: ChainPosition, untilType: string) => {
  const events: Array<{ readonly sequence: number; readonly event_type: string }> = []
  let cursor = String(from.sequence - 1)
  for (let attempt = 0; attempt < 100; attempt++) {
    const { body } = await call({ token }, "GET", `/api/v1/events?limit=200&cursor=${cursor}`)
    events.push(...body.data)
    cursor = body.page_info.next_cursor
    if (events.some((event) => event.event_type === untilType)) return events
    if (!body.page_info.has_more) await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new DemoStop(`The feed does not show ${untilType}.`)
}

const createWebhook = async ({ call, token }: DemoService, receiver: DemoReceiver) => {
  try {
    const { body } = await call({ token }, "POST", "/api/v1/webhooks", {
      name: "Demo receiver",
      url: receiver.url,
      event_types: ["license.activated", "license.suspended"]
    })
    return body.data
  } catch (cause) {
    if (cause instanceof Refusal && cause.error.fields?.some(({ path }) => path === "url") === true) {
      throw new DemoStop(
        `The service does not deliver to ${receiver.url}: addresses of its own machine are not allowed.\n` +
          "Start the service with\n  COUNTERSIGN_WEBHOOK_ALLOWED_CIDRS=127.0.0.0/8\nand run the demo again."
      )
    }
    throw cause
  }
}

/** An app: it holds a license key, knows the public keys, and believes nothing that is not signed for this question. */
const askAs = (service: DemoService, licenseKey: string, productCode: string) => {
  const device = { fingerprint: sha256(hostname()).slice(0, 8).join(""), hostname: hostname(), os: process.platform }
  return async (operation: "activate" | "validate") => {
    const nonce = randomBytes(12).toString("hex")
    const { text } = await service.call(
      { licenseKey },
      "POST",
      `/api/v1/license/${operation}`,
      { ...device, product_code: productCode, nonce },
      operation === "activate" ? { "idempotency-key": nonce } : {}
    )
    const keys = await fetch(`${service.url}/api/v1/system/public-keys`)
    const { data: publicKeys } = await keys.json() as { data: Parameters<typeof verifyEnvelope>[0]["publicKeys"] }
    // oxlint-disable-next-line typescript/no-explicit-any -- verified, and shown as it is
    const verified: { data: any; kid: string } = await verifyEnvelope({
      body: text,
      publicKeys,
      expected: { nonce, productCode }
    })
    return verified
  }
}

const play = async (service: DemoService, receiver: DemoReceiver, atEnd: (close: () => Promise<unknown>) => void) => {
  const { call, token } = service
  const suffix = randomBytes(3).toString("hex")
  const code = `acme-studio-${suffix}`
  const start = await endOfFeed(service)
  const create = async (path: string, body: unknown) => (await call({ token }, "POST", path, body)).body.data

  const product = await create("/api/v1/products", { name: "Acme Studio", code })
  step("The vendor creates a product", `${product.name} (${product.code})`)

  const policy = await create(`/api/v1/products/${product.id}/policies`, {
    name: "Annual, 3 devices",
    code: "annual-3",
    license_type: "subscription",
    max_activations: 3,
    grace_period_days: 7
  })
  step("a policy: the rules of what is sold", `${policy.name}: ${policy.max_activations} devices, 7 days of grace`)

  const feature = await create(`/api/v1/products/${product.id}/features`, { name: "PDF export", code: "export-pdf" })
  step("a feature", `${feature.name} (${feature.code})`)

  const customer = await create("/api/v1/customers", {
    name: "Beispiel GmbH",
    code: `beispiel-${suffix}`,
    email: "it@beispiel.example"
  })
  step("and a customer", `${customer.name} (${customer.code})`)

  const { secret, webhook } = await createWebhook(service, receiver)
  atEnd(() => call({ token }, "DELETE", `/api/v1/webhooks/${webhook.id}`))
  step(
    "The vendor asks to be told what happens",
    `to ${webhook.url}: ${webhook.event_types.join(", ")}`,
    `secret, shown once: ${secret.slice(0, 14)}...`
  )

  const { license, license_key } = await create("/api/v1/licenses", {
    product_id: product.id,
    policy_id: policy.id,
    customer_id: customer.id,
    expires_at: new Date(Date.now() + 365 * 86_400_000).toISOString()
  })
  await create(`/api/v1/licenses/${license.id}/features`, { feature_id: feature.id, max_consumptions: 1000 })
  step(
    "The vendor issues a license",
    `key, shown once: ${license_key}`,
    `${license.status} until ${license.expires_at}`
  )

  const ask = askAs(service, license_key, code)
  const activated = await ask("activate")
  step(
    "The app activates this machine",
    `device ${activated.data.device_id}, ${activated.data.status} until ${activated.data.valid_until}`,
    green(`the signature is genuine: Ed25519, key ${activated.kid}, over the nonce of this very question`)
  )

  const validated = await ask("validate")
  step(
    "The app asks whether it may run",
    `${validated.data.status}; ${
      validated.data.features.map((entry: { code: string; remaining?: number }) =>
        `${entry.code}, ${entry.remaining ?? "unlimited"} left`
      ).join("; ")
    }`,
    green("the signature is genuine")
  )

  const activation = await receiver.arrival("license.activated", license.id)
  const delivered = await verifyDelivery(activation.body, activation.headers, secret)
  step(
    "The vendor's receiver was told",
    `${delivered.event.type}, event ${delivered.event.sequence} of the feed, delivery ${delivered.deliveryId}`,
    green("the signature is genuine: HMAC-SHA-256 over time, delivery and body")
  )

  await create(`/api/v1/licenses/${license.id}/suspend`, {})
  step("The vendor suspends the license")
  const refusal = await ask("validate").then(() => undefined, (cause: unknown) => cause)
  if (!(refusal instanceof Refusal)) throw new DemoStop("A suspended license was validated, which it must never be.")
  step("The app asks again and is refused", red(`${refusal.status} ${refusal.error.code}: ${refusal.error.message}`))

  await create(`/api/v1/licenses/${license.id}/reinstate`, {})
  const again = await ask("validate")
  step("The vendor lifts the suspension, and the app runs", `${again.data.status}, signed and verified`)

  const suspension = await receiver.arrival("license.suspended", license.id)
  await verifyDelivery(suspension.body, suspension.headers, secret)
  const events = await readFeed(service, start, "license.reinstated")
  const verdict = verifyChain(events, { sha256, from: start })
  if (!verdict.ok) throw new DemoStop(`The feed is broken at event ${verdict.sequence}: ${verdict.detail}`)
  step(
    "Everything stands in the feed",
    ...events.map(({ event_type, sequence }) => `${dim(String(sequence).padStart(6))}  ${event_type}`),
    green(`${events.length} events, each chained to the one before it by its hash`)
  )
}

const main = async (): Promise<void> => {
  const service = await findService()
  console.log(`Countersign at ${service.url}\n`)
  const receiver = await startReceiver()
  const closers: Array<() => Promise<unknown>> = []
  try {
    await play(service, receiver, (close) => closers.push(close))
    console.log(`\nDone. The reference of the API: ${service.url}/docs`)
  } finally {
    for (const close of closers) await close().catch(() => undefined)
    receiver.close()
  }
}

main().catch((cause: unknown) => {
  const isExpected = cause instanceof DemoStop || cause instanceof Refusal
  console.error(`\n${isExpected ? cause.message : cause instanceof Error ? cause.stack : String(cause)}`)
  process.exitCode = 1
})
