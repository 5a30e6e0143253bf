import type {
  BillingConnection,
  BillingMapping,
  Countersign,
  Policy,
  PriceMapping,
  UnitMapping
} from "../../client/api/index.ts"
import { Empty } from "../design/Feedback.tsx"
import { count } from "../design/Numbers.ts"
import { Panel } from "../design/Panel.tsx"
import { Table, TwoLines } from "../design/Table.tsx"
import { Action } from "../session/Action.tsx"
import { may } from "../session/Session.ts"
import { changeMapping, MapPrice, matches, quantities } from "./MapPrice.tsx"
import { recountWaiting } from "./WaitingCount.ts"

/** The policies of a mapping by their ids; one that was deleted is not among them. */
export const policiesOf = async (
  client: Countersign,
  { prices }: BillingMapping,
  signal: AbortSignal
): Promise<ReadonlyMap<string, Policy>> => {
  const ids = [...new Set(prices.map(({ policy_id }) => policy_id))]
  const found = await Promise.all(ids.map((id) => client.policies.get(id, { signal }).result()))
  return new Map(found.flatMap((result) => result.ok ? [[result.data.id, result.data] as const] : []))
}

const nameIn = (names: ReadonlyArray<readonly [string, string]>, code: string): string =>
  names.find(([known]) => known === code)?.[1] ?? code

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

/** The column that says what an entry finds. */
const bought = {
  name: "Bought",
  cell: ({ by, name, value }: Pick<UnitMapping, "by" | "name" | "value">) => (
    <TwoLines
      first={name ?? value}
      second={`${nameIn(matches, by)}${name === undefined ? "" : `: ${value}`}`}
    />
  )
}

/** When units of an entry end, in words. */
const endsText = ({ ends_with_period, expires_after }: UnitMapping): string =>
  ends_with_period === true
    ? "with the period"
    : expires_after === undefined
    ? "never"
    : `${expires_after} after the payment`

/** The units that prices of a connection become. They are mapped by API. */
export const UnitEntries = ({ units }: { readonly units: ReadonlyArray<UnitMapping> }) => (
  <Panel title="Units that are sold" flush>
    <Table
      label="Units that are sold"
      rows={units}
      keyOf={({ by, feature_id, value }) => `${by} ${value} ${feature_id}`}
      columns={[
        bought,
        { name: "Gives", cell: ({ amount }) => count(amount) },
        { name: "Of the feature", cell: ({ feature_id }) => <code class="clip">{feature_id}</code> },
        { name: "To", cell: ({ to = "license" }) => `the ${to}` },
        { name: "End", cell: endsText }
      ]}
    />
  </Panel>
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
