import type { Feature } from "../../domain/catalog/Feature.ts"
import { policyDefaults } from "../../domain/catalog/Policy.ts"
import type { Policy } from "../../domain/catalog/Policy.ts"
import type { PolicyFeature } from "../../domain/catalog/PolicyFeature.ts"
import type { Product } from "../../domain/catalog/Product.ts"
import type { ProductVersion } from "../../domain/catalog/ProductVersion.ts"
import type { EventKind } from "../../domain/events/EventKind.ts"
import { formatManagementToken, managementTokenPrefix } from "../../domain/security/Credential.ts"
import type { ManagementKey, Scope } from "../../domain/security/ManagementKey.ts"
import { bootstrapActor } from "../../services/events/Provenance.ts"
import type { Cryptography } from "../../services/platform/Cryptography.ts"
import type { Chance } from "./Chance.ts"
import { idAt, instant, nothingTold, unit } from "./Telling.ts"
import type { Told } from "./Telling.ts"

/** How licenses of a policy are sold and used. */
export interface Plan {
  readonly policy: Policy
  readonly product: Product
  /** Out of all sales, relative to the other plans. */
  readonly share: number
  /** Days that one payment is good for; undefined: for ever. */
  readonly days: number | undefined
  /** Whether there is an order, and whether it is for a subscription. */
  readonly sale: "none" | "order" | "subscription"
  /** The probability that a period is not followed by another. */
  readonly churn: number
  /** The usage of each feature by its licenses, in events a year. */
  readonly uses: ReadonlyArray<{ readonly grant: PolicyFeature; readonly perYear: number; readonly amount: number }>
}

/** The actor for the vendor. */
interface Staff {
  readonly shop: string
  readonly support: string
  readonly reporting: string
}

/** The vendor of the story: what it sells, and by which keys. */
export interface Vendor {
  readonly name: string
  readonly products: ReadonlyArray<Product>
  readonly plans: ReadonlyArray<Plan>
  readonly staff: Staff
  readonly told: Told
}

/** The codes of the products, which must be free. */
const productCodes = ["lumen-studio", "lumen-farm", "lumen-insight"] as const

const releases: Readonly<Record<typeof productCodes[number], ReadonlyArray<readonly [string, number]>>> = {
  "lumen-studio": [["4.0.0", 350], ["4.1.0", 240], ["4.2.0", 120], ["5.0.0", 21]],
  "lumen-farm": [["2.3.0", 300], ["2.4.0", 75]],
  "lumen-insight": [["2026.1", 200], ["2026.2", 40]]
}

