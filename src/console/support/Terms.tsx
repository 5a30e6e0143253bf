import type { LicenseTerms, Policy } from "../../client/api/index.ts"
import { labelOf } from "../../client/api/Labels.ts"
import { Badge } from "../design/Badge.tsx"
import { count, some } from "../design/Numbers.ts"
import { Facts, Panel } from "../design/Panel.tsx"

/** The units of the rules that are numbers, by how their names end. */
const units: ReadonlyArray<readonly [ending: string, one: string, many?: string]> = [
  ["_minutes", "min", "min"],
  ["_days", "day"]
]

const valueOf = (name: string, value: number | boolean | string): string => {
  if (typeof value === "boolean") return words[name]?.[value ? 0 : 1] ?? (value ? "Allowed" : "Not allowed")
  if (typeof value === "string") return name === "expiry_basis" ? labelOf("expiryBasis", value) : value
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
        labelOf("term", name),
        <>
          {valueOf(name, value)} {from === "policy" ? null : <Badge tone="accent">{labelOf("termSource", from)}</Badge>}
        </>
      ])}
    />
  </Panel>
)
