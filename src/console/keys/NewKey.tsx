import type { ManagementScope } from "../../client/api/index.ts"
import { Choice, Radios, TextField } from "../design/Field.tsx"
import { currentTime } from "../design/Time.tsx"
import { areas, levelOf, lineOf, mayGive } from "../rights/Areas.ts"
import { isWhole, ProductsField } from "../rights/ProductsField.tsx"
import { RightsMatrix } from "../rights/RightsMatrix.tsx"
import { Action } from "../session/Action.tsx"
import { useDraft } from "../session/Draft.tsx"
import { identity, isLimited } from "../session/Session.ts"
import { KeyOnce } from "./KeyOnce.tsx"
import { endOf, lifetimes, rangesIn, useCases } from "./UseCases.ts"
import type { UseCase } from "./UseCases.ts"

const uses: ReadonlyArray<UseCase> = ["shop", "support", "metrics", "own"]

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
}

const blank = (): KeyDraft => ({
  name: "",
  use: "shop",
  own: [],
  products: isLimited() ? [] : undefined,
  addresses: "",
  lifetime: "90"
})

/** Makes a key: a name and a use are enough. */
export const NewKey = ({ onChange }: { readonly onChange: () => void }) => {
  const draft = useDraft("key", blank())
  const { addresses, lifetime, name, own, products, use } = draft.values
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
      isReady={name.trim() !== "" && scopes.length > 0 && isWhole(products)}
      secondLook="create_api_key"
      perform={(client, options) => {
        const expires_at = endOf(lifetime, currentTime())
        return client.apiKeys.create({
          name: name.trim(),
          scopes: [...scopes],
          allowed_cidrs: [...rangesIn(addresses)],
          ...(products === undefined ? {} : { product_ids: [...products] }),
          ...(expires_at === undefined ? {} : { expires_at })
        }, options)
      }}
      done={({ api_key, token }) => <KeyOnce name={api_key.name} token={token} />}
      onDone={onChange}
    />
  )
}
