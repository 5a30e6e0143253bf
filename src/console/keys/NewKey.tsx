import { useState } from "preact/hooks"
import type { ManagementScope } from "../../client/api/index.ts"
import { Choice, Radios, TextField } from "../design/Field.tsx"
import { currentTime } from "../design/Time.tsx"
import { areas, levelOf, lineOf, mayGive } from "../rights/Areas.ts"
import { isWhole, ProductsField } from "../rights/ProductsField.tsx"
import { RightsMatrix } from "../rights/RightsMatrix.tsx"
import { Action } from "../session/Action.tsx"
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
const useKeyDraft = () => {
  const [name, setName] = useState("")
  const [use, setUse] = useState<UseCase>("shop")
  const [own, setOwn] = useState<ReadonlyArray<ManagementScope>>([])
  const [products, setProducts] = useState<ReadonlyArray<string> | undefined>(isLimited() ? [] : undefined)
  const [addresses, setAddresses] = useState("")
  const [lifetime, setLifetime] = useState("90")
  const clear = () => {
    setName("")
    setOwn([])
    setProducts(isLimited() ? [] : undefined)
    setAddresses("")
  }
  return {
    addresses,
    clear,
    lifetime,
    name,
    own,
    products,
    setAddresses,
    setLifetime,
    setName,
    setOwn,
    setProducts,
    setUse,
    use,
    scopes: use === "own" ? own : useCases[use].scopes
  }
}

/** Makes a key: a name and a use are enough. */
export const NewKey = ({ onChange }: { readonly onChange: () => void }) => {
  const draft = useKeyDraft()
  const held = identity.value?.scopes ?? []
  return (
    <Action
      label="New key"
      weight="main"
      scope="admin"
      says={draft.scopes.length === 0
        ? "A key is for one program, so that it can be revoked alone."
        : `The key may ${lineOf(draft.scopes)}.`}
      fields={
        <>
          <TextField
            label="Name"
            path="name"
            value={draft.name}
            onChange={draft.setName}
            autocomplete="off"
            placeholder="Web shop"
            maxLength={255}
            isFirst
          />
          <UseField held={held} value={draft.use} onChange={draft.setUse} />
          {draft.use === "own" ? <RightsMatrix held={held} value={draft.own} onChange={draft.setOwn} /> : null}
          <ProductsField value={draft.products} onChange={draft.setProducts} />
          <TextField
            label="Addresses (optional)"
            path="allowed_cidrs.0"
            value={draft.addresses}
            onChange={draft.setAddresses}
            autocomplete="off"
            placeholder="192.0.2.0/24, 2001:db8::/32"
            hint="Where it may be used from. Empty: anywhere."
            maxLength={4000}
          />
          <Choice
            label="Ends"
            path="expires_at"
            value={draft.lifetime}
            options={lifetimes}
            onChange={draft.setLifetime}
          />
        </>
      }
      isReady={draft.name.trim() !== "" && draft.scopes.length > 0 && isWhole(draft.products)}
      perform={(client, options) => {
        const expires_at = endOf(draft.lifetime, currentTime())
        return client.apiKeys.create({
          name: draft.name.trim(),
          scopes: [...draft.scopes],
          allowed_cidrs: [...rangesIn(draft.addresses)],
          ...(draft.products === undefined ? {} : { product_ids: [...draft.products] }),
          ...(expires_at === undefined ? {} : { expires_at })
        }, options)
      }}
      done={({ api_key, token }) => <KeyOnce name={api_key.name} token={token} />}
      onDone={() => {
        draft.clear()
        onChange()
      }}
    />
  )
}
