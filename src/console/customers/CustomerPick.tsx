import { useState } from "preact/hooks"
import type { Customer } from "../../client/api/index.ts"
import { useCombobox } from "../combobox/Combobox.ts"
import { ComboboxField } from "../combobox/ComboboxField.tsx"
import { Button } from "../design/Button.tsx"
import { Icon } from "../design/Icon.tsx"
import { mayBeKey } from "../lists/KeyLike.ts"
import { useSettled } from "../lists/Settled.ts"
import { firstOf } from "../session/FirstOf.ts"
import { useLoad } from "../session/Load.ts"

/** How long a typing pause is before the service is searched, in milliseconds. */
const pause = 150

/** How many customers are offered. */
const most = 8

/** A customer who was chosen. */
export type Picked = Pick<Customer, "id" | "name">

const Search = ({ hint, onChange }: {
  readonly hint: string
  readonly onChange: (customer: Picked) => void
}) => {
  const [typed, setTyped] = useState("")
  const text = typed.trim()
  const settled = useSettled(text, pause)
  const { data, error } = useLoad(
    async (client, signal) => ({
      text: settled,
      customers: mayBeKey(settled)
        ? []
        : await firstOf(client.customers.list({ q: settled, limit: most }, { signal }), most)
    }),
    [settled],
    { when: settled !== "" }
  )
  const isCurrent = data?.text === text
  const options = text === "" ? [] : data?.customers ?? []
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
      label="Customer"
      hint={hint}
      of={box}
      keyOf={({ id }) => id}
      text={({ code, email, name }) => (
        <>
          <Icon name="customers" />
          <bdi class="grow clip strong">{name}</bdi>
          <bdi class="quiet small clip">{email ?? code}</bdi>
        </>
      )}
    >
      {error === undefined ? null : <p class="none wrong">Customers could not be searched. Type to try again.</p>}
      {isCurrent && error === undefined && options.length === 0 ? <p class="none quiet">No results</p> : null}
    </ComboboxField>
  )
}

/** A field for a customer who is found on the service. */
export const CustomerPick = ({ customer, hint, onChange }: {
  readonly customer: Picked | undefined
  readonly hint: string
  readonly onChange: (customer: Picked | undefined) => void
}) =>
  customer === undefined ?
    <Search hint={hint} onChange={onChange} /> :
    (
      <div class="field" role="group" aria-label="Customer">
        <span class="label">Customer</span>
        <span class="row wraps">
          <bdi class="strong clip">{customer.name}</bdi>
          <Button small onClick={() => onChange(undefined)}>Choose another customer</Button>
        </span>
      </div>
    )
