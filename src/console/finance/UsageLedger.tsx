import { useEffect } from "preact/hooks"
import type { UsageLedgerAction, UsageLedgerEntry } from "../../client/api/index.ts"
import { Named } from "../design/Copy.tsx"
import { Empty } from "../design/Feedback.tsx"
import { Choice } from "../design/Field.tsx"
import { count } from "../design/Numbers.ts"
import { Panel } from "../design/Panel.tsx"
import { More } from "../lists/More.tsx"
import { usePages } from "../lists/Pages.ts"
import { Rows } from "../lists/Rows.tsx"
import { pathOf } from "../period/Kinds.ts"
import type { Asked } from "../period/Period.ts"
import { timeQuery, windowOf } from "../period/Period.ts"
import { secondIn } from "../period/Zone.ts"
import { nameProducts } from "../session/Names.ts"
import { FigureTable } from "./FigureTable.tsx"
import { NarrowedBy } from "./NarrowedBy.tsx"
import { Sheet } from "./Sheet.tsx"
import { narrowedBy, useFeatureNames, useLabels, useUse } from "./Use.ts"
import { UseCharts } from "./UseCharts.tsx"

const entries: Readonly<Record<UsageLedgerAction, string>> = {
  "license.usage_recorded": "Usage",
  "license.usage_reset": "Correction",
  "license.feature_removed": "Feature removed"
}

const isAction = (text: string): text is UsageLedgerAction => Object.hasOwn(entries, text)

/** A change with its sign, as corrections take away. */
const signed = (amount: number): string => amount < 0 ? `−${count(-amount)}` : count(amount)

/** The time of the entries that are shown, newest first, so that no more is named than is seen; empty where there are none. */
const spanned = (rows: ReadonlyArray<UsageLedgerEntry>): { readonly from?: string; readonly to?: string } => {
  const [newest, oldest] = [rows[0], rows.at(-1)]
  if (newest === undefined || oldest === undefined) return {}
  return { from: oldest.occurred_at, to: new Date(Date.parse(newest.occurred_at) + 1).toISOString() }
}

/** Every use and every correction, as they were counted. */
export const UsageLedger = ({ asked }: { readonly asked: Asked }) => {
  const { period, query, set, zone } = asked
  const narrowed = narrowedBy(query)
  const action = isAction(query["action"] ?? "") ? query["action"] as UsageLedgerAction : undefined
  const filters = { ...narrowed, ...(action === undefined ? {} : { action }) }
  const features = useFeatureNames()
  const use = useUse(period, narrowed)
  useEffect(() => void nameProducts(), [])
  const pages = usePages<UsageLedgerEntry>(
    "entries",
    (client, page, signal) =>
      client.reports.usageLedger({
        ...filters,
        ...windowOf(period),
        limit: 50,
        ...page
      }, { signal }),
    [period.from, period.to, filters]
  )
  const shown = spanned(pages.rows ?? [])
  const customers = useLabels(shown, narrowed, "customer_id")
  const licenses = useLabels(shown, narrowed, "license_id")
  const hasOverage = (pages.rows ?? []).some(({ overage }) => overage !== undefined)
  const hasEvent = (pages.rows ?? []).some(({ event_id }) => event_id !== undefined)
  const isUse = action === undefined || action === "license.usage_recorded"
  return (
    <Sheet
      kind="usage-ledger"
      asked={asked}
      filters={filters}
      fields={
        <>
          <Choice
            label="Entries"
            value={action ?? ""}
            options={[["", "All"], ...Object.entries(entries)]}
            onChange={(action) => set({ action })}
          />
          <Choice
            label="Feature"
            value={narrowed.feature_code ?? ""}
            options={[
              ["", "All"],
              ...[
                ...new Set([
                  ...features.keys(),
                  ...(narrowed.feature_code === undefined ? [] : [narrowed.feature_code])
                ])
              ]
                .map((code) => [code, features.get(code) ?? code] as const)
            ]}
            onChange={(feature_code) => set({ feature_code })}
          />
        </>
      }
    >
      <NarrowedBy asked={asked} narrowed={narrowed} />
      {isUse && (pages.rows?.length ?? 0) > 0 ? <UseCharts of={use} names={features} /> : null}
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
              columns={[
                { name: "Time", cell: ({ occurred_at }) => secondIn(occurred_at, zone) },
                { name: "Entry", cell: ({ action }) => entries[action] },
                {
                  name: "Feature",
                  cell: ({ feature_code }) => <bdi>{features.get(feature_code) ?? feature_code}</bdi>
                },
                { name: "Amount", isNumber: true, cell: ({ amount }) => signed(amount) },
                ...(hasOverage
                  ? [{
                    name: "Over the quota",
                    isNumber: true,
                    cell: ({ overage }: UsageLedgerEntry) => overage === undefined ? "" : count(overage)
                  }]
                  : []),
                { name: "Total after", isNumber: true, cell: ({ total_consumptions }) => count(total_consumptions) },
                {
                  name: "Customer",
                  cell: ({ customer_id }) =>
                    customer_id === undefined ? "" : (
                      <Named
                        id={customer_id}
                        name={customers.get(customer_id) ?? customer_id}
                        href={pathOf("customer-summary", timeQuery(asked, { customer_id }))}
                      />
                    )
                },
                {
                  name: "License",
                  cell: ({ license_id }) => (
                    <Named
                      id={license_id}
                      name={licenses.get(license_id) ?? license_id}
                      href={pathOf("license-audit", timeQuery(asked, { license_id }))}
                    />
                  )
                },
                ...(hasEvent
                  ? [{
                    name: "Caller's event",
                    cell: ({ event_id }: UsageLedgerEntry) => <code class="small clip">{event_id}</code>
                  }]
                  : [])
              ]}
            />
          )}
        </Rows>
      </Panel>
      <p class="small quiet">
        Totals are per feature and license. Corrections change the total but do not count as usage.
      </p>
    </Sheet>
  )
}
