import { useState } from "preact/hooks"
import type { Customer } from "../../client/api/index.ts"
import { useCombobox } from "../ground/combobox/Combobox.ts"
import { ComboboxField } from "../ground/combobox/ComboboxField.tsx"
import { Button } from "../ground/design/Button.tsx"
import { CustomerLine, NothingFound, useFoundCustomers } from "./FoundCustomers.tsx"

/** A customer who was chosen. */
export type Picked = Pick<Customer, "id" | "name">

const Search = ({ hint, label, onChange }: {
  readonly label: string
  readonly hint: string
  readonly onChange: (customer: Picked) => void
}) => {
  const [typed, setTyped] = useState("")
  const text = typed.trim()
  const { customers, data, error, isCurrent } = useFoundCustomers(text)
  const options = text === "" ? [] : customers
  const box = useCombobox<Customer>({
    text: typed,
    onText: setTyped,
    options,
    answer: data,
    isCurrent,
    isShown: text !== "",
    onChoose: onChange
  })
  return (
    <ComboboxField
      label={label}
      hint={hint}
      of={box}
      keyOf={({ id }) => id}
      text={(customer) => <CustomerLine of={customer} />}
    >
      <NothingFound error={error} isEmpty={isCurrent && options.length === 0} />
    </ComboboxField>
  )
}

/** A field for a customer who is found on the service. */
export const CustomerPick = ({ clear = "Choose another customer", customer, hint, label = "Customer", onChange }: {
  readonly label?: string
  /** The words of the button that takes the chosen one away. */
  readonly clear?: string
  readonly customer: Picked | undefined
  readonly hint: string
  readonly onChange: (customer: Picked | undefined) => void
}) =>
  customer === undefined ?
    <Search label={label} hint={hint} onChange={onChange} /> :
    (
      <div class="field" role="group" aria-label={label}>
        <span class="label">{label}</span>
        <span class="row wraps">
          <bdi class="strong clip">{customer.name}</bdi>
          <Button small onClick={() => onChange(undefined)}>{clear}</Button>
        </span>
      </div>
    )
