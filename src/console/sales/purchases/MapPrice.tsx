import { useEffect } from "preact/hooks"
import type {
  BillingConnection,
  BillingMapping,
  MatchedBy,
  Policy,
  PriceMapping,
  QuantityMeaning
} from "../../../client/api/index.ts"
import { Note } from "../../ground/design/Feedback.tsx"
import { Choice } from "../../ground/design/Field.tsx"
import { Action } from "../../ground/session/Action.tsx"
import { useDraft } from "../../ground/session/Draft.tsx"
import { useLoad } from "../../ground/session/Load.ts"
import { Loading } from "../../ground/session/Loading.tsx"
import { nameProducts, products } from "../../ground/session/Names.ts"
import { changeMapping } from "../selling/MappingChange.ts"
import type { SoldBefore } from "../selling/MappingChange.ts"
import { MatchFields } from "../selling/MatchFields.tsx"
import { DryRun, SoldBeforeField } from "./MappingEffects.tsx"
import { providerName, providers } from "./Providers.ts"
import { matchedBy } from "./Waiting.ts"
import { recountWaiting } from "./WaitingCount.ts"

/** The meanings of a quantity. */
export const quantities: ReadonlyArray<readonly [QuantityMeaning, string]> = [
  ["none", "No limit: the policy decides"],
  ["seats", "Device limit"],
  ["floating_seats", "Floating seats"],
  ["users", "Users"],
  ["licenses", "Number of licenses"]
]

/** A mapping with an entry, instead of one for the same ID. */
const withEntry = (mapping: BillingMapping, entry: PriceMapping): BillingMapping => ({
  ...mapping,
  prices: [...mapping.prices.filter(({ by, value }) => by !== entry.by || value !== entry.value), entry]
})

interface Entered {
  readonly by: MatchedBy
  readonly value: string
  readonly product: string
  readonly policy: Policy | undefined
  readonly quantity: QuantityMeaning
  readonly soldBefore: SoldBefore
}

/** A connection, with its mapping where that is known. */
type Mapped = Pick<BillingConnection, "id" | "provider"> & Partial<Pick<BillingConnection, "mapping">>

/** An entry as it is entered. */
const entryOf = ({ by, policy, quantity, value }: Entered, name?: string): PriceMapping => ({
  by,
  value: value.trim(),
  policy_id: policy?.id ?? "",
  quantity,
  ...(name === undefined ? {} : { name })
})

/** Whether an entry takes the place of another one, by which licenses may have been sold. */
const replacesOther = ({ mapping }: Mapped, entry: PriceMapping): boolean =>
  mapping?.prices.some(({ by, policy_id, quantity = "none", value }) =>
    by === entry.by && value === entry.value && (policy_id !== entry.policy_id || quantity !== entry.quantity)
  ) === true

interface FieldsProps {
  readonly connection: Mapped
  readonly entered: Entered
  readonly isFixed: boolean
  readonly onChange: (changes: Partial<Entered>) => void
}

/** Selects the policy, after its product. */
const PolicyFields = ({ entered, onChange }: Pick<FieldsProps, "entered" | "onChange">) => {
  const all = [...products.value?.values() ?? []]
  const [first] = all
  const product = entered.product === "" && all.length === 1 ? first!.id : entered.product
  const policies = useLoad(
    (client, signal) => client.policies.list(product, { limit: 200 }, { signal }),
    [product],
    { when: product !== "" }
  )
  useEffect(() => void nameProducts(), [])
  const select = (id: string) => onChange({ policy: policies.data?.find((policy) => policy.id === id) })
  return (
    <>
      {products.value !== undefined && all.length === 0
        ? (
          <Note tone="warn" title="No product yet">
            <span>
              Create a product and a policy first: the <a href="/docs/guides/quick-start">quick start</a> shows how.
            </span>
          </Note>
        )
        : null}
      <Choice
        label="Product"
        value={product}
        options={[["", "Select a product"], ...all.map(({ id, name }) => [id, name] as const)]}
        onChange={(id) => onChange({ product: id, policy: undefined })}
      />
      <Choice
        label="Policy"
        value={entered.policy?.id ?? ""}
        options={[
          ["", "Select a policy"],
          ...(policies.data ?? []).map(({ id, license_type, name }) => [id, `${name} (${license_type})`] as const)
        ]}
        onChange={select}
      />
    </>
  )
}

