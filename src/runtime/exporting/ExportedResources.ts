import type { Countersign } from "../../client/api/index.ts"

type Entries = AsyncIterable<unknown>

/** A file of an export: its content, and the source of its lines. */
export interface ExportedResource {
  /** The file is this and `.ndjson`. */
  readonly name: string
  readonly text: string
  /** The owner of the entries: the vendor, or each product, policy, customer or license. */
  readonly of?: "products" | "policies" | "customers" | "licenses"
  /** The file that must have lines for this one to have any; otherwise its owners are not queried. */
  readonly needs?: "custom_fields"
  readonly read: (client: Countersign, owner: { readonly id: string; readonly product_id?: string }) => Entries
}

const limit = { limit: 200 } as const

/** Before anything that a service knows. */
const beginning = "2000-01-01T00:00:00Z"

/** The templates of mails that are the vendor's own. */
async function* ownMailTemplates(client: Countersign): Entries {
  for (const { kind, own_languages } of await client.mailTemplates.listKinds()) {
    for (const language of own_languages) yield await client.mailTemplates.get(kind, language)
  }
}

/** Every file of an export, owners before their parts. */
export const exportedResources: ReadonlyArray<ExportedResource> = [
  { name: "products", text: "what is sold", read: (client) => client.products.list(limit) },
  {
    name: "versions",
    text: "releases of products",
    of: "products",
    read: (client, { id }) => client.versions.list(id, limit)
  },
  {
    name: "features",
    text: "what licenses can grant",
    of: "products",
    read: (client, { id }) => client.features.list(id, limit)
  },
  {
    name: "policies",
    text: "the rules that licenses are under",
    of: "products",
    read: (client, { id }) => client.policies.list(id, limit)
  },
  {
    name: "policy_features",
    text: "the features that policies grant",
    of: "policies",
    read: (client, { id, product_id }) => client.policies.listFeatures(product_id!, id, limit)
  },
  {
    name: "custom_fields",
    text: "definitions of custom fields",
    of: "products",
    read: (client, { id }) => client.customFields.list(id, limit)
  },
  {
    name: "publishable_keys",
    text: "keys that open trials, which are no secrets",
    of: "products",
    read: (client, { id }) => client.publishableKeys.list(id, limit)
  },
  { name: "people", text: "who works with the service, and their roles", read: (client) => client.people.list(limit) },
  { name: "roles", text: "sets of scopes that people have", read: (client) => client.roles.list(limit) },
  { name: "sessions", text: "where people are signed in", read: (client) => client.sessions.list(limit) },
  { name: "customers", text: "to whom it is sold", read: (client) => client.customers.list(limit) },
  {
    name: "subscriptions",
    text: "recurring contracts",
    of: "products",
    read: (client, { id }) => client.subscriptions.list(id, limit)
  },
  { name: "orders", text: "purchases", of: "products", read: (client, { id }) => client.orders.list(id, limit) },
  {
    name: "licenses",
    text: "licenses with their overrides; of each key only the beginning and the last four characters",
    read: (client) => client.licenses.list(limit)
  },
  {
    name: "license_features",
    text: "features of licenses, and what was used of them",
    of: "licenses",
    read: (client, { id }) => client.licenses.listFeatures(id, limit)
  },
  {
    name: "license_grants",
    text: "units that licenses have in addition to their quotas, and what is used of them",
    of: "licenses",
    read: (client, { id }) => client.licenses.listGrants(id, { ...limit, order: "asc" })
  },
  {
    name: "license_users",
    text: "people who use licenses, or are invited to",
    of: "licenses",
    read: (client, { id }) => client.licenses.listUsers(id, { ...limit, order: "asc" })
  },
  {
    name: "devices",
    text: "machines and containers of licenses",
    of: "licenses",
    read: (client, { id }) => client.licenses.listDevices(id, limit)
  },
  {
    name: "leases",
    text: "floating seats, open and ended",
    of: "licenses",
    read: (client, { id }) => client.licenses.listLeases(id, limit)
  },
  {
    name: "offline_files",
    text: "license files for machines without a network that were issued",
    of: "licenses",
    read: (client, { id }) => client.offlineFiles.list(id, limit)
  },
  {
    name: "customer_custom_fields",
    text: "values of custom fields of customers",
    of: "customers",
    needs: "custom_fields",
    read: (client, { id }) => client.customers.listCustomFieldValues(id, limit)
  },
  {
    name: "customer_pools",
    text: "units that the licenses of customers share, and what is used of them",
    of: "customers",
    read: (client, { id }) => client.customers.listPools(id, { ...limit, order: "asc" })
  },
  {
    name: "license_custom_fields",
    text: "values of custom fields of licenses",
    of: "licenses",
    needs: "custom_fields",
    read: (client, { id }) => client.licenses.listCustomFieldValues(id, limit)
  },
  {
    name: "usage_ledger",
    text: "each use of a feature and each correction, as far as they are kept",
    read: (client) => client.reports.usageLedger({ ...limit, from: beginning })
  },
  {
    name: "activities",
    text: "who did what, and what was refused, as far as it is kept",
    read: (client) => client.activities.list({ ...limit, from: beginning })
  },
  {
    name: "billing_connections",
    text: "connections to payment providers, without their secrets",
    read: (client) => client.billingConnections.list(limit)
  },
  { name: "purchases", text: "what was bought at payment providers", read: (client) => client.purchases.list(limit) },
  { name: "mail_templates", text: "mails in the vendor's own words", read: ownMailTemplates },
  {
    name: "mail_suppressions",
    text: "addresses that get no mails",
    read: (client) => client.mailSuppressions.list(limit)
  },
  { name: "webhooks", text: "endpoints, without their secrets", read: (client) => client.webhooks.list(limit) },
  { name: "api_keys", text: "API keys, without their tokens", read: (client) => client.apiKeys.list(limit) },
  {
    name: "signing_keys",
    text: "public keys that signatures verify with; the private keys never leave the service",
    read: (client) => client.signingKeys.list(limit)
  },
  {
    name: "events",
    text: "the event feed: everything that happened, each use of a feature among it (license.usage_recorded)",
    read: (client) => client.events.list({ ...limit, order: "asc" })
  }
]
