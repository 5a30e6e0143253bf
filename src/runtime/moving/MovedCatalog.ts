import type { Countersign } from "../../client/api/index.ts"
import type { Entry, EntryFile } from "./ExportDirectory.ts"
import type { Ids } from "./MovedGrants.ts"

type Client = Countersign

/** Bodies are built from answers of the same operations, so they are valid; the generated types cannot know that. */
type Body = any

/** A file with few entries, or with entries found by a field, which others refer to. */
export interface MovedResource {
  readonly name: EntryFile
  /** The field that tells an entry from others of its owner in both services. */
  readonly keyOf: (entry: Entry) => string
  /** The entries that the new service has already: of a product, or all. */
  readonly list: (client: Client, product: string) => AsyncIterable<unknown>
  /** False where there are entries of the vendor and not of each product. */
  readonly isOfProduct: boolean
  readonly create: (client: Client, entry: Entry, ids: Ids) => PromiseLike<unknown>
}

const limit = { limit: 200 } as const

const without = (entry: Entry, ...names: ReadonlyArray<string>): Body =>
  Object.fromEntries(
    Object.entries(entry).filter(([name]) => !["id", "created_at", "updated_at", "product_id", ...names].includes(name))
  )

/** An ID of the old service, translated to the new one. */
const linked = (entry: Entry, ids: Ids, ...names: ReadonlyArray<string>): Body =>
  Object.fromEntries(names.flatMap((name) => {
    const id = entry[name]
    return typeof id === "string" ? [[name, ids.get(id) ?? id]] : []
  }))

const productOf = (entry: Entry, ids: Ids): string =>
  ids.get(String(entry["product_id"])) ?? String(entry["product_id"])

const external = ({ external_id, external_system }: Entry): string => JSON.stringify([external_system, external_id])

/** The resources that licenses depend on, owners first. */
export const movedCatalog: ReadonlyArray<MovedResource> = [
  {
    name: "products",
    isOfProduct: false,
    keyOf: ({ code }) => String(code),
    list: (client) => client.products.list(limit),
    create: async (client, entry) => {
      // Former codes are set one after the other.
      const [first, ...later] = [...entry["former_codes"] as ReadonlyArray<string> | undefined ?? [], entry["code"]]
      let made = await client.products.create({ ...without(entry, "former_codes", "former_code_uses"), code: first })
      for (const code of later) made = await client.products.update(made.id, { code: code as string })
      return made
    }
  },
  {
    name: "versions",
    isOfProduct: true,
    keyOf: ({ version }) => String(version),
    list: (client, product) => client.versions.list(product, limit),
    create: (client, entry, ids) => client.versions.create(productOf(entry, ids), without(entry))
  },
  {
    name: "features",
    isOfProduct: true,
    keyOf: ({ code }) => String(code),
    list: (client, product) => client.features.list(product, limit),
    create: (client, entry, ids) => client.features.create(productOf(entry, ids), without(entry, "archived_at"))
  },
  {
    name: "policies",
    isOfProduct: true,
    keyOf: ({ code }) => String(code),
    list: (client, product) => client.policies.list(product, limit),
    create: (client, entry, ids) => client.policies.create(productOf(entry, ids), without(entry))
  },
  {
    name: "custom_fields",
    isOfProduct: true,
    keyOf: ({ code, resource_type }) => JSON.stringify([resource_type, code]),
    list: (client, product) => client.customFields.list(product, limit),
    create: (client, entry, ids) => client.customFields.create(productOf(entry, ids), without(entry))
  },
  {
    name: "customers",
    isOfProduct: false,
    keyOf: ({ code }) => String(code),
    list: (client) => client.customers.list(limit),
    // Parents are given when all customers are there.
    create: (client, entry) => client.customers.create(without(entry, "parent_id"))
  },
  {
    name: "subscriptions",
    isOfProduct: true,
    keyOf: external,
    list: (client, product) => client.subscriptions.list(product, limit),
    create: (client, entry, ids) =>
      client.subscriptions.create(productOf(entry, ids), {
        ...without(entry, "customer_id"),
        ...linked(entry, ids, "customer_id")
      })
  },
  {
    name: "orders",
    isOfProduct: true,
    keyOf: external,
    list: (client, product) => client.orders.list(product, limit),
    create: (client, entry, ids) =>
      client.orders.create(productOf(entry, ids), {
        ...without(entry, "customer_id", "subscription_id"),
        ...linked(entry, ids, "customer_id", "subscription_id")
      })
  }
]

