import type { ApiKeyCreateRequest, ManagementScope } from "../../client/api/index.ts"
import { Copy, SecretOnce } from "../ground/design/Copy.tsx"
import { Choice, isWholeOrNone, NumberField, Radios, TextField, wholeOf } from "../ground/design/Field.tsx"
import { currentTime } from "../ground/design/Time.tsx"
import { Action } from "../ground/session/Action.tsx"
import { useDraft } from "../ground/session/Draft.tsx"
import { baseUrl } from "../ground/session/Environment.ts"
import { identity, isLimited } from "../ground/session/Session.ts"
import { areas, levelOf, lineOf, mayGive } from "./rights/Areas.ts"
import { isWhole, ProductsField } from "./rights/ProductsField.tsx"
import { RightsMatrix } from "./rights/RightsMatrix.tsx"
import { endOf, lifetimes, rangesIn, tryCommand, useCases } from "./UseCases.ts"
import type { UseCase } from "./UseCases.ts"

/** The token of a key, which is shown only here, with a command that works at once. */
export const KeyOnce = ({ name, token }: { readonly name: string; readonly token: string }) => (
  <div class="stack">
    <SecretOnce label={`API key ${name}`} text={token} />
    <span class="small">Try it:</span>
    <Copy label="curl command with the key" text={tryCommand(baseUrl, token)} />
  </div>
)

const uses: ReadonlyArray<UseCase> = ["shop", "support", "reseller", "metrics", "own"]

/** How many licenses a reseller may have, if that is limited. */
const licenseLimits = { min: 1, max: 2_147_483_647 }

/** Whether the caller has every right of some scopes. */
const mayGiveAll = (held: ReadonlyArray<ManagementScope>, scopes: ReadonlyArray<ManagementScope>): boolean =>
  areas.every((area) => mayGive(held, area, levelOf(scopes, area)))

const UseField = ({ held, onChange, value }: {
  readonly held: ReadonlyArray<ManagementScope>
  readonly value: UseCase
  readonly onChange: (value: UseCase) => void
}) => (
  <Radios
    label="Use"
    value={value}
    onChange={onChange}
    options={uses.map((use) => {
      const { hint, name, scopes } = useCases[use]
      const isBarred = !mayGiveAll(held, scopes)
      return { value: use, name, isBarred, hint: isBarred ? "You cannot give what you do not have." : hint }
    })}
  />
)

/** Everything that is chosen of a new key. */
interface KeyDraft {
  readonly name: string
  readonly use: UseCase
  readonly own: ReadonlyArray<ManagementScope>
  readonly products: ReadonlyArray<string> | undefined
  readonly addresses: string
  readonly lifetime: string
  /** The tag and the number of licenses that a reseller is limited to. */
  readonly tag: string
  readonly most: string
}

const blank = (): KeyDraft => ({
  name: "",
  use: "shop",
  own: [],
  products: isLimited() ? [] : undefined,
  addresses: "",
  lifetime: "90",
  tag: "",
  most: ""
})

/** The limits of a reseller's key beside its products. */
const ResellerFields = ({ most, set, tag }: Pick<KeyDraft, "most" | "tag"> & {
  readonly set: (change: Partial<KeyDraft>) => void
}) => (
  <>
    <TextField
      label="Tag of its licenses"
      path="license_tag"
      value={tag}
      onChange={(tag) => set({ tag })}
      autocomplete="off"
      placeholder="northwind"
      hint="The key sees and changes only licenses with this tag, and gives it to those that it issues."
      maxLength={50}
    />
    <NumberField
      {...licenseLimits}
      label="Most licenses (optional)"
      path="max_licenses"
      value={most}
      onChange={(most) => set({ most })}
      hint="With so many, it issues no more. Empty: no limit."
    />
  </>
)

/** Whether everything is chosen that a key needs. */
const isReady = ({ most, name, own, products, tag, use }: KeyDraft): boolean =>
  name.trim() !== "" && (use !== "own" || own.length > 0) && isWhole(products) &&
  (use !== "reseller" || (products !== undefined && tag.trim() !== "" && isWholeOrNone(most, licenseLimits)))

/** The key that is asked for. */
const requestOf = (draft: KeyDraft, scopes: ReadonlyArray<ManagementScope>): ApiKeyCreateRequest => {
  const expires_at = endOf(draft.lifetime, currentTime())
  const most = wholeOf(draft.most, licenseLimits)
  return {
    name: draft.name.trim(),
    scopes: [...scopes],
    allowed_cidrs: [...rangesIn(draft.addresses)],
    ...(draft.products === undefined ? {} : { product_ids: [...draft.products] }),
    ...(draft.use === "reseller" ? { license_tag: draft.tag.trim() } : {}),
    ...(draft.use === "reseller" && most !== undefined ? { max_licenses: most } : {}),
    ...(expires_at === undefined ? {} : { expires_at })
  }
}

/** Makes a key: a name and a use are enough. */
export const NewKey = ({ onChange }: { readonly onChange: () => void }) => {
  const draft = useDraft("key", blank())
  const { addresses, lifetime, most, name, own, products, tag, use } = draft.values
  const scopes = use === "own" ? own : useCases[use].scopes
  const held = identity.value?.scopes ?? []
  return (
    <Action
      label="New key"
      weight="main"
      scope="admin"
      says={scopes.length === 0
        ? "A key is for one program, so that it can be revoked alone."
        : `The key may ${lineOf(scopes)}.`}
      fields={
        <>
          <TextField
            label="Name"
            path="name"
            value={name}
            onChange={(name) => draft.set({ name })}
            autocomplete="off"
            placeholder="Web shop"
            maxLength={255}
            isFirst
          />
          <UseField held={held} value={use} onChange={(use) => draft.set({ use })} />
          {use === "own" ? <RightsMatrix held={held} value={own} onChange={(own) => draft.set({ own })} /> : null}
          <ProductsField value={products} onChange={(products) => draft.set({ products })} />
          {use === "reseller" ? <ResellerFields most={most} tag={tag} set={draft.set} /> : null}
          <TextField
            label="Addresses (optional)"
            path="allowed_cidrs.0"
            value={addresses}
            onChange={(addresses) => draft.set({ addresses })}
            autocomplete="off"
            placeholder="192.0.2.0/24, 2001:db8::/32"
            hint="Where it may be used from. Empty: anywhere."
            maxLength={4000}
          />
          <Choice
            label="Ends"
            path="expires_at"
            value={lifetime}
            options={lifetimes}
            onChange={(lifetime) => draft.set({ lifetime })}
          />
        </>
      }
      draft={draft}
      isReady={isReady(draft.values)}
      secondLook="create_api_key"
      perform={(client, options) => client.apiKeys.create(requestOf(draft.values, scopes), options)}
      done={({ api_key, token }) => <KeyOnce name={api_key.name} token={token} />}
      onDone={onChange}
    />
  )
}
