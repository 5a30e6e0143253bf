import { useState } from "preact/hooks"
import { useLoad } from "../ground/session/Load.ts"
import { CustomerPick } from "./CustomerPick.tsx"
import type { Picked } from "./CustomerPick.tsx"

/** A field for the customer that another one belongs to, by its ID; empty for none. */
export const ParentField = ({ id, onChange }: {
  readonly id: string
  readonly onChange: (id: string) => void
}) => {
  const [picked, setPicked] = useState<Picked>()
  const isKnown = id === "" || picked?.id === id
  const named = useLoad((client, signal) => client.customers.get(id, { signal }), [id], { when: !isKnown })
  return (
    <CustomerPick
      label="Belongs to"
      clear="Remove"
      customer={id === "" ? undefined : isKnown ? picked : named.data ?? { id, name: id }}
      hint="The group of a company: its licenses share the pools of the group. Leave it empty for none."
      onChange={(customer) => {
        setPicked(customer)
        onChange(customer?.id ?? "")
      }}
    />
  )
}
