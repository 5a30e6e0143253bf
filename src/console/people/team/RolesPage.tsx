import { useEffect, useState } from "preact/hooks"
import { consequenceOf } from "../../../client/api/Consequence.ts"
import type { ManagementScope, Person, Role, SecondLookAction } from "../../../client/api/index.ts"
import { Badge } from "../../ground/design/Badge.tsx"
import { TextField } from "../../ground/design/Field.tsx"
import { some } from "../../ground/design/Numbers.ts"
import { Panel } from "../../ground/design/Panel.tsx"
import { Action } from "../../ground/session/Action.tsx"
import { useDraft } from "../../ground/session/Draft.tsx"
import { firstOf, useLoad } from "../../ground/session/Load.ts"
import { Loading, Placed } from "../../ground/session/Loading.tsx"
import { identity } from "../../ground/session/Session.ts"
import { useTitle } from "../../ground/session/Title.ts"
import { isWhole, ProductsField, productsLine, useProductNames } from "../../keys/rights/ProductsField.tsx"
import { RightsMatrix } from "../../keys/rights/RightsMatrix.tsx"
import { RightsWords } from "../../keys/rights/RightsWords.tsx"
import { actionsLine } from "./ApprovalWords.ts"
import { SecondLookField } from "./SecondLookField.tsx"
import { mayGiveRole, useRoles } from "./Team.ts"
import "./team.css"
import { TeamTabs } from "./TeamTabs.tsx"

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
const NewRole = ({ onChange }: { readonly onChange: () => void }) => {
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
const EditRole = ({ bearers, onChange, role }: ChangeProps) => {
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
const DeleteRole = ({ onChange, role }: Omit<ChangeProps, "bearers">) => (
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

/** How many people are looked at for the number behind a role. */
const most = 1000

const RolePanel = ({ bearers, onChange, role }: {
  readonly role: Role
  /** How many people have it; undefined until that is known. */
  readonly bearers: number | undefined
  readonly onChange: () => void
}) => {
  const limits = productsLine(role.product_ids)
  return (
    <Panel
      title={role.name}
      aside={
        <span class="row wraps">
          {role.is_built_in ? <Badge>built in</Badge> : null}
          {bearers === undefined ? null : <span class="small quiet">{some(bearers, "person", "people")}</span>}
          {mayGiveRole(role) ? <EditRole role={role} bearers={bearers} onChange={onChange} /> : null}
          {role.is_built_in || !mayGiveRole(role) ? null : <DeleteRole role={role} onChange={onChange} />}
        </span>
      }
    >
      {role.description === undefined ? null : <bdi class="quiet wrap">{role.description}</bdi>}
      {limits === undefined ? null : (
        <span class="small">
          Limited to <bdi>{limits}</bdi>
        </span>
      )}
      <RightsWords scopes={role.scopes} />
      {role.second_look === undefined ?
        null :
        <span class="small">Needs a second person to {actionsLine(role.second_look)}.</span>}
      {mayGiveRole(role) ? null : <span class="tiny quiet">You cannot give what you do not have.</span>}
    </Panel>
  )
}

/** The roles, each as what it lets people do, and what not. */
export const RolesPage = () => {
  useTitle("Roles")
  useProductNames()
  const roles = useRoles()
  const people = useLoad((client, signal) => firstOf(client.people.list({ limit: 200 }, { signal }), most), [])
  const bearersOf = (id: string) => people.data?.filter((person: Person) => person.roles.includes(id)).length
  const onChange = () => {
    roles.reload()
    people.reload()
  }
  return (
    <main class="page" id="main">
      <header>
        <h1>Roles</h1>
        <NewRole onChange={onChange} />
      </header>
      <TeamTabs />
      <Placed after={[roles, people]}>
        <Loading of={roles}>
          {(found) => (
            <div class="roles">
              {found.map((role) => (
                <RolePanel
                  key={`${role.id} ${role.updated_at ?? ""} ${role.second_look?.join(" ") ?? ""}`}
                  role={role}
                  bearers={bearersOf(role.id)}
                  onChange={onChange}
                />
              ))}
            </div>
          )}
        </Loading>
      </Placed>
    </main>
  )
}
