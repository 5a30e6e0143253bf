import { useState } from "preact/hooks"
import { consequenceOf } from "../../client/api/Consequence.ts"
import type { ManagementScope, Role } from "../../client/api/index.ts"
import { TextField } from "../design/Field.tsx"
import { some } from "../design/Numbers.ts"
import { isWhole, ProductsField } from "../rights/ProductsField.tsx"
import { RightsMatrix } from "../rights/RightsMatrix.tsx"
import { Action } from "../session/Action.tsx"
import { identity } from "../session/Session.ts"

interface Draft {
  readonly name: string
  readonly description: string
  readonly scopes: ReadonlyArray<ManagementScope>
  readonly products: ReadonlyArray<string> | undefined
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
  </>
)

const isReady = ({ name, products, scopes }: Draft): boolean =>
  name.trim() !== "" && scopes.length > 0 && isWhole(products)

const bodyOf = ({ description, name, products, scopes }: Draft) => ({
  name: name.trim(),
  description: description.trim(),
  scopes: [...scopes],
  product_ids: products === undefined ? null : [...products]
})

const nothing: Draft = { name: "", description: "", scopes: [], products: undefined }

/** Makes a role of the vendor's own. */
export const NewRole = ({ onChange }: { readonly onChange: () => void }) => {
  const [draft, setDraft] = useState(nothing)
  return (
    <Action
      label="New role"
      scope="people:write"
      says="A role is what people are given together. Choose for each area what they may do."
      fields={<Fields draft={draft} set={(changes) => setDraft((before) => ({ ...before, ...changes }))} />}
      isReady={isReady(draft)}
      perform={(client, options) => client.roles.create(bodyOf(draft), options)}
      done={({ name }) => (
        <span>
          <bdi class="strong">{name}</bdi> created. Give it to people on their pages.
        </span>
      )}
      onDone={() => {
        setDraft(nothing)
        onChange()
      }}
    />
  )
}

interface ChangeProps {
  readonly role: Role
  readonly bearers: number | undefined
  readonly onChange: () => void
}

/** Changes a role of the vendor's own, for everybody who has it. */
export const EditRole = ({ bearers, onChange, role }: ChangeProps) => {
  const loaded: Draft = {
    name: role.name,
    description: role.description ?? "",
    scopes: role.scopes,
    products: role.product_ids
  }
  const [draft, setDraft] = useState(loaded)
  return (
    <Action
      label="Edit"
      small
      scope="people:write"
      says={bearers === undefined || bearers === 0
        ? "No person has this role yet."
        : `Takes effect at once, for ${some(bearers, "person", "people")}.`}
      fields={<Fields draft={draft} set={(changes) => setDraft((before) => ({ ...before, ...changes }))} />}
      isReady={isReady(draft)}
      perform={async (client, options) => {
        // A change that somebody else made meanwhile is not taken back unseen.
        const { response } = await client.roles.get(role.id).withResponse()
        const etag = response.headers.get("etag")
        return client.roles.update(role.id, bodyOf(draft), { ...options, ...(etag === null ? {} : { ifMatch: etag }) })
      }}
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
    perform={(client, options) => client.roles.delete(role.id, options)}
    done={() => (
      <span>
        <bdi class="strong">{role.name}</bdi> deleted.
      </span>
    )}
    onDone={onChange}
  />
)
