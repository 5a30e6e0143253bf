import type { BillingConnection, MatchedBy, UnitMapping } from "../../../client/api/index.ts"
import { Empty } from "../../ground/design/Feedback.tsx"
import { amount } from "../../ground/design/Numbers.ts"
import { Panel } from "../../ground/design/Panel.tsx"
import { Table } from "../../ground/design/Table.tsx"
import { Action } from "../../ground/session/Action.tsx"
import { useLoad } from "../../ground/session/Load.ts"
import { may } from "../../ground/session/Session.ts"
import { bought } from "./Bought.tsx"
import { changeMapping } from "./MappingChange.ts"
import { MapUnits } from "./MapUnits.tsx"
import { namedRecords } from "./NamedRecords.ts"
import { endsText, withoutUnits } from "./UnitDraft.ts"

interface EntryProps {
  readonly of: Pick<BillingConnection, "id">
  readonly onChange: () => void
}

/** Takes an entry away. */
const Remove = ({ entry, of, onChange }: EntryProps & { readonly entry: UnitMapping }) => (
  <Action
    label="Remove"
    small
    isOffered={may("license:write")}
    scope="product:write"
    about={`${entry.value} ${entry.feature_id}`}
    says={
      <>
        Payments for <bdi class="strong wrap">{entry.name ?? entry.value}</bdi>{" "}
        no longer give units. Units that were given stay as they are.
      </>
    }
    perform={(client, options) => changeMapping(client, of.id, (mapping) => withoutUnits(mapping, entry), options)}
    done={() => <span>Removed.</span>}
    onDone={onChange}
  />
)

interface UnitEntriesProps extends EntryProps {
  readonly of: BillingConnection
  readonly by: MatchedBy
  readonly provider: string
}

/** The units that prices of a connection become. */
export const UnitEntries = ({ by, of, onChange, provider }: UnitEntriesProps) => {
  const { units = [] } = of.mapping
  const { data: features } = useLoad(
    (client, signal) =>
      namedRecords(units.map(({ feature_id }) => feature_id), (id) => client.features.get(id, { signal }).result()),
    [of.id, of.updated_at]
  )
  const nameOf = (id: string) => features === undefined ? id : features.get(id)?.name ?? "This feature was deleted"
  return (
    <Panel
      title="Units that are sold"
      flush
      aside={<MapUnits of={of} by={by} provider={provider} onChange={onChange} />}
    >
      {units.length === 0
        ? (
          <Empty title="No units are sold">
            A price can give units of a metered feature, such as credits, with a license or alone.
          </Empty>
        )
        : (
          <Table
            label="Units that are sold"
            rows={units}
            keyOf={(entry) => `${entry.by} ${entry.value} ${entry.feature_id}`}
            columns={[
              bought,
              { name: "Gives", cell: (entry) => amount(entry.amount, features?.get(entry.feature_id)?.decimals) },
              { name: "Of the feature", cell: ({ feature_id }) => <bdi class="clip">{nameOf(feature_id)}</bdi> },
              { name: "To", cell: ({ to = "license" }) => `the ${to}` },
              { name: "End", cell: endsText },
              {
                name: "",
                cell: (entry) => {
                  const feature = features?.get(entry.feature_id)
                  return (
                    <span class="row ends">
                      {feature === undefined
                        ? null
                        : (
                          <MapUnits
                            of={of}
                            by={by}
                            provider={provider}
                            there={{ entry, feature }}
                            onChange={onChange}
                          />
                        )}
                      <Remove entry={entry} of={of} onChange={onChange} />
                    </span>
                  )
                }
              }
            ]}
          />
        )}
    </Panel>
  )
}