/** The request for a license of an export; its state is set once its devices exist. */
export const licenseRequest = (license: Entry, ids: Ids, license_key: string, state: string): Body => {
  const isOpen = license["awaits_activation"] === true || license["follows_subscription"] === true
  const times = ["starts_at", "expires_at", "maintenance_expires_at"]
  const kept = [
    "customer_email",
    "customer_name",
    "activate_before",
    "overrides",
    "trusted_issuer",
    "tags",
    "metadata",
    ...isOpen ? [] : times
  ]
  const further = license["product_ids"]
  return {
    ...Object.fromEntries(kept.flatMap((name) => license[name] === undefined ? [] : [[name, license[name]]])),
    ...linked(license, ids, "product_id", "policy_id", "customer_id", "order_id", "subscription_id"),
    ...(Array.isArray(further) ? { product_ids: further.map((id: string) => ids.get(id) ?? id) } : {}),
    ...(license["follows_subscription"] === true || license["subscription_id"] !== undefined
      ? { follows_subscription: license["follows_subscription"] === true }
      : {}),
    ...(license["awaits_activation"] === true && license["activate_before"] !== undefined
      ? { activate_before: license["activate_before"] }
      : {}),
    ...(state === "suspended" || state === "revoked" ? { status: state } : {}),
    license_key
  }
}

/** The request for a feature that a license has of its own; undefined where its policy alone grants it. */
export const featureRequest = (feature: Entry, ids: Ids): Body | undefined => {
  if (feature["from"] === "policy") return undefined
  const isOwnQuota = feature["from"] === undefined || feature["quota_from"] !== "policy"
  const isOwnValue = feature["value_from"] === "license"
  const kept = [
    "enabled",
    "expires_at",
    "metadata",
    "quota_thresholds",
    "remaining_thresholds",
    ...isOwnValue ? ["value"] : [],
    ...isOwnQuota ? ["max_consumptions", "period", "overage"] : []
  ]
  return {
    ...Object.fromEntries(kept.flatMap((name) => feature[name] === undefined ? [] : [[name, feature[name]]])),
    ...linked(feature, ids, "feature_id")
  }
}

/** The request for the usage of a feature, and for the credits beyond its quota. */
export const usageRequest = (feature: Entry, ids: Ids, credits: number): Body => ({
  ...linked(feature, ids, "feature_id"),
  total_consumptions: feature["total_consumptions"],
  ...(credits > 0 ? { add_credits: credits } : {})
})

/** The request that activates a device. Its components are not known: services store keyed hashes of them. */
export const deviceRequest = (device: Entry): Body => {
  const names = device["is_container"] === true
    ? ["container_id", "cluster_id", "namespace", "pod_name", "fingerprint"]
    : ["fingerprint"]
  return Object.fromEntries(
    [...names, "hostname", "os", "app_version", "is_vm", "is_container"].flatMap((name) =>
      device[name] === undefined || device[name] === false ? [] : [[name, device[name]]]
    )
  )
}

/** The value of a custom field as it is given. */
export const valueRequest = (value: Entry): Body | undefined => {
  const name = ["string_value", "integer_value", "boolean_value", "datetime_value", "enum_value"]
    .find((member) => value[member] !== undefined)
  return name === undefined ? undefined : { [name]: value[name] }
}

/** The request for a feature that a policy grants. */
export const grantRequest = (grant: Entry, ids: Ids): Body => ({
  ...without(grant, "policy_id", "feature_id", "feature_code", "feature_name", "decimals", "meter", "meter_dimension"),
  ...linked(grant, ids, "feature_id")
})
