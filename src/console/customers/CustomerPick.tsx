import { useState } from "preact/hooks"
import type { Customer } from "../../client/api/index.ts"
import { useCombobox } from "../ground/combobox/Combobox.ts"
import { ComboboxField } from "../ground/combobox/ComboboxField.tsx"
import { Button } from "../ground/design/Button.tsx"
import { Icon } from "../ground/design/Icon.tsx"
import { mayBeKey } from "../ground/lists/KeyLike.ts"
import { useSettled } from "../ground/lists/Settled.ts"
import { firstOf, useLoad } from "../ground/session/Load.ts"

/** How long a typing pause is before the service is searched, in milliseconds. */
const pause = 150

/** How many customers are offered. */
const most = 8

/** The customers that a text finds. The service searches: no list is held here. A license key is sent in no address. */
export const useFoundCustomers = (text: string, isAllowed = true) => {
  const settled = useSettled(text, pause)
  const { data, error, isLoading } = useLoad(
    async (client, signal) => ({
      text: settled,
      customers: isAllowed && !mayBeKey(settled)
        ? await firstOf(client.customers.list({ q: settled, limit: most }, { signal }), most)
        : []
    }),
    [settled],
    { when: settled !== "" }
  )
  return { data, error, isLoading, isCurrent: data?.text === text, customers: data?.customers ?? [] }
}

/** A customer in a line of a list. */
export const CustomerLine = ({ of }: { readonly of: Customer }) => (
  <>
    <Icon name="customers" />
    <bdi class="grow clip strong">{of.name}</bdi>
    <bdi class="quiet small clip">{of.email ?? of.code}</bdi>
  </>
)

/** The words of a search that failed, or found nothing. */
export const NothingFound = ({ error, isEmpty }: { readonly error: Error | undefined; readonly isEmpty: boolean }) => (
  <>
    {error === undefined ? null : <p class="none wrong">Customers could not be searched. Type to try again.</p>}
    {isEmpty && error === undefined ? <p class="none quiet">No results</p> : null}
  </>
)

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
