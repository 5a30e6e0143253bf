import { useEffect, useRef, useState } from "preact/hooks"
import type { Customer } from "../../client/api/index.ts"
import { useCombobox } from "../ground/combobox/Combobox.ts"
import { ComboboxField } from "../ground/combobox/ComboboxField.tsx"
import { Button } from "../ground/design/Button.tsx"
import { TextField } from "../ground/design/Field.tsx"
import { may } from "../ground/session/Session.ts"
import { CustomerLine, NothingFound, useFoundCustomers } from "./CustomerPick.tsx"
import type { DraftCustomer } from "./DraftCustomer.ts"

/** A customer who is known, or one to be created from the text. */
type Option = { readonly known: Customer } | { readonly created: string }

/** A new customer from what was typed: an address, or a name. */
const createdFrom = (text: string): DraftCustomer =>
  text.includes("@") ? { kind: "new", name: "", email: text } : { kind: "new", name: text, email: "" }

/** The customers that a text finds, and the offer to create one. The service searches: no list is held here. */
const useOffered = (text: string) => {
  const { customers, ...found } = useFoundCustomers(text, may("customer:read"))
  const known = customers.map((customer): Option => ({ known: customer }))
  const created: ReadonlyArray<Option> = text !== "" && may("customer:write") ? [{ created: text }] : []
  return { ...found, options: [...known, ...created] }
}

const OptionText = ({ of }: { readonly of: Option }) =>
  "known" in of
    ? <CustomerLine of={of.known} />
    : (
      <span class="clip">
        New customer “<bdi class="strong">{of.created}</bdi>”
      </span>
    )

const Search = ({ onChange }: { readonly onChange: (customer: DraftCustomer) => void }) => {
  const [typed, setTyped] = useState("")
  const text = typed.trim()
  const { data, error, isCurrent, isLoading, options } = useOffered(text)
  const box = useCombobox<Option>({
    text: typed,
    onText: setTyped,
    options,
    answer: data,
    isCurrent,
    isShown: text !== "",
    onChoose: (option) =>
      onChange(
        "known" in option
          ? { kind: "known", id: option.known.id, name: option.known.name }
          : createdFrom(option.created)
      )
  })
  return (
    <ComboboxField
      label="Customer"
      hint={may("customer:read")
        ? "Words of a name or email, a domain, or an ID. A license needs no customer."
        : "Your token cannot see customers. Enter a new one, or leave it empty."}
      of={box}
      keyOf={(option) => "known" in option ? option.known.id : "created"}
      text={(option) => <OptionText of={option} />}
    >
      {isLoading && !isCurrent ? <p class="none quiet">Searching…</p> : null}
      <NothingFound error={error} isEmpty={isCurrent && options.length === 0} />
    </ComboboxField>
  )
}

const Chosen = (
  { customer, onOther }: {
    readonly customer: Extract<DraftCustomer, { kind: "known" }>
    readonly onOther: () => void
  }
) => (
  <div class="field" role="group" aria-label="Customer">
    <span class="label">Customer</span>
    <span class="row wraps">
      <bdi class="strong clip">{customer.name}</bdi>
      <Button small onClick={onOther}>Choose another customer</Button>
    </span>
  </div>
)

const Created = (
  { customer, onChange, onOther }: {
    readonly customer: Extract<DraftCustomer, { kind: "new" }>
    readonly onChange: (customer: DraftCustomer) => void
    readonly onOther: () => void
  }
) => (
  <fieldset class="field new-customer">
    <legend class="label">New customer</legend>
    <div class="pair">
      <TextField
        label="Name"
        path="customer.name"
        value={customer.name}
        onChange={(name) => onChange({ ...customer, name })}
        maxLength={255}
        autocomplete="off"
        required
      />
      <TextField
        label="Email"
        type="email"
        path="customer.email"
        value={customer.email}
        onChange={(email) => onChange({ ...customer, email })}
        maxLength={320}
        autocomplete="off"
        hint="A customer who has it already gets the license"
        required
      />
    </div>
    <span class="row">
      <Button small onClick={onOther}>Choose another customer</Button>
    </span>
  </fieldset>
)

/** The field for the customer of a license: found on the service, or entered here and created with the license. */
export const CustomerField = (
  { customer, onChange }: {
    readonly customer: DraftCustomer
    readonly onChange: (customer: DraftCustomer) => void
  }
) => {
  const place = useRef<HTMLDivElement>(null)
  const before = useRef(customer.kind)
  // The element with the focus is gone: the next one to fill in takes it over.
  useEffect(() => {
    if (before.current === customer.kind) return
    before.current = customer.kind
    const fields = [...place.current?.querySelectorAll("input") ?? []]
    const next = fields.find(({ value }) => value === "") ?? place.current?.querySelector("button")
    next?.focus()
  }, [customer.kind])
  const onOther = () => onChange({ kind: "none" })
  return (
    <div ref={place}>
      {customer.kind === "none"
        ? <Search onChange={onChange} />
        : customer.kind === "known"
        ? <Chosen {...{ customer, onOther }} />
        : <Created {...{ customer, onChange, onOther }} />}
    </div>
  )
}
