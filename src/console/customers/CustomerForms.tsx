import { useLocation } from "preact-iso"
import { useRef, useState } from "preact/hooks"
import type { Countersign, Customer } from "../../client/api/index.ts"
import { codeOf } from "../catalog/policies/CodeOf.ts"
import { Choice, TextField } from "../ground/design/Field.tsx"
import { EditAction } from "../ground/forms/EditAction.tsx"
import type { SetTexts } from "../ground/forms/EditAction.tsx"
import { chosenLanguage, languageName, languageOptions } from "../ground/forms/MailLanguages.ts"
import { Action } from "../ground/session/Action.tsx"
import { useDraft } from "../ground/session/Draft.tsx"
import { useLoad } from "../ground/session/Load.ts"
import { CustomerPick } from "./CustomerPick.tsx"
import type { Picked } from "./CustomerPick.tsx"

/** A field for the customer that another one belongs to, by its ID; empty for none. */
const ParentField = ({ id, onChange }: {
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

const labels = {
  name: "Name",
  email: "Email",
  language: "Language of mails",
  code: "Code",
  parent_id: "Belongs to"
} as const

type CustomerTexts = Readonly<Record<keyof typeof labels, string>>

const isMember = (name: string): name is keyof typeof labels => Object.hasOwn(labels, name)

const labelOf = (name: string): string => isMember(name) ? labels[name] : name

interface FieldsProps {
  readonly texts: CustomerTexts
  readonly set: SetTexts<CustomerTexts>
}

const Fields = ({ set, texts }: FieldsProps) => (
  <>
    <TextField
      label={labels.name}
      path="name"
      value={texts.name}
      onChange={(name) => set({ name })}
      maxLength={255}
      autocomplete="off"
      required
      isFirst
    />
    <TextField
      label={labels.email}
      path="email"
      type="email"
      value={texts.email}
      onChange={(email) => set({ email })}
      maxLength={320}
      autocomplete="off"
    />
    <Choice
      label={labels.language}
      path="language"
      value={texts.language}
      onChange={(language) => set({ language })}
      options={languageOptions("As in the settings")}
    />
    <TextField
      label={labels.code}
      path="code"
      value={texts.code}
      onChange={(code) => set({ code })}
      maxLength={128}
      autocomplete="off"
      hint="A short name for programs, unique among customers"
    />
    <ParentField id={texts.parent_id} onChange={(parent_id) => set({ parent_id })} />
  </>
)

const isComplete = ({ code, name }: Pick<CustomerTexts, "code" | "name">): boolean =>
  name.trim() !== "" && code.trim() !== ""

const blank = { name: "", email: "", language: "", code: "", parent_id: "", system: "", externalId: "" }

/** The IDs of a customer in a billing system, which are given once. */
const ExternalFields = ({ externalId, set, system }: {
  readonly system: string
  readonly externalId: string
  readonly set: (texts: { readonly system?: string; readonly externalId?: string }) => void
}) => (
  <details class="more">
    <summary>ID in a billing system</summary>
    <div class="filters">
      <TextField
        label="System"
        path="external_system"
        value={system}
        onChange={(next) => set({ system: next })}
        placeholder="stripe"
        maxLength={64}
        autocomplete="off"
      />
      <TextField
        label="ID there"
        path="external_id"
        value={externalId}
        onChange={(next) => set({ externalId: next })}
        placeholder="cus_9s6X…"
        maxLength={255}
        autocomplete="off"
      />
    </div>
  </details>
)

/** Creates a customer, and leads to its page. */
export const NewCustomer = () => {
  const { route } = useLocation()
  const draft = useDraft("customer", blank)
  const texts = draft.values
  const made = useRef("")
  const set = (next: Partial<typeof blank>) =>
    draft.set({
      ...next,
      // The code follows the name until it is edited.
      ...(next.name !== undefined && texts.code === codeOf(texts.name) ? { code: codeOf(next.name) } : {})
    })
  const { externalId, system } = texts
  return (
    <Action
      label="New customer"
      weight="main"
      scope="customer:write"
      says="A customer owns licenses, and sees them in the self-service portal."
      fields={
        <>
          <Fields texts={texts} set={set} />
          <ExternalFields externalId={externalId} system={system} set={set} />
        </>
      }
      draft={draft}
      isReady={isComplete(texts) && (system.trim() === "") === (externalId.trim() === "")}
      perform={async (client, options) => {
        const language = chosenLanguage(texts.language)
        const customer = await client.customers.create({
          name: texts.name.trim(),
          code: texts.code.trim(),
          ...(texts.email.trim() === "" ? {} : { email: texts.email.trim() }),
          ...(language === null ? {} : { language }),
          ...(texts.parent_id === "" ? {} : { parent_id: texts.parent_id }),
          ...(system.trim() === "" ? {} : { external_system: system.trim(), external_id: externalId.trim() })
        }, options)
        made.current = customer.id
        return customer
      }}
      done={({ name }) => (
        <span>
          Customer <bdi class="strong">{name}</bdi> created.
        </span>
      )}
      onDone={() => route(`/console/customers/${made.current}`)}
    />
  )
}

const read = (id: string) => async (client: Countersign, signal?: AbortSignal) => {
  const { data, response } = await client.customers.get(id, signal === undefined ? {} : { signal }).withResponse()
  return {
    texts: {
      name: data.name,
      email: data.email ?? "",
      language: data.language ?? "",
      code: data.code,
      parent_id: data.parent_id ?? ""
    },
    etag: response.headers.get("etag") ?? undefined
  }
}

/** Changes the name, the email address, the language and the code of a customer, and whom it belongs to. */
export const EditCustomer = ({ customer, onChange }: {
  readonly customer: Pick<Customer, "id">
  readonly onChange: () => void
}) => (
  <EditAction<CustomerTexts, Customer>
    label="Edit customer"
    scope="customer:write"
    says="Licenses of the customer show the new name at once, unless they have an owner's name of their own."
    read={read(customer.id)}
    labelOf={labelOf}
    shown={(name, text) => name === "language" ? languageName(text) : text}
    fields={(texts, set) => <Fields texts={texts} set={set} />}
    isReady={isComplete}
    write={(client, { parent_id, ...changed }, options) =>
      client.customers.update(
        customer.id,
        {
          ...Object.fromEntries(Object.entries(changed).map(([name, text]) => [name, text?.trim()])),
          ...(changed.language === undefined ? {} : { language: chosenLanguage(changed.language) }),
          ...(parent_id === undefined ? {} : { parent_id: parent_id === "" ? null : parent_id })
        },
        options
      )}
    done={({ name }) => (
      <span>
        <bdi class="strong">{name}</bdi> saved.
      </span>
    )}
    onDone={onChange}
  />
)
