import type { LicenseTerms, Policy } from "../../client/api/index.ts"
import { Badge, wordsOf } from "../design/Badge.tsx"
import { count, some } from "../design/Numbers.ts"
import { Facts, Panel } from "../design/Panel.tsx"

/** The label of each rule. */
const names: Readonly<Record<string, string>> = {
  max_activations: "Device limit",
  max_floating_users: "Floating seat limit",
  max_container_instances: "Container limit",
  floating_timeout_minutes: "Floating seat timeout",
  grace_period_days: "Grace period",
  validation_interval_minutes: "Validation interval",
  require_heartbeat: "Heartbeat",
  allow_offline_activation: "Offline use",
  offline_grace_days: "Offline duration",
  allow_vm: "Virtual machines",
  allow_container: "Containers",
  max_transfers: "Transfer limit",
  duration: "License duration",
  expiry_basis: "Expiration basis",
  maintenance_duration: "Maintenance period",
  activation_overage: "Device overage",
  floating_overage: "Floating seat overage",
  lease_unit: "One floating seat per",
  follows_subscription: "Follows the subscription",
  component_match: "Matching components",
  self_service: "Self-service",
  max_self_service_resets: "Self-service reset limit",
  self_service_period: "Reset period",
  offline_file_days: "Offline file duration"
}

/** The units of the rules that are numbers, by how their names end. */
const units: ReadonlyArray<readonly [ending: string, one: string, many?: string]> = [
  ["_minutes", "min", "min"],
  ["_days", "day"]
]

const valueOf = (name: string, value: number | boolean | string): string => {
  if (typeof value === "boolean") return words[name]?.[value ? 0 : 1] ?? (value ? "Allowed" : "Not allowed")
  if (typeof value === "string") return /^[a-z_]+$/.test(value) ? wordsOf(value) : value
  const unit = units.find(([ending]) => name.endsWith(ending))
  return unit === undefined ? count(value) : some(value, unit[1], unit[2])
}

/** The words for on and off of rules that do not allow something. */
const words: Readonly<Record<string, readonly [on: string, off: string]>> = {
  require_heartbeat: ["Required", "Not required"],
  follows_subscription: ["On", "Off"],
  self_service: ["On", "Off"]
}

/** The effective policy of a license, with a badge where a rule is overridden. */
export const Terms = ({ policy, terms }: { readonly terms: LicenseTerms; readonly policy: Policy }) => (
  <Panel
    title="Effective policy"
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
          {valueOf(name, value)} {from === "policy" ? null : <Badge tone="accent">{from}</Badge>}
        </>
      ])}
    />
  </Panel>
)
