import type { BillingConnection, BillingMapping, Countersign, Policy, PriceMapping } from "../../../client/api/index.ts"
import { Empty } from "../../ground/design/Feedback.tsx"
import { Panel } from "../../ground/design/Panel.tsx"
import { Table } from "../../ground/design/Table.tsx"
import { Action } from "../../ground/session/Action.tsx"
import { may } from "../../ground/session/Session.ts"
import { bought } from "../selling/Bought.tsx"
import { changeMapping, nameIn } from "../selling/MappingChange.ts"
import { namedRecords } from "../selling/NamedRecords.ts"
import { MapPrice, quantities } from "./MapPrice.tsx"
import { recountWaiting } from "./WaitingCount.ts"

/** The policies of a mapping by their ids; one that was deleted is not among them. */
export const policiesOf = (
  client: Countersign,
  { prices }: BillingMapping,
  signal: AbortSignal
): Promise<ReadonlyMap<string, Policy>> =>
  namedRecords(prices.map(({ policy_id }) => policy_id), (id) => client.policies.get(id, { signal }).result())

interface EntryProps {
  readonly of: BillingConnection
  readonly onChange: () => void
}

interface MappingProps extends EntryProps {
  /** The policies by their ids; undefined until they are loaded. */
  readonly policies: ReadonlyMap<string, Policy> | undefined
}

/** Takes an entry away. */
const Remove = ({ entry, of, onChange }: EntryProps & { readonly entry: PriceMapping }) => (
  <Action
    label="Remove"
    small
    isOffered={may("license:write")}
    scope="product:write"
    says={
      <>
        New purchases of <bdi class="strong wrap">{entry.name ?? entry.value}</bdi>{" "}
        wait until it is mapped again. Licenses that exist keep their policy.
      </>
    }
    perform={(client, options) =>
      changeMapping(client, of.id, (mapping) => ({
        ...mapping,
        prices: mapping.prices.filter(({ by, value }) => by !== entry.by || value !== entry.value)
      }), options)}
    done={() => <span>Removed.</span>}
    onDone={() => {
      recountWaiting()
      onChange()
    }}
  />
)

/** The mapping of a connection: what was bought, the policy, and what the quantity means. */
export const Mapping = ({ of, onChange, policies }: MappingProps) => {
  const { prices } = of.mapping
  const policyName = (id: string) => policies === undefined ? id : policies.get(id)?.name ?? "This policy was deleted"
  return (
    <Panel
      title="Mapping"
      flush
      aside={<MapPrice label="Add a price" connection={of} isOffered={may("license:write")} onChange={onChange} />}
    >
      {prices.length === 0
        ? (
          <Empty title="No price is mapped yet">
            Purchases wait until their price is mapped. You can also wait for the first one and map it then.
          </Empty>
        )
        : (
          <Table
            label="Mapping"
            rows={prices}
            keyOf={({ by, value }) => `${by} ${value}`}
            columns={[
              bought,
              { name: "Policy", cell: ({ policy_id }) => <bdi class="clip">{policyName(policy_id)}</bdi> },
              { name: "Quantity sets", cell: ({ quantity }) => nameIn(quantities, quantity ?? "none") },
              {
                name: "",
                cell: (entry) => (
                  <span class="row ends">
                    <Remove entry={entry} of={of} onChange={onChange} />
                  </span>
                )
              }
            ]}
          />
        )}
    </Panel>
  )
}
