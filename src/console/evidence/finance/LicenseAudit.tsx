import { useEffect } from "preact/hooks"
import type { LicenseAuditReport } from "../../../client/api/index.ts"
import { labelOf } from "../../../client/api/Labels.ts"
import { Chart } from "../../ground/charts/Chart.tsx"
import { Badge } from "../../ground/design/Badge.tsx"
import { Id, Named } from "../../ground/design/Copy.tsx"
import { Empty } from "../../ground/design/Feedback.tsx"
import { count } from "../../ground/design/Numbers.ts"
import { Figure, Panel } from "../../ground/design/Panel.tsx"
import { useNamesOf } from "../../ground/lists/NamesOf.ts"
import { pathOf } from "../../ground/period/Kinds.ts"
import { minuteIn, secondIn, timeQuery, windowOf } from "../../ground/period/Period.ts"
import type { Selection } from "../../ground/period/Period.ts"
import { useLoad } from "../../ground/session/Load.ts"
import { Loading } from "../../ground/session/Loading.tsx"
import { keyNameOf, nameKeys, nameProducts, productName } from "../../ground/session/Names.ts"
import { may } from "../../ground/session/Session.ts"
import { Sheet } from "../exports/Sheet.tsx"
import { auditView } from "../figures/AuditView.ts"
import { featureAmount, featureName } from "../figures/NamedFeatures.ts"
import type { NamedFeatures } from "../figures/NamedFeatures.ts"
import { rowsText } from "../figures/Totals.ts"
import { About, customerFact } from "./About.tsx"
import { FigureTable, useColumns } from "./FigureTable.tsx"
import { Pick } from "./Pick.tsx"
import { useFeatures, useLabels } from "./Use.ts"

type Activity = LicenseAuditReport["rows"][number]

/** The most activities that are listed. */
const most = 200

type View = ReturnType<typeof auditView>

interface Outcome {
  readonly code?: string | undefined
  readonly result_class: string
}

const Result = ({ code, result_class }: Outcome) =>
  result_class === "success"
    ? <span class="quiet">{labelOf("result", result_class)}</span>
    : (
      <span class="row">
        <Badge tone="bad">{labelOf("result", result_class)}</Badge>
        {code === undefined ? null : <code class="tiny quiet">{code}</code>}
      </span>
    )

const Facts = (
  { selection, customer, of: { license }, product = productName(license.product_id) }: {
    readonly of: LicenseAuditReport["summary"]
    readonly selection: Selection
    readonly product: string | undefined
    readonly customer: string | undefined
  }
) => {
  const { customer_id, id } = license
  return (
    <About
      name={`${license.license_key_prefix}…${license.license_key_last4}`}
      state={license.status}
      back={pathOf("license-audit", timeQuery(selection))}
      backName="Another license"
      facts={[
        ["Product", <bdi>{product}</bdi>],
        customerFact(selection, customer_id, customer),
        ["Issued", minuteIn(license.created_at, selection.zone)],
        ["Expires", license.expires_at === undefined ? "never" : minuteIn(license.expires_at, selection.zone)],
        ["ID", may("license:read") ? <a href={`/console/licenses/${id}`}>{id}</a> : <Id of={id} />]
      ]}
    />
  )
}

const Figures = (
  { of: { activities, license }, period, refused }: {
    readonly of: LicenseAuditReport["summary"]
    readonly period: Selection["period"]
    readonly refused: number
  }
) => (
  <Panel>
    <div class="figures">
      <Figure label="Activities" value={count(activities)} more={period.name} />
      <Figure label="Refused or failed" value={count(refused)} tone={refused > 0 ? "warn" : ""} />
      <Figure label="Current devices" value={count(license.active_device_count)} />
      <Figure label="Activations" value={count(license.times_activated)} more="ever" />
      <Figure label="Transfers" value={count(license.times_transferred)} more="ever" />
    </div>
  </Panel>
)

const ByAction = ({ view: { actionTotal, actions } }: { readonly view: View }) => (
  <Panel title="Activities by action" flush>
    <FigureTable
      label="Activities by action"
      rows={actions}
      keyOf={({ action, result_class }) =>
        `${action} ${result_class}`}
      columns={[
        {
          name: "Action",
          cell: ({ action }) =>
            labelOf("action", action),
          totals: ["Total"]
        },
        { name: "Result", cell: ({ result_class }) => <Result result_class={result_class} /> },
        { name: "Times", isNumber: true, cell: ({ count: many }) => count(many), totals: [count(actionTotal)] }
      ]}
    />
  </Panel>
)

