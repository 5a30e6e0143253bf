import type { LicenseTerms, Policy } from "../../client/api/index.ts"
import { Badge, wordsOf } from "../design/Badge.tsx"
import { count } from "../design/Numbers.ts"
import { Facts, Panel } from "../design/Panel.tsx"

/** What each rule is called to people, with its unit. */
const names: Readonly<Record<string, string>> = {
  max_activations: "Devices at most",
  max_floating_users: "Floating seats",
  max_container_instances: "Containers at most",
  floating_timeout_minutes: "A seat is kept for, min",
  grace_period_days: "Grace after expiry, days",
  validation_interval_minutes: "Validated every, min",
  require_heartbeat: "Heartbeat needed",
  allow_offline_activation: "May go offline",
  offline_grace_days: "Offline for, days",
  allow_vm: "In virtual machines",
  allow_container: "In containers",
  max_transfers: "Transfers at most",
  duration: "Runs for",
  expiry_basis: "Counted from",
  maintenance_duration: "Updates for",
  activation_overage: "More devices",
  floating_overage: "More seats",
  lease_unit: "A seat is taken by each",
  follows_subscription: "Follows its subscription",
  component_match: "Components that must match",
  self_service: "Owners manage devices",
  max_self_service_resets: "Their resets at most",
  self_service_period: "In each",
  offline_file_days: "Offline files for, days"
}

const valueOf = (value: number | boolean | string): string =>
  typeof value === "boolean" ? value ? "yes" : "no" : typeof value === "number" ? count(value) : value

/** The rules in force for a license, and where one is not its policy's. */
export const Terms = ({ policy, terms }: { readonly terms: LicenseTerms; readonly policy: Policy }) => (
  <Panel
    title="Rules in force"
    aside={
      <span class="small quiet">
        <bdi>{policy.name}</bdi>
      </span>
    }
  >
    <Facts
      of={Object.entries(terms).map(([name, { from, value }]) => [
        names[name] ?? wordsOf(name),
        <>
          {valueOf(value)} {from === "policy" ? null : <Badge tone="accent">{from}</Badge>}
        </>
      ])}
    />
  </Panel>
)
