import { Effect } from "effect"
import type { ServiceProcess } from "../harness/ServiceProcess.ts"
import { BenchError } from "../harness/ServiceProcess.ts"
import { numberMark } from "./Template.ts"

/** What all copies of a story share: the ids of the catalogue. */
export interface Story {
  readonly shared: ReadonlySet<string>
  readonly accountId: string
  readonly licenseId: string
}

/** The devices of a license, by fingerprint; the first one is validated. */
export const fingerprints = ["machine-1", "machine-2", "machine-3"] as const

/** The Idempotency-Key of the one answer of each license that is kept. */
export const keptKey = "kept"

const year = 365 * 86_400_000

/**
 * Has the service write, through its API, what there is of one customer and of one license of theirs: 3 events of the
 * account; of the license 10 events, 3 devices, 3 uses of a feature, and a lease that was given back. Whoever copies
 * these rows copies what this version of the service writes.
 */
export const tellStory = ({ call }: ServiceProcess): Effect.Effect<Story, BenchError> =>
  Effect.tryPromise({
    try: async () => {
      const product = await call("POST", "/api/v1/products", { name: "Large", code: "large" })
      const policy = await call("POST", `/api/v1/products/${product.id}/policies`, {
        name: "Annual",
        code: "annual",
        license_type: "subscription",
        max_activations: 5,
        max_floating_users: 5,
        floating_timeout_minutes: 60
      })
      const feature = await call("POST", `/api/v1/products/${product.id}/features`, { name: "Render", code: "render" })
      const now = Date.now()
      const period = {
        current_period_start: new Date(now).toISOString(),
        current_period_end: new Date(now + year).toISOString()
      }
      const customer = await call("POST", "/api/v1/customers", {
        name: `Customer ${numberMark}`,
        code: `customer-${numberMark}`,
        email: `customer-${numberMark}@example.com`
      })
      const subscription = await call("POST", `/api/v1/products/${product.id}/subscriptions`, {
        customer_id: customer.id,
        external_system: "billing",
        external_id: `subscription-${numberMark}`,
        status: "active",
        ...period
      })
      const order = await call("POST", `/api/v1/products/${product.id}/orders`, {
        customer_id: customer.id,
        subscription_id: subscription.id,
        external_system: "billing",
        external_id: `order-${numberMark}`,
        status: "paid"
      })
      const { license, license_key } = await call("POST", "/api/v1/licenses", {
        product_id: product.id,
        policy_id: policy.id,
        customer_id: customer.id,
        order_id: order.id,
        subscription_id: subscription.id,
        expires_at: new Date(now + year + year / 10).toISOString()
      })
      await call("POST", `/api/v1/licenses/${license.id}/features`, {
        feature_id: feature.id,
        max_consumptions: 1_000_000_000
      })
      const asApp = (operation: string, key: string, body: object) =>
        call("POST", `/api/v1/license/${operation}`, body, {
          authorization: `License ${license_key}`,
          "idempotency-key": key
        })
      for (const [index, fingerprint] of fingerprints.entries()) {
        await asApp("activate", index === 0 ? keptKey : fingerprint, {
          fingerprint,
          hostname: `host-${index}.example.com`,
          os: "linux"
        })
      }
      for (const use of ["use-1", "use-2", "use-3"]) {
        await asApp("consume", use, { fingerprint: fingerprints[0], feature_code: "render", event_id: use })
      }
      const { lease_token } = await asApp("floating/checkout", "out", { fingerprint: fingerprints[1] })
      await asApp("floating/checkin", "in", { lease_token })
      return {
        shared: new Set<string>([product.id, policy.id, feature.id]),
        accountId: String(customer.id),
        licenseId: String(license.id)
      }
    },
    catch: (cause) => new BenchError({ message: String(cause) })
  })