const ByFeature = (
  { features, view: { hasOverage, usage, usageTotals: totals }, zone }: {
    readonly view: View
    readonly features: NamedFeatures
    readonly zone: string
  }
) => (
  <Panel title="Usage" flush>
    <FigureTable
      label="Usage"
      rows={usage}
      keyOf={({ feature_code }) => feature_code}
      columns={[
        {
          name: "Feature",
          cell: ({ feature_code }) => <Named id={feature_code} name={featureName(features, feature_code)} />,
          totals: totals.map(({ name }) => name)
        },
        ...useColumns<typeof usage[number]>({
          decimalsOf: ({ feature_code }) => features.decimals.get(feature_code) ?? 0,
          hasAmounts: true,
          hasOverage,
          totals,
          zone
        })
      ]}
    />
  </Panel>
)

const Activities = (
  { features, rows, zone }: {
    readonly rows: ReadonlyArray<Activity>
    readonly features: NamedFeatures
    readonly zone: string
  }
) => (
  <FigureTable<Activity>
    label="Activities"
    rows={rows}
    keyOf={({ id }) => id}
    columns={[
      { name: "Time", cell: ({ occurred_at }) => secondIn(occurred_at, zone) },
      {
        name: "Action",
        cell: ({ action, request_id }) => (
          <span class="two">
            <span>{labelOf("action", action)}</span>
            <code class="tiny quiet clip">{request_id}</code>
          </span>
        )
      },
      { name: "Result", cell: (row) => <Result {...row} /> },
      {
        name: "By",
        cell: ({ actor_id, actor_type }) => (
          <Named id={actor_id} name={keyNameOf(actor_id) ?? labelOf("actor", actor_type)} />
        )
      },
      {
        name: "Feature",
        cell: ({ feature_code }) => feature_code === undefined ? "" : <bdi>{featureName(features, feature_code)}</bdi>
      },
      {
        name: "Amount",
        isNumber: true,
        cell: ({ amount, feature_code }) =>
          amount === undefined ? "" : featureAmount(features, feature_code ?? "", amount)
      }
    ]}
  />
)

const Audited = ({ selection, id }: { readonly selection: Selection; readonly id: string }) => {
  const { period, zone } = selection
  useEffect(() => {
    void nameProducts()
    void nameKeys()
  }, [])
  const names = useNamesOf({ license_id: id })
  const features = useFeatures()
  const customers = useLabels(period, { license_id: id }, "customer_id")
  const report = useLoad(
    (client, signal) => client.reports.licenseAudit({ license_id: id, ...windowOf(period), limit: most }, { signal }),
    [id, period.from, period.to],
    { when: period.wrong === undefined }
  )
  return (
    <Sheet kind="license-audit" selection={selection} filters={{ license_id: id }}>
      <Loading of={report} lines={10}>
        {(of) => {
          const view = auditView(of, zone, features)
          return (
            <>
              <Facts
                of={of.summary}
                selection={selection}
                product={names.product}
                customer={names.customer ?? customers.get(of.summary.license.customer_id ?? "")}
              />
              <Figures of={of.summary} period={period} refused={view.refused} />
              {view.days === undefined ? null : (
                <Panel title="Activities per day">
                  <Chart kind="bars" height={140} label={`Activities per day, ${zone}`} {...view.days} />
                </Panel>
              )}
              {of.summary.activities === 0 ? null : <ByAction view={view} />}
              {view.usage.length === 0 ? null : <ByFeature view={view} features={features} zone={zone} />}
              <Panel title="Activities" aside={<span class="small quiet">newest first · {rowsText(of)}</span>} flush>
                {of.rows.length === 0
                  ? <Empty title="No activities in this period">Select another period.</Empty>
                  : <Activities rows={of.rows} features={features} zone={zone} />}
              </Panel>
            </>
          )
        }}
      </Loading>
    </Sheet>
  )
}

/** The activity of a license in a period. */
export const LicenseAudit = ({ selection }: { readonly selection: Selection }) => {
  const id = selection.query["license_id"] ?? ""
  return id !== "" ?
    <Audited key={id} selection={selection} id={id} /> :
    (
      <Sheet kind="license-audit" selection={selection} filters={undefined}>
        <Pick
          kind="license-audit"
          selection={selection}
          group="license_id"
          noun="License"
          idPattern={/^lic_[0-9a-z]{26}$/}
          search={{
            scope: "license:read",
            ask: async (client, q, signal) => {
              const { licenses } = await client.licenses.search({ text: q, limit: 10 }, { signal })
              return licenses.map(({ customer_name, id, license_key_last4, license_key_prefix, names }) => ({
                id,
                name: [`${license_key_prefix}…${license_key_last4}`, customer_name ?? names?.customer]
                  .filter(Boolean).join(", ")
              }))
            }
          }}
        />
      </Sheet>
    )
}
