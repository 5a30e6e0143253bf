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
    description: "What you sell: products with their versions, the policies that licenses are issued under, the " +
      "features that a license can grant, and custom fields of your own.",
    groups: ["products", "versions", "policies", "features", "custom-fields"],
    guides: ["quick-start", "how-do-i-sell", "policy-fields"]
  },
  {
    name: "Customers",
    description: "Who you sell to, and the erasure of what is personal about them.",
    groups: ["customers", "customer-erasures"],
    guides: ["sell-online", "events"]
  },
  {
    name: "Licenses",
    description: "Issue licenses, find, change, suspend, renew, transfer and revoke them; the devices and floating " +
      "seats that they are used on; and files for machines without a network.",
    groups: ["licenses", "devices", "leases", "offline-files"],
    guides: ["how-do-i-sell", "sell-online", "float-in-an-office", "work-offline", "migrate", "states"]
  },
  {
    name: "Run time",
    description: "What an app asks, with its license key in `Authorization: License <license-key>`: take a seat, ask " +
      "whether it may run, use a quota up, give the seat back; floating seats, and envelopes for use without a " +
      "network. The answers are signed.",
    groups: ["runtime", "self-service", "trials", "floating", "offline", "revocations"],
    guides: ["runtime", "meter-usage", "float-in-an-office", "work-offline", "containers"]
  },
  {
    name: "Commerce",
    description: "Orders and subscriptions of your billing system, mirrored so that licenses can be traced to them.",
    groups: ["commerce"],
    guides: ["sell-online"]
  },
  {
    name: "Webhooks",
    description: "Where events are delivered, and how the deliveries are doing. What is delivered stands under " +
      "`webhooks`.",
    groups: ["webhooks", "ops"],
    guides: ["receive-webhooks", "webhooks", "event-kinds"]
  },
  {
    name: "Evidence",
    description: "The audit-backed feed of everything that happened, with proofs that nothing was changed in it; and " +
      "who did what, refusals included.",
    groups: ["events", "activities"],
    guides: ["audit-and-file", "events"]
  },
  {
    name: "Reports",
    description: "What was used and by whom, read live or frozen into signed files.",
    groups: ["reports", "report-exports"],
    guides: ["reports", "exports", "audit-and-file"]
  },
  {
    name: "Access",
    description:
      "Management keys, which call this API, publishable keys, which open trials, and signing keys, which sign " +
      "its answers.",
    groups: ["api-keys", "publishable-keys", "signing-keys"],
    guides: ["run-it", "sell-online"]
  },
  {
    name: "System",
    description: "Probes, metrics, public keys and these documents. Open to everybody.",
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
