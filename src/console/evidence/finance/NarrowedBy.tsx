import { useLocation } from "preact-iso"
import { labels } from "../../../client/api/Labels.ts"
import { Id } from "../../ground/design/Copy.tsx"
import { Choice } from "../../ground/design/Field.tsx"
import { useNamesOf } from "../../ground/lists/NamesOf.ts"
import type { Selection } from "../../ground/period/Period.ts"
import { featureName } from "../figures/NamedFeatures.ts"
import type { NamedFeatures } from "../figures/NamedFeatures.ts"
import type { Narrowed } from "./Use.ts"

/** The filters that only links set. */
const linked = ["customer_id", "license_id", "order_id", "subscription_id"] as const
const isLinked = (name: string): name is typeof linked[number] => (linked as ReadonlyArray<string>).includes(name)

/** The noun of a filter: `customer` of `customer_id`. */
const nounOf = (name: typeof linked[number]) => name.slice(0, -"_id".length) as keyof ReturnType<typeof useNamesOf>

const NameOf = ({ id, name }: { readonly id: string; readonly name: string | undefined }) => (
  <>
    {name === undefined ? null : <bdi class="strong">{name}</bdi>}
    <Id of={id} />
  </>
)

/** The filters of the address that no field shows, and a link that removes them. */
export const NarrowedBy = (
  { selection: { query, set }, narrowed }: { readonly selection: Selection; readonly narrowed: Narrowed }
) => {
  const { path } = useLocation()
  const others = Object.entries(narrowed).flatMap(([name, value]) => isLinked(name) ? [[name, value] as const] : [])
  const known = useNamesOf(Object.fromEntries(others))
  if (others.length === 0) return null
  const rest = Object.entries(query).filter(([name]) => !isLinked(name))
  return (
    <div class="small quiet chosen">
      {others.map(([name, value]) => (
        <span key={name} class="row wraps">
          Filtered by {labels.group[name]} <NameOf id={value} name={known[nounOf(name)]} />
        </span>
      ))}
      <a
        href={`${path}?${new URLSearchParams(rest)}`}
        onClick={(event) => {
          event.preventDefault()
          set(Object.fromEntries(others.map(([name]) => [name, ""])))
        }}
      >
        Show all
      </a>
    </div>
  )
}

/** The filter by feature: the known features, those of `codes`, and the selected one. */
export const FeatureField = (
  { selection: { set }, codes = [], features, narrowed }: {
    readonly selection: Selection
    readonly narrowed: Narrowed
    readonly features: NamedFeatures
    readonly codes?: ReadonlyArray<string>
  }
) => {
  const chosen = narrowed.feature_code
  const all = new Set([...codes, ...features.names.keys(), ...(chosen === undefined ? [] : [chosen])])
  return (
    <Choice
      label="Feature"
      value={chosen ?? ""}
      options={[["", "All"], ...[...all].map((code) => [code, featureName(features, code)] as const)]}
      onChange={(feature_code) => set({ feature_code })}
    />
  )
}
