import { useLocation } from "preact-iso"
import type { Asked } from "../period/Period.ts"
import type { Narrowed } from "./Use.ts"

const names: Readonly<Record<string, string>> = {
  customer_id: "customer",
  license_id: "license",
  order_id: "order",
  subscription_id: "subscription"
}

/** What a report of use is narrowed by in its address, which no field shows, and the way back to all of it. */
export const NarrowedBy = (
  { asked: { query, set }, narrowed }: { readonly asked: Asked; readonly narrowed: Narrowed }
) => {
  const { path } = useLocation()
  const others = Object.entries(narrowed).filter(([name]) => names[name] !== undefined)
  if (others.length === 0) return null
  const rest = Object.entries(query).filter(([name]) => names[name] === undefined)
  return (
    <p class="small quiet chosen">
      {others.map(([name, value]) => (
        <span key={name}>
          Only of {names[name]} <code>{value}</code>
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
    </p>
  )
}
