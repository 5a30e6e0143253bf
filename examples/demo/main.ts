// The whole line against a running service: what a vendor does, what an app does, and how each proves what it got.
import { createHash, randomBytes } from "node:crypto"
import { hostname } from "node:os"
// A program of yours imports "@countersign/client" and "@countersign/client/verify".
import type { Event } from "../../src/client/api/index.ts"
import { CountersignError, isCountersignError } from "../../src/client/api/index.ts"
import { verifyDelivery, verifyEnvelope } from "../../src/client/verify/index.ts"
import { chainStart, verifyChain } from "../../src/domain/log/EventChain.ts"
import type { ChainPosition } from "../../src/domain/log/EventChain.ts"
import type { Sha256 } from "../../src/domain/log/EventLeaf.ts"
import { startReceiver } from "./DemoReceiver.ts"
import type { DemoReceiver } from "./DemoReceiver.ts"
import { DemoStop, findService } from "./DemoService.ts"
import type { DemoService } from "./DemoService.ts"
import { openShop } from "./DemoShop.ts"

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
const endOfFeed = async ({ client }: DemoService): Promise<ChainPosition> => {
  const [last] = await client.events.list({ order: "desc", limit: 1 })
  return last === undefined ? chainStart : { sequence: last.sequence + 1, previousHash: last.hash }
}