/** Builds the vendor at the beginning of the story, `from` in Unix milliseconds. Its keys open nothing: nobody has them. */
export const makeVendor = (
  chance: Chance,
  crypto: Pick<Cryptography["Service"], "randomBytes">,
  from: number,
  until: number
): Vendor => {
  const told = nothingTold()
  let at = from
  const happened = (
    type: EventKind,
    resourceId: string,
    data: object,
    metadata?: { readonly [name: string]: string }
  ) => {
    told.events.push({
      id: idAt(chance, "evt", at),
      at,
      account: 0,
      type,
      resourceId,
      data,
      ...(metadata === undefined ? {} : { metadata }),
      actor: bootstrapActor,
      origin: { requestId: idAt(chance, "req", at), ipAddress: "192.0.2.10", traceparent: undefined }
    })
    at += unit * 400
  }
  const born = () => ({ metadata: {}, created_at: instant(at), updated_at: instant(at) })

  const key = (name: string, scopes: ReadonlyArray<Scope>): string => {
    const id = idAt(chance, "key", at)
    const created_at = instant(at)
    const shown: ManagementKey = {
      id,
      name,
      key_prefix: managementTokenPrefix(formatManagementToken(crypto.randomBytes(32))),
      scopes,
      allowed_cidrs: [],
      is_active: true,
      created_at
    }
    const { is_active: _, ...row } = shown
    told.rows.management_keys.push({
      ...row,
      key_hash: `\\x${Buffer.from(crypto.randomBytes(32)).toString("hex")}`,
      last_used_at: instant(until)
    })
    happened("api_key.created", id, shown)
    return id
  }
  const product = (name: string, code: typeof productCodes[number]): Product => {
    const made = { id: idAt(chance, "prod", at), name, code, ...born() }
    told.rows.products.push(made)
    happened("product.created", made.id, made)
    return made
  }
  const feature = ({ id: product_id }: Product, code: string, name: string): Feature => {
    const made = { id: idAt(chance, "feat", at), product_id, code, name, ...born() }
    told.rows.features.push(made)
    happened("feature.created", made.id, made)
    return made
  }
  const policy = (
    { id: product_id }: Product,
    name: string,
    code: string,
    license_type: Policy["license_type"],
    rules: Partial<Policy>
  ): Policy => {
    const { max_container_instances: _containers, max_floating_users: _floating, ...defaults } = policyDefaults
    const made: Policy = {
      id: idAt(chance, "pol", at),
      product_id,
      name,
      code,
      license_type,
      ...defaults,
      ...rules,
      ...born()
    }
    told.rows.policies.push(made)
    happened("policy.created", made.id, made)
    return made
  }
  const grant = ({ id: policy_id }: Policy, of: Feature, terms: Partial<PolicyFeature> = {}): PolicyFeature => {
    const row = { policy_id, feature_id: of.id, enabled: true, metadata: {}, ...terms }
    const made = { ...row, feature_code: of.code, feature_name: of.name }
    told.rows.policy_features.push(row)
    happened("policy.feature_assigned", policy_id, made, { feature_id: of.id, feature_code: of.code })
    return made
  }

  const staff = {
    shop: key("Web shop", ["license:read", "license:write", "product:read"]),
    support: key("Support desk", ["license:read", "license:write", "device:write", "event:read", "report:read"]),
    reporting: key("Finance reports", ["report:read", "report:export"])
  }

  const studio = product("Lumen Studio", "lumen-studio")
  const farm = product("Lumen Farm", "lumen-farm")
  const insight = product("Lumen Insight", "lumen-insight")
  const pdf = feature(studio, "export-pdf", "PDF export")
  const renders = feature(studio, "render", "Renders")
  const frames = feature(farm, "render-frames", "Rendered frames")
  const reports = feature(insight, "reports", "Reports")
  const credits = feature(insight, "credits", "Analysis credits")

  const perpetual = policy(studio, "Perpetual, two machines", "perpetual", "perpetual", {
    max_activations: 2,
    maintenance_duration: "P1Y",
    self_service: true
  })
  const annual = policy(studio, "Annual", "annual", "subscription", { max_activations: 3, grace_period_days: 14 })
  const trial = policy(studio, "Trial of 14 days", "trial", "trial", { duration: "P14D", max_transfers: 0 })
  const floating = policy(farm, "Floating, by the quarter", "floating-quarter", "subscription", {
    max_activations: 2,
    max_floating_users: 6,
    floating_timeout_minutes: 1440,
    require_heartbeat: true,
    grace_period_days: 7
  })
  const monthly = policy(insight, "Monthly, 200 reports", "monthly-200", "subscription", {
    max_activations: 2,
    grace_period_days: 5,
    allow_vm: false
  })
  const prepaid = policy(insight, "Prepaid credits", "credits-1000", "consumption", { max_activations: 5 })

  grant(perpetual, pdf)
  grant(annual, pdf)
  const ofPerpetual = grant(perpetual, renders)
  const ofAnnual = grant(annual, renders)
  const ofFarm = grant(floating, frames)
  const ofMonthly = grant(monthly, reports, { max_consumptions: 200, period: "month" })
  const ofPrepaid = grant(prepaid, credits, { max_consumptions: 1000 })

  for (const made of [studio, farm, insight]) {
    for (const [version, daysAgo] of releases[made.code as typeof productCodes[number]]) {
      at = Math.max(at, from + Math.floor((until - daysAgo * 86_400_000 - from) / unit) * unit)
      const released = {
        id: idAt(chance, "ver", at),
        product_id: made.id,
        version,
        released_at: instant(at),
        ...born()
      }
      told.rows.product_versions.push(released satisfies ProductVersion)
      happened("version.created", released.id, released)
    }
    at = from + (told.events.length + 1) * unit * 400
  }

  const plan = (
    of: Policy,
    terms: Omit<Plan, "policy" | "product">
  ): Plan => ({ policy: of, product: [studio, farm, insight].find(({ id }) => id === of.product_id)!, ...terms })
  return {
    name: "Lumen Works",
    products: [studio, farm, insight],
    staff,
    told,
    plans: [
      plan(perpetual, {
        share: 22,
        days: undefined,
        sale: "order",
        churn: 0,
        uses: [{ grant: ofPerpetual, perYear: 30, amount: 6 }]
      }),
      plan(annual, {
        share: 24,
        days: 365,
        sale: "subscription",
        churn: 0.3,
        uses: [{ grant: ofAnnual, perYear: 45, amount: 9 }]
      }),
      plan(trial, { share: 14, days: 14, sale: "none", churn: 1, uses: [] }),
      plan(floating, {
        share: 12,
        days: 91,
        sale: "subscription",
        churn: 0.12,
        uses: [{ grant: ofFarm, perYear: 60, amount: 240 }]
      }),
      plan(monthly, {
        share: 20,
        days: 30,
        sale: "subscription",
        churn: 0.09,
        uses: [{ grant: ofMonthly, perYear: 80, amount: 60 }]
      }),
      plan(prepaid, {
        share: 8,
        days: undefined,
        sale: "order",
        churn: 0,
        uses: [{ grant: ofPrepaid, perYear: 40, amount: 80 }]
      })
    ]
  }
}
