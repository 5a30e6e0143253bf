import { consequenceOf } from "../../../client/api/Consequence.ts"
import type { Pool } from "../../../client/api/index.ts"
import { Empty } from "../../ground/design/Feedback.tsx"
import { amount as amountIn } from "../../ground/design/Numbers.ts"
import { Panel } from "../../ground/design/Panel.tsx"
import { Table, TwoLines } from "../../ground/design/Table.tsx"
import { More } from "../../ground/lists/More.tsx"
import { usePages } from "../../ground/lists/Pages.ts"
import { Rows } from "../../ground/lists/Rows.tsx"
import { Action } from "../../ground/session/Action.tsx"
import { GivePool } from "./GivePool.tsx"
import { unitColumns } from "./UnitColumns.tsx"

const Revoke = ({ onChange, pool }: { readonly pool: Pool; readonly onChange: () => void }) => (
  <Action
    label="Revoke"
    small
    scope="license:write"
    asksWhy
    says={consequenceOf("revokeCustomerPool")}
    perform={(client, options) => client.customers.revokePool(pool.customer_id, pool.id, options)}
    done={({ decimals, used }) => `Revoked. ${amountIn(used, decimals)} units were used.`}
    onDone={onChange}
  />
)

/** The units that the licenses of a customer share: what is left of each pool, and when it ends. */
export const PoolsPanel = ({ customerId, onChange, turn }: {
  readonly customerId: string
  readonly turn: number
  readonly onChange: () => void
}) => {
  const pools = usePages<Pool>(
    "pools",
    (client, page, signal) => client.customers.listPools(customerId, { limit: 20, ...page }, { signal }),
    [customerId],
    { turn }
  )
  return (
    <Panel
      title="Pools"
      flush
      aside={<GivePool customerId={customerId} onChange={onChange} />}
      footer={pools.hasMore ? <More of={pools} /> : undefined}
    >
      <Rows
        of={pools}
        lines={2}
        empty={
          <Empty title="No pools">
            The customer's licenses share the units of a pool, after their own, and so do those of customers below it.
          </Empty>
        }
      >
        {(rows) => (
          <Table
            label="Pools"
            rows={rows}
            keyOf={({ id }) => id}
            columns={[
              {
                name: "Feature",
                cell: ({ decimals, feature_code, max_per_license, reference }) => (
                  <TwoLines
                    first={feature_code}
                    second={[
                      max_per_license === undefined
                        ? undefined
                        : `at most ${amountIn(max_per_license, decimals)} per license`,
                      reference
                    ].filter(Boolean).join(" · ")}
                  />
                )
              },
              ...unitColumns,
              {
                name: "",
                cell: (pool) => (
                  <span class="row ends">
                    {pool.revoked_at === undefined && pool.remaining > 0
                      ? <Revoke pool={pool} onChange={onChange} />
                      : null}
                  </span>
                )
              }
            ]}
          />
        )}
      </Rows>
      {pools.rows === undefined && pools.error !== undefined ? <More of={pools} /> : null}
    </Panel>
  )
}
