import { useLocation } from "preact-iso"
import { Id } from "../design/Copy.tsx"
import { Choice } from "../design/Field.tsx"
import { useNamesOf } from "../lists/NamesOf.ts"
import type { Selection } from "../period/Period.ts"
import type { Narrowed } from "./Use.ts"

const names: Readonly<Record<string, string>> = {
  customer_id: "customer",
  license_id: "license",
  order_id: "order",
  subscription_id: "subscription"
}

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
  const others = Object.entries(narrowed).filter(([name]) => names[name] !== undefined)
  const known = useNamesOf(Object.fromEntries(others))
  if (others.length === 0) return null
  const rest = Object.entries(query).filter(([name]) => names[name] === undefined)
  return (
    <div class="small quiet chosen">
      {others.map(([name, value]) => (
        <span key={name} class="row wraps">
          Filtered by {names[name]} <NameOf id={value} name={known[names[name] as keyof typeof known]} />
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

/** The filter by feature: those that are known, those of `codes`, and the one that is chosen. */
export const FeatureField = (
  { selection: { set }, codes = [], features, narrowed }: {
    readonly selection: Selection
    readonly narrowed: Narrowed
    /** The names of features by their codes. */
    readonly features: ReadonlyMap<string, string>
    readonly codes?: ReadonlyArray<string>
  }
) => {
  const chosen = narrowed.feature_code
  const all = new Set([...codes, ...features.keys(), ...(chosen === undefined ? [] : [chosen])])
  return (
    <Choice
      label="Feature"
      value={chosen ?? ""}
      options={[["", "All"], ...[...all].map((code) => [code, features.get(code) ?? code] as const)]}
      onChange={(feature_code) => set({ feature_code })}
    />
  )
}