/** Reads the feed from a position until an event of this type is in it. */
const readFeed = async ({ client }: DemoService, from: ChainPosition, untilType: string) => {
  const events: Array<Event> = []
  for (let attempt = 0; attempt < 100; attempt++) {
    const cursor = from.sequence - 1 + events.length
    for await (const event of client.events.list({ limit: 200, cursor })) events.push(event)
    if (events.some((event) => event.event_type === untilType)) return events
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new DemoStop(`The feed does not show ${untilType}.`)
}

const createWebhook = async ({ client }: DemoService, receiver: DemoReceiver) => {
  const created = await client.webhooks.create({
    name: "Demo receiver",
    url: receiver.url,
    event_types: ["license.activated", "license.suspended"]
  }).result()
  if (created.ok) return created.data
  if (created.error.fields.some(({ path }) => path === "url")) {
    throw new DemoStop(
      `The service does not deliver to ${receiver.url}: addresses of its own machine are not allowed.\n` +
        "Start the service with\n  COUNTERSIGN_WEBHOOK_ALLOWED_CIDRS=127.0.0.0/8\nand run the demo again."
    )
  }
  throw created.error
}

/** An app: it holds a license key, knows the public keys, and believes nothing that is not signed for this question. */
const askAs = ({ client }: DemoService, licenseKey: string, productCode: string) => {
  const device = { fingerprint: sha256(hostname()).slice(0, 8).join(""), hostname: hostname(), os: process.platform }
  return async (operation: "activate" | "validate") => {
    const nonce = randomBytes(12).toString("hex")
    const { data, response, signature } = await client.runtime[operation](
      { ...device, product_code: productCode },
      { licenseKey, nonce }
    ).withResponse()
    const publicKeys = await client.system.listPublicKeys()
    await verifyEnvelope({ body: response.text, publicKeys, expected: { nonce, productCode } })
    return { data, kid: signature.kid }
  }
}

/** A customer buys at a payment provider, and later buys more: the shop sends events that are signed as Stripe signs. */
const buy = async (service: DemoService, productId: string): Promise<void> => {
  const policy = await service.client.policies.create(productId, {
    name: "Pro, monthly",
    code: "pro-monthly",
    license_type: "subscription",
    follows_subscription: true,
    max_activations: 1,
    grace_period_days: 7
  })
  const shop = await openShop(service, { policyId: policy.id, suffix: randomBytes(3).toString("hex") })
  step("The vendor connects a payment provider", `${shop.connection.name}; events to ${shop.connection.events_path}`)
  const purchase = await shop.sell(5)
  step(
    "A customer buys 5 seats there",
    `${purchase.external_id} became license ${purchase.licenses[0]?.license_id}`,
    green("the signature is genuine: HMAC-SHA-256 over time and body, as Stripe signs")
  )
  const license = await shop.change(8)
  step(
    "and then 8",
    `the same license, for ${license.overrides?.max_activations} devices, ${license.status} until ${license.expires_at}`,
    `in the console: ${service.url}/console/purchases/${purchase.id}`
  )
}

/** Answers the license that it has made. */
const play = async (service: DemoService, receiver: DemoReceiver, atEnd: (close: () => Promise<unknown>) => void) => {
  const { client } = service
  const suffix = randomBytes(3).toString("hex")
  const code = `acme-studio-${suffix}`
  const start = await endOfFeed(service)

  const product = await client.products.create({ name: "Acme Studio", code })
  step("The vendor creates a product", `${product.name} (${product.code})`)

  const policy = await client.policies.create(product.id, {
    name: "Annual, 3 devices",
    code: "annual-3",
    license_type: "subscription",
    max_activations: 3,
    grace_period_days: 7
  })
  step("a policy: the rules of what is sold", `${policy.name}: ${policy.max_activations} devices, 7 days of grace`)

  const feature = await client.features.create(product.id, { name: "PDF export", code: "export-pdf" })
  step("a feature", `${feature.name} (${feature.code})`)

  const customer = await client.customers.create({
    name: "Beispiel GmbH",
    code: `beispiel-${suffix}`,
    email: "it@beispiel.example"
  })
  step("and a customer", `${customer.name} (${customer.code})`)

  const { secret, webhook } = await createWebhook(service, receiver)
  atEnd(() => client.webhooks.delete(webhook.id))
  step(
    "The vendor asks to be told what happens",
    `to ${webhook.url}: ${webhook.event_types.join(", ")}`,
    `secret, shown once: ${secret.slice(0, 14)}...`
  )

  const { license, license_key } = await client.licenses.create({
    product_id: product.id,
    policy_id: policy.id,
    customer_id: customer.id,
    expires_at: new Date(Date.now() + 365 * 86_400_000).toISOString()
  })
  await client.licenses.assignFeature(license.id, { feature_id: feature.id, max_consumptions: 1000 })
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
      validated.data.features.map((entry) => `${entry.code}, ${entry.remaining ?? "unlimited"} left`).join("; ")
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

  await client.licenses.suspend(license.id)
  step("The vendor suspends the license")
  const refusal = await ask("validate").then(() => undefined, (cause: unknown) => cause)
  if (!isCountersignError(refusal)) throw new DemoStop("A suspended license was validated, which it must never be.")
  step("The app asks again and is refused", red(`${refusal.status} ${refusal.code}: ${refusal.message}`))

  await client.licenses.reinstate(license.id)
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
  return license
}

const main = async (): Promise<void> => {
  const service = await findService()
  console.log(`Countersign at ${service.url}\n`)
  const receiver = await startReceiver()
  const closers: Array<() => Promise<unknown>> = []
  try {
    const { id, product_id } = await play(service, receiver, (close) => closers.push(close))
    await buy(service, product_id)
    console.log(`\nDone. The license and its story, in the console: ${service.url}/console/licenses/${id}`)
    console.log(`The reference of the API: ${service.url}/docs`)
  } finally {
    for (const close of closers) await close().catch(() => undefined)
    receiver.close()
  }
}

main().catch((cause: unknown) => {
  if (cause instanceof DemoStop) console.error(`\n${cause.message}`)
  else if (cause instanceof CountersignError) {
    console.error(
      `\n${cause.code}: ${
        [
          cause.message,
          ...cause.fields.map(({ message, path }) => `${path}: ${message}`)
        ].join("\n  ")
      }`
    )
  } else console.error(cause)
  process.exitCode = 1
})
