import type { Approval, Countersign, PersonInvitation, Role } from "../../../client/api/index.ts"
import { SecretOnce } from "../../ground/design/Copy.tsx"
import { Radios, TextField } from "../../ground/design/Field.tsx"
import { momentOf } from "../../ground/design/Time.tsx"
import { Action } from "../../ground/session/Action.tsx"
import { useDraft } from "../../ground/session/Draft.tsx"
import { baseUrl } from "../../ground/session/Environment.ts"
import { lineOf } from "../../keys/rights/Areas.ts"
import { isWhole, ProductsField, productsLine } from "../../keys/rights/ProductsField.tsx"
import { limitedRoleName, limitedTwin, nameFromEmail, shortName } from "./ApprovalWords.ts"
import { mayGiveRole } from "./Team.ts"

/** The page on which an invitation is spent. The secret stands behind `#`, so that no server and no log has it. */
const linkOf = ({ invitation }: Pick<PersonInvitation, "invitation">): string => `${baseUrl}/console/join#${invitation}`

/** The link of an invitation, which is shown only here. */
export const LinkOnce = ({ name, of }: { readonly name: string; readonly of: PersonInvitation }) => (
  <div class="stack">
    <SecretOnce label={`Link for ${name}`} text={linkOf(of)} />
    {of.links_account
      ? null
      : (
        <span class="small">
          The link signs in, but links no account at the identity provider: that takes an owner who invites.
        </span>
      )}
    <span class="small">The link works once, for an hour: until {momentOf(of.expires_at)}.</span>
  </div>
)

interface Draft {
  readonly email: string
  readonly name: string
  readonly role: Role
  readonly products: ReadonlyArray<string> | undefined
}

/** The role that is given: the chosen one, or one with the same rights on some products, which is made where there is none. */
const roleFor = async (
  client: Countersign,
  roles: ReadonlyArray<Role>,
  { products, role }: Draft,
  key: string
): Promise<string> => {
  if (products === undefined) return role.id
  const twin = limitedTwin(roles, role, products)
  if (twin !== undefined) return twin.id
  const made = await client.roles.create({
    name: limitedRoleName(role.name, productsLine(products) ?? ""),
    scopes: [...role.scopes],
    product_ids: [...products]
  }, { idempotencyKey: `${key}-role` })
  return made.id
}

/** Adds the person and makes the invitation; a repeat completes what an earlier attempt began. */
const invite = async (client: Countersign, roles: ReadonlyArray<Role>, draft: Draft, key: string) => {
  const role = await roleFor(client, roles, draft, key)
  const { email, name } = draft
  const person = await client.people.create({ name, email, roles: [role] }, { idempotencyKey: `${key}-person` })
  return { name, invitation: await client.people.invite(person.id, { idempotencyKey: `${key}-link` }) }
}

/** The steps that are left once the one is approved that needed a second person: each of the three may need one. */
const laterSteps: Readonly<Partial<Record<Approval["operation"], string>>> = {
  createRole: "The role for these products comes first. Once it is approved, invite again.",
  createPerson: "Once it is approved, make the invitation link on the person's page."
}

const RoleField = ({ onChange, roles, value }: {
  readonly roles: ReadonlyArray<Role>
  readonly value: string
  readonly onChange: (id: string) => void
}) => (
  <Radios
    label="Role"
    value={value}
    onChange={onChange}
    options={roles.map((role) => {
      const isBarred = !mayGiveRole(role)
      const limits = role.product_ids === undefined ? "" : `, of ${productsLine(role.product_ids) ?? ""}`
      return {
        value: role.id,
        name: <bdi>{role.name}</bdi>,
        hint: isBarred ? "You cannot give what you do not have." : `${lineOf(role.scopes)}${limits}`,
        isBarred
      }
    })}
  />
)

interface Entered {
  readonly email: string
  readonly name: string
  readonly roleId: string
  readonly products: ReadonlyArray<string> | undefined
}

const blank: Entered = { email: "", name: "", roleId: "support", products: undefined }

/** Invites a colleague: an address and a role, and then a link to send. */
export const Invite = ({ onChange, roles }: {
  readonly roles: ReadonlyArray<Role>
  readonly onChange: () => void
}) => {
  const entry = useDraft("invitation", blank)
  const { email, name, products, roleId } = entry.values
  const role = roles.find(({ id }) => id === roleId)
  const called = name.trim() === "" ? nameFromEmail(email.trim()) : name.trim()
  // A role of the vendor's own says itself what it is limited to, and an owner is limited to nothing.
  const mayLimit = role !== undefined && role.product_ids === undefined && !role.scopes.includes("admin")
  const isAddress = /^\S+@\S+$/.test(email.trim())
  return (
    <Action
      label="Invite"
      weight="main"
      scope="people:write"
      says={`${
        called === "" ? "Your colleague" : shortName(called)
      } gets a link that works once, for an hour. You send it.`}
      fields={
        <>
          <TextField
            label="Email"
            path="email"
            type="email"
            value={email}
            onChange={(email) => entry.set({ email })}
            autocomplete="off"
            maxLength={320}
            isFirst
          />
          <TextField
            label="Name (optional)"
            path="name"
            value={name}
            onChange={(name) => entry.set({ name })}
            autocomplete="off"
            placeholder={nameFromEmail(email.trim())}
            maxLength={255}
          />
          <RoleField roles={roles} value={roleId} onChange={(roleId) => entry.set({ roleId })} />
          {mayLimit ? <ProductsField value={products} onChange={(products) => entry.set({ products })} /> : null}
        </>
      }
      draft={entry}
      isReady={isAddress && called !== "" && role !== undefined && mayGiveRole(role) &&
        (!mayLimit || isWhole(products))}
      secondLook="change_people"
      onceApproved={({ operation }) => laterSteps[operation] ?? null}
      perform={(client, { idempotencyKey }) =>
        invite(
          client,
          roles,
          { email: email.trim(), name: called, role: role!, products: mayLimit ? products : undefined },
          idempotencyKey
        )}
      done={({ invitation, name }) => <LinkOnce name={name} of={invitation} />}
      onDone={onChange}
    />
  )
}
