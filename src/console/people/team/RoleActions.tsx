import { useEffect, useState } from "preact/hooks"
import { consequenceOf } from "../../../client/api/Consequence.ts"
import type { ManagementScope, Role, SecondLookAction } from "../../../client/api/index.ts"
import { TextField } from "../../ground/design/Field.tsx"
import { some } from "../../ground/design/Numbers.ts"
import { Action } from "../../ground/session/Action.tsx"
import { useDraft } from "../../ground/session/Draft.tsx"
import { useLoad } from "../../ground/session/Load.ts"
import { Loading } from "../../ground/session/Loading.tsx"
import { identity } from "../../ground/session/Session.ts"
import { isWhole, ProductsField } from "../../keys/rights/ProductsField.tsx"
import { RightsMatrix } from "../../keys/rights/RightsMatrix.tsx"
import { SecondLookField } from "./SecondLookField.tsx"

interface Draft {
  readonly name: string
  readonly description: string
  readonly scopes: ReadonlyArray<ManagementScope>
  readonly products: ReadonlyArray<string> | undefined
  readonly secondLook: ReadonlyArray<SecondLookAction>
}

const Fields = ({ draft, set }: { readonly draft: Draft; readonly set: (changes: Partial<Draft>) => void }) => (
  <>
    <TextField
      label="Name"
      path="name"
      value={draft.name}
      onChange={(name) => set({ name })}
      autocomplete="off"
      maxLength={255}
      isFirst
    />
    <TextField
      label="Description (optional)"
      path="description"
      value={draft.description}
      onChange={(description) => set({ description })}
      autocomplete="off"
      maxLength={1000}
    />
    <RightsMatrix value={draft.scopes} onChange={(scopes) => set({ scopes })} held={identity.value?.scopes ?? []} />
    <ProductsField value={draft.products} onChange={(products) => set({ products })} />
    <SecondLookField value={draft.secondLook} onChange={(secondLook) => set({ secondLook })} />
  </>
)

const isReady = ({ name, products, scopes }: Draft): boolean =>
  name.trim() !== "" && scopes.length > 0 && isWhole(products)

const bodyOf = ({ description, name, products, scopes, secondLook }: Draft) => ({
  name: name.trim(),
  description: description.trim(),
  scopes: [...scopes],
  product_ids: products === undefined ? null : [...products],
  second_look: [...secondLook]
})

const nothing: Draft = { name: "", description: "", scopes: [], products: undefined, secondLook: [] }

/** Makes a role of the vendor's own. */
export const NewRole = ({ onChange }: { readonly onChange: () => void }) => {
  const draft = useDraft("role", nothing)
  return (
    <Action
      label="New role"
      scope="people:write"
      says="A role is what people are given together. Choose for each area what they may do."
      fields={<Fields draft={draft.values} set={draft.set} />}
      draft={draft}
      isReady={isReady(draft.values)}
      secondLook="change_roles"
      perform={(client, options) => client.roles.create(bodyOf(draft.values), options)}
      done={({ name }) => (
        <span>
          <bdi class="strong">{name}</bdi> created. Give it to people on their pages.
        </span>
      )}
      onDone={onChange}
    />
  )
}

interface ChangeProps {
  readonly role: Role
  readonly bearers: number | undefined
  readonly onChange: () => void
}

/** A role as its editing began. */
interface Read {
  readonly etag: string | undefined
  readonly loaded: Draft
}

const draftOf = ({ description = "", name, product_ids, scopes, second_look = [] }: Role): Draft => ({
  name,
  description,
  scopes,
  products: product_ids,
  secondLook: second_look
})

/** The members that were changed, and no others: what a colleague changes meanwhile stays. */
const changesOf = (loaded: Draft, draft: Draft) => {
  const [before, after] = [bodyOf(loaded), bodyOf(draft)]
  const isSame = (name: keyof typeof after) => JSON.stringify(before[name]) === JSON.stringify(after[name])
  return {
    ...(isSame("name") ? {} : { name: after.name }),
    ...(isSame("description") ? {} : { description: after.description }),
    ...(isSame("scopes") ? {} : { scopes: after.scopes }),
    ...(isSame("product_ids") ? {} : { product_ids: after.product_ids }),
    ...(isSame("second_look") ? {} : { second_look: after.second_look })
  }
}

/** The fields of a role, which is read when its dialog opens. */
const EditFields = ({ draft, role: { id, is_built_in }, set, setRead }: {
  readonly role: Role
  readonly draft: Draft | undefined
  readonly set: (changes: Partial<Draft>) => void
  readonly setRead: (read: Read | undefined) => void
}) => {
  const found = useLoad((client, signal) => client.roles.get(id, { signal }).withResponse(), [id])
  useEffect(() => {
    if (found.data === undefined) return
    setRead({ etag: found.data.response.headers.get("etag") ?? undefined, loaded: draftOf(found.data.data) })
  }, [found.data])
  useEffect(() => () => setRead(undefined), [])
  return (
    <Loading of={found} lines={6}>
      {() =>
        draft === undefined
          ? null
          : is_built_in
          ? <SecondLookField value={draft.secondLook} onChange={(secondLook) => set({ secondLook })} />
          : <Fields draft={draft} set={set} />}
    </Loading>
  )
}

/** Changes a role for everybody who has it; of a built-in one, what it needs a second person for. */
export const EditRole = ({ bearers, onChange, role }: ChangeProps) => {
  const [read, setRead] = useState<Read>()
  const draft = useDraft(`role ${role.id}`, read?.loaded ?? draftOf(role))
  const shown = read === undefined ? undefined : draft.values
  return (
    <Action
      label={role.is_built_in ? "Second person" : "Edit"}
      small
      scope="people:write"
      says={bearers === undefined || bearers === 0
        ? "No person has this role yet."
        : `Takes effect at once, for ${some(bearers, "person", "people")}.`}
      fields={<EditFields role={role} draft={shown} set={draft.set} setRead={setRead} />}
      draft={draft}
      about={role.id}
      isReady={shown !== undefined && isReady(shown)}
      secondLook="change_roles"
      perform={(client, options) =>
        client.roles.update(role.id, changesOf(read?.loaded ?? draftOf(role), draft.values), {
          ...options,
          ...(read?.etag === undefined ? {} : { ifMatch: read.etag })
        })}
      done={({ name }) => (
        <span>
          <bdi class="strong">{name}</bdi> changed.
        </span>
      )}
      onDone={onChange}
    />
  )
}

/** Deletes a role of the vendor's own that nobody has. */
export const DeleteRole = ({ onChange, role }: Omit<ChangeProps, "bearers">) => (
  <Action
    label="Delete"
    small
    weight="danger"
    scope="people:write"
    says={consequenceOf("deleteRole")}
    secondLook="change_roles"
    perform={(client, options) => client.roles.delete(role.id, options)}
    done={() => (
      <span>
        <bdi class="strong">{role.name}</bdi> deleted.
      </span>
    )}
    onDone={onChange}
  />
)
