import type { GuideName } from "./GuideLinks.ts"

/** A chapter of the reference: its name, what it is about, the groups of operations in it, and where to read on. */
interface Tag {
  readonly name: string
  readonly description: string
  readonly groups: ReadonlyArray<string>
  readonly guides: ReadonlyArray<GuideName>
}

/** The chapters, in the order of the work. */
export const tags: ReadonlyArray<Tag> = [
  {
    name: "Catalog",
    description:
      "Products and their versions, the policies that licenses are issued under, the features that a license " +
      "can grant, and your custom fields.",
    groups: ["products", "versions", "policies", "features", "custom-fields"],
    guides: ["quick-start", "how-do-i-sell", "policy-fields"]
  },
  {
    name: "Customers",
    description: "Your customers, and the erasure of their personal data.",
    groups: ["customers", "customer-pools", "customer-notes", "customer-erasures"],
    guides: ["sell-online", "events"]
  },
  {
    name: "Licenses",
    description:
      "Licenses: issue, find and change, suspend and revoke, renew and transfer. Their users, devices and floating seats, " +
      "files for machines without a network, and usage that a backend reports.",
    groups: [
      "licenses",
      "license-grants",
      "license-users",
      "usage",
      "license-notes",
      "license-views",
      "jobs",
      "devices",
      "leases",
      "offline-files"
    ],
    guides: ["how-do-i-sell", "meter-usage", "sell-online", "float-in-an-office", "work-offline", "migrate", "states"]
  },
  {
    name: "Run time",
    description: "The requests of an app, with its license key in `Authorization: License <license-key>`: activate, " +
      "validate, consume and deactivate; floating seats; and envelopes for offline use. The responses are " +
      "signed.",
    groups: ["runtime", "user-sign-ins", "receipts", "self-service", "trials", "floating", "offline", "revocations"],
    guides: ["runtime", "meter-usage", "float-in-an-office", "work-offline", "containers"]
  },
  {
    name: "Commerce",
    description: "Orders and subscriptions of your billing system, mirrored so that licenses can be traced to them.",
    groups: ["commerce"],
    guides: ["sell-online"]
  },
  {
    name: "Purchases",
    description: "Connections to payment providers, whose purchases become licenses, and how far each purchase is.",
    groups: ["billing", "billing-inbox"],
    guides: ["sell-with-stripe", "move-in", "sell-online"]
  },
  {
    name: "Webhooks",
    description: "Endpoints for events, and the state of their deliveries. The payloads are listed under `webhooks`.",
    groups: ["webhooks", "ops"],
    guides: ["receive-webhooks", "webhooks", "event-kinds"]
  },
  {
    name: "Evidence",
    description:
      "The audit-backed feed of everything that happened, with proofs that nothing was changed in it; and who " +
      "did what, refusals included.",
    groups: ["events", "activities"],
    guides: ["audit-and-file", "events"]
  },
  {
    name: "Reports",
    description: "Usage reports, live or exported to signed files.",
    groups: ["reports", "report-exports"],
    guides: ["reports", "exports", "audit-and-file"]
  },
  {
    name: "Access",
    description:
      "People, their roles, and what needs a second person. API keys call this API, publishable keys open trials, and signing keys sign responses. Each belongs " +
      "to an environment, and the clock of the test environment can be moved.",
    groups: [
      "people",
      "roles",
      "approvals",
      "sessions",
      "sign-ins",
      "passkeys",
      "api-keys",
      "publishable-keys",
      "signing-keys",
      "environments",
      "settings",
      "mail-templates",
      "mail-suppressions"
    ],
    guides: ["people", "run-it", "sell-online", "send-mail"]
  },
  {
    name: "System",
    description: "Probes, metrics, public keys and this documentation. They are public.",
    groups: ["system"],
    guides: ["operations", "run-it"]
  }
]

/** The name of the chapter that a group of operations stands in. */
export const tagOf = (group: string): string => {
  const tag = tags.find(({ groups }) => groups.includes(group))
  if (tag === undefined) throw new TypeError(`No tag has the operations of ${group}`)
  return tag.name
}