const Fields = ({ connection, entered, isFixed, onChange }: FieldsProps) => {
  const waiting = useLoad(
    (client, signal) =>
      client.purchases.list({ status: "waiting", connection_id: connection.id, limit: 200 }, { signal }),
    [connection.id]
  )
  const { policy, quantity } = entered
  const found = isFixed && waiting.data !== undefined ? matchedBy(waiting.data, entered.value) : undefined
  useEffect(() => {
    if (found !== undefined) onChange({ by: found })
  }, [found])
  return (
    <>
      {isFixed ?
        null :
        <MatchFields entered={entered} provider={providerName(connection.provider)} onChange={onChange} />}
      <PolicyFields entered={entered} onChange={onChange} />
      <Choice
        label="Quantity sets"
        value={quantity}
        options={quantities}
        onChange={(value) => onChange({ quantity: value as QuantityMeaning })}
        hint="The meaning of 5 instead of 1 for the license"
      />
      {policy === undefined || connection.mapping === undefined || !replacesOther(connection, entryOf(entered))
        ? null
        : (
          <SoldBeforeField
            connection={connection}
            mapping={withEntry(connection.mapping, entryOf(entered))}
            value={entered.soldBefore}
            onChange={(soldBefore) => onChange({ soldBefore })}
          />
        )}
      {policy === undefined ? null : (
        <Loading of={waiting} lines={1}>
          {(all) => (
            <DryRun
              waiting={all}
              draft={{ by: entered.by, value: entered.value.trim(), quantity, licenseType: policy.license_type }}
            />
          )}
        </Loading>
      )}
    </>
  )
}

interface MapPriceProps {
  readonly label: string
  readonly connection: Mapped
  /** The price that waits, where the mapping is for one. */
  readonly price?: { readonly price: string; readonly name?: string }
  readonly isOffered?: boolean
  readonly onChange: () => void
}

/** Maps what was bought to a policy, and first shows the effect on the purchases that wait for it. */
export const MapPrice = ({ connection, isOffered = true, label, onChange, price }: MapPriceProps) => {
  const blank: Entered = {
    by: providers[connection.provider].by,
    value: price?.price ?? "",
    product: "",
    policy: undefined,
    quantity: "none",
    soldBefore: "keep"
  }
  const draft = useDraft(`price ${blank.value}`, blank)
  const entered = draft.values
  const { policy } = entered
  const value = entered.value.trim()
  return (
    <Action
      label={label}
      small
      isOffered={isOffered}
      scope="product:write"
      says={
        <>
          {price === undefined
            ? "A purchase that matches becomes a license under a policy."
            : (
              <>
                <bdi class="strong">{price.name ?? price.price}</bdi> becomes a license under a policy.
              </>
            )} Purchases that wait for it become licenses as soon as you save.
        </>
      }
      fields={
        <Fields
          connection={connection}
          entered={entered}
          isFixed={price !== undefined}
          onChange={draft.set}
        />
      }
      draft={draft}
      about={blank.value}
      isReady={policy !== undefined && value !== ""}
      perform={(client, options) =>
        changeMapping(client, connection.id, (mapping) => withEntry(mapping, entryOf(entered, price?.name)), {
          ...options,
          soldBefore: entered.soldBefore
        })}
      done={() => <span>Saved. Purchases that match become licenses within a second.</span>}
      onDone={() => {
        recountWaiting()
        onChange()
      }}
    />
  )
}
