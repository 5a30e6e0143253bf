import { useEffect } from "preact/hooks"
import type { UsageLedgerAction, UsageLedgerEntry } from "../../../client/api/index.ts"
import { labels } from "../../../client/api/Labels.ts"
import { Named } from "../../ground/design/Copy.tsx"
import { Empty } from "../../ground/design/Feedback.tsx"
import { Choice } from "../../ground/design/Field.tsx"
import { Panel } from "../../ground/design/Panel.tsx"
import { oneOf } from "../../ground/lists/Filters.ts"
import { More } from "../../ground/lists/More.tsx"
import { usePages } from "../../ground/lists/Pages.ts"
import { Rows } from "../../ground/lists/Rows.tsx"
import { pathOf } from "../../ground/period/Kinds.ts"
import type { Selection } from "../../ground/period/Period.ts"
import { timeQuery, windowOf } from "../../ground/period/Period.ts"
import { secondIn } from "../../ground/period/Zone.ts"
import { Placed } from "../../ground/session/Loading.tsx"
import { nameProducts } from "../../ground/session/Names.ts"
import { Sheet } from "../exports/Sheet.tsx"
import { dimensionsText, ledgerView } from "../figures/LedgerView.ts"
import { featureAmount, featureName } from "../figures/NamedFeatures.ts"
import type { NamedFeatures } from "../figures/NamedFeatures.ts"
import { FigureTable } from "./FigureTable.tsx"
import type { FigureColumn } from "./FigureTable.tsx"
import { FeatureField, NarrowedBy } from "./NarrowedBy.tsx"
import { narrowedBy, useFeatures, useLabels, useUse } from "./Use.ts"
import { UseCharts } from "./UseCharts.tsx"

/** The actions that a ledger has entries of. */
const entries: ReadonlyArray<UsageLedgerAction> = [
  "license.usage_recorded",
  "license.usage_reset",
  "license.feature_removed"
]

const actions: ReadonlyArray<readonly [UsageLedgerAction | "", string]> = [
  ["", "All"],
  ...entries.map((action) => [action, labels.action[action]] as const)
]

interface EntriesProps {
  readonly selection: Selection
  readonly rows: ReadonlyArray<UsageLedgerEntry>
  readonly features: NamedFeatures
  /** Names by ids, as far as they are known. */
  readonly customers: ReadonlyMap<string, string>
  readonly licenses: ReadonlyMap<string, string>
}

const columnsOf = (
  { selection, customers, features, licenses, rows }: EntriesProps
): ReadonlyArray<FigureColumn<UsageLedgerEntry>> => {
  const { hasDimensions, hasEvent, hasMeasured, hasOverage } = ledgerView(rows)
  return [
    { name: "Time", cell: ({ occurred_at }) => secondIn(occurred_at, selection.zone) },
    { name: "Entry", cell: ({ action }) => labels.action[action] },
    { name: "Feature", cell: ({ feature_code }) => <bdi>{featureName(features, feature_code)}</bdi> },
    {
      name: "Amount",
      isNumber: true,
      cell: ({ amount, feature_code }) => featureAmount(features, feature_code, amount)
    },
    ...(hasMeasured
      ? [{
        name: "Measured",
        isNumber: true,
        cell: ({ feature_code, measured }: UsageLedgerEntry) =>
          measured === undefined ? "" : featureAmount(features, feature_code, measured)
      }]
      : []),
    ...(hasOverage
      ? [{
        name: "Overage",
        isNumber: true,
        cell: ({ feature_code, overage }: UsageLedgerEntry) =>
          overage === undefined ? "" : featureAmount(features, feature_code, overage)
      }]
      : []),
    {
      name: "Total after",
      isNumber: true,
      cell: ({ feature_code, total_consumptions }) => featureAmount(features, feature_code, total_consumptions)
    },
    {
      name: "Customer",
      cell: ({ customer_id }) =>
        customer_id === undefined ? "" : (
          <Named
            id={customer_id}
            name={customers.get(customer_id) ?? customer_id}
            href={pathOf("customer-summary", timeQuery(selection, { customer_id }))}
          />
        )
    },
    {
      name: "License",
      cell: ({ license_id }) => (
        <Named
          id={license_id}
          name={licenses.get(license_id) ?? license_id}
          href={pathOf("license-audit", timeQuery(selection, { license_id }))}
        />
      )
    },
    ...(hasDimensions
      ? [{
        name: "Dimensions",
        cell: ({ dimensions }: UsageLedgerEntry) => <bdi class="small clip">{dimensionsText(dimensions)}</bdi>
      }]
      : []),
    ...(hasEvent
      ? [{
        name: "Caller's event",
        cell: ({ event_id }: UsageLedgerEntry) => <code class="small clip">{event_id}</code>
      }]
      : [])
  ]
}

/** Each usage event and each correction, as they were recorded. */
export const UsageLedger = ({ selection }: { readonly selection: Selection }) => {
  const { period, query, set } = selection
  const narrowed = narrowedBy(query)
  const action = oneOf(query["action"], actions)
  const filters = { ...narrowed, ...(action === undefined ? {} : { action }) }
  const features = useFeatures()
  const use = useUse(period, narrowed)
  useEffect(() => void nameProducts(), [])
  const pages = usePages<UsageLedgerEntry>(
    "entries",
    (client, page, signal) =>
      client.reports.usageLedger({ ...filters, ...windowOf(period), limit: 50, ...page }, { signal }),
    [period.from, period.to, filters]
  )
  const { window } = ledgerView(pages.rows ?? [])
  const customers = useLabels(window, narrowed, "customer_id")
  const licenses = useLabels(window, narrowed, "license_id")
  const isUse = action === undefined || action === "license.usage_recorded"
  return (
    <Sheet
      kind="usage-ledger"
      selection={selection}
      filters={filters}
      fields={
        <>
          <Choice
            label="Entries"
            value={action ?? ""}
            options={actions}
            onChange={(action) => set({ action })}
          />
          <FeatureField selection={selection} narrowed={narrowed} features={features} />
        </>
      }
    >
      <NarrowedBy selection={selection} narrowed={narrowed} />
      <Placed after={isUse ? [pages, use] : [pages]} lines={10}>
        {isUse && (pages.rows?.length ?? 0) > 0 ? <UseCharts of={use} features={features} /> : null}
        <Panel title="Entries" aside={<span class="small quiet">newest first</span>} flush footer={<More of={pages} />}>
          <Rows
            of={pages}
            lines={10}
            empty={<Empty title="No entries in this period">Select another period or remove a filter.</Empty>}
          >
            {(rows) => (
              <FigureTable
                label="Entries"
                isWhole
                rows={rows}
                keyOf={({ id }) => id}
                columns={columnsOf({ selection, rows, features, customers, licenses })}
              />
            )}
          </Rows>
        </Panel>
        <p class="small quiet">
          Totals are per feature and license. Corrections change the total but do not count as usage.
        </p>
      </Placed>
    </Sheet>
  )
}
