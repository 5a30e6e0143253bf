import type { LicenseTerms, Policy } from "../../client/api/index.ts"
import { Badge, wordsOf } from "../design/Badge.tsx"
import { count } from "../design/Numbers.ts"
import { Facts, Panel } from "../design/Panel.tsx"

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
        wordsOf(name),
        <>
          {valueOf(value)} {from === "policy" ? null : <Badge tone="accent">{from}</Badge>}
        </>
      ])}
    />
  </Panel>
)
