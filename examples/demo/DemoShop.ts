import { createHmac, randomBytes } from "node:crypto"
import type { BillingConnection, License, Purchase } from "../../src/client/api/index.ts"
import { DemoStop } from "./DemoService.ts"
import type { DemoService } from "./DemoService.ts"

/** A shop at Stripe that the demo plays: it sends what Stripe sends, signed as Stripe signs. */
export interface DemoShop {
  readonly connection: BillingConnection
  /** Sells so many seats; answers the purchase, once it has a license. */
  readonly sell: (seats: number) => Promise<Purchase>
  /** Changes how many seats were sold; answers the license, once it follows. */
  readonly change: (seats: number) => Promise<License>
}

const name = "Demo shop, signs like Stripe"

/** The price whose purchases become licenses under a policy. */
export interface Sold {
  readonly policyId: string
  readonly suffix: string
}

/** Waits until an answer is there; rejects with a DemoStop when it does not come within 15 seconds. */
const awaited = async <A>(what: string, ask: () => Promise<A | undefined>): Promise<A> => {
  for (let attempt = 0; attempt < 150; attempt++) {
    const answer = await ask()
    if (answer !== undefined) return answer
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new DemoStop(`${what} did not come within 15 seconds.`)
}

/** The connection of an earlier demo with a new secret, or a new connection: one that has purchases is never deleted. */
const connect = async ({ client }: DemoService, secret: string, price: string, { policyId }: Sold) => {
  const entry = { by: "price", value: price, policy_id: policyId, quantity: "seats" } as const
  for await (const known of client.billingConnections.list({ limit: 200 })) {
    if (known.name !== name) continue
    // Products of earlier demos may be gone, and the newest entries are enough.
    return client.billingConnections.update(known.id, {
      secret,
      secret_overlap_seconds: 0,
      mapping: { prices: [...known.mapping.prices.slice(-20), entry] }
    })
  }
  return client.billingConnections.create({ provider: "stripe", name, secret, mapping: { prices: [entry] } })
}

/** Opens the shop: connects it, and maps its price to a policy with the quantity as the device limit. */
export const openShop = async (service: DemoService, sold: Sold): Promise<DemoShop> => {
  const { client, url } = service
  const secret = `whsec_${randomBytes(16).toString("hex")}`
  const id = (kind: string) => `${kind}_demo${sold.suffix}`
  const connection = await connect(service, secret, id("price"), sold)
  const now = () => Math.floor(Date.now() / 1000)
  // Whole seconds, as Stripe has them: each event of the demo is one later than the one before.
  let clock = now() - 60

  const send = async (type: string, object: object): Promise<void> => {
    clock += 1
    const body = JSON.stringify({
      id: `evt_${randomBytes(8).toString("hex")}`,
      object: "event",
      api_version: "2026-10-28.endive",
      created: clock,
      livemode: true,
      type,
      data: { object }
    })
    const at = now()
    const signature = createHmac("sha256", secret).update(`${at}.${body}`).digest("hex")
    const response = await fetch(`${url}${connection.events_path}`, {
      method: "POST",
      headers: { "content-type": "application/json", "stripe-signature": `t=${at},v1=${signature}` },
      body
    })
    if (!response.ok) throw new DemoStop(`The service refused an event of the shop: ${await response.text()}`)
  }

  const start = now() - 60
  const subscription = (seats: number) => ({
    id: id("sub"),
    object: "subscription",
    status: "active",
    customer: id("cus"),
    items: {
      has_more: false,
      data: [{
        id: id("si"),
        quantity: seats,
        price: { id: id("price"), product: id("prod"), nickname: "Pro, monthly" },
        current_period_start: start,
        current_period_end: start + 30 * 86_400
      }]
    }
  })

  return {
    connection,
    sell: async (seats) => {
      await send("customer.created", {
        id: id("cus"),
        object: "customer",
        email: `ada-${sold.suffix}@shop.example`,
        name: "Ada Lovelace"
      })
      await send("customer.subscription.created", subscription(seats))
      return awaited("The license of the purchase", async () => {
        const [purchase] = await client.purchases.list({ connection_id: connection.id, external_id: id("sub") })
        return purchase !== undefined && purchase.licenses.length > 0 ? purchase : undefined
      })
    },
    change: async (seats) => {
      await send("customer.subscription.updated", subscription(seats))
      return awaited("The change of the purchase", async () => {
        const [purchase] = await client.purchases.list({ connection_id: connection.id, external_id: id("sub") })
        const licenseId = purchase?.licenses[0]?.license_id
        const license = licenseId === undefined ? undefined : await client.licenses.get(licenseId)
        return license?.overrides?.max_activations === seats ? license : undefined
      })
    }
  }
}
