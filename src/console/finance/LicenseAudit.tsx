import { useEffect } from "preact/hooks"
import type { LicenseAuditReport } from "../../client/api/index.ts"
import { Badge, wordsOf } from "../design/Badge.tsx"
import { Chart } from "../design/Chart.tsx"
import { Id, Named } from "../design/Copy.tsx"
import { Empty } from "../design/Feedback.tsx"
import { count } from "../design/Numbers.ts"
import { Figure, Panel } from "../design/Panel.tsx"
import { useNamesOf } from "../lists/NamesOf.ts"
import { pathOf } from "../period/Kinds.ts"
import type { Asked } from "../period/Period.ts"
import { timeQuery, windowOf } from "../period/Period.ts"
import { dayIn, minuteIn, secondIn } from "../period/Zone.ts"
import { useLoad } from "../session/Load.ts"
import { Loading } from "../session/Loading.tsx"
import { keyNameOf, nameKeys, nameProducts, productName } from "../session/Names.ts"
import { may } from "../session/Session.ts"
import { About } from "./About.tsx"
import { FigureTable } from "./FigureTable.tsx"
import { Pick } from "./Pick.tsx"
import { Sheet } from "./Sheet.tsx"
import { useFeatureNames, useLabels } from "./Use.ts"
import { rowsSaid, totalsOf, useColumns } from "./UseTable.tsx"

type Activity = LicenseAuditReport["rows"][number]

/** How many activities are asked for. */
const most = 200

const day = 86_400_000

/** The activities of each day of a window, in the reader's zone; days without any are none. */
const daily = ({ filters: { from, to }, rows }: LicenseAuditReport, zone: string) => {
  const last = Math.min(Date.parse(to) - 1, Date.now())
  const days = new Map<string, { done: number; refused: number }>()
  for (let at = Date.parse(from); at <= last; at += day) days.set(dayIn(at, zone), { done: 0, refused: 0 })
  for (const { occurred_at, result_class } of rows) {
    const found = days.get(dayIn(Date.parse(occurred_at), zone))
    if (found !== undefined) found[result_class === "success" ? "done" : "refused"] += 1
  }
  return {
    instants: [...days.keys()].map((date) => `${date}T00:00:00`),
    done: [...days.values()].map(({ done }) => done),
    refused: [...days.values()].map(({ refused }) => refused)
  }
}

/** The longest window whose days are drawn. */
const drawnDays = 366

const Days = ({ of, zone }: { readonly of: LicenseAuditReport; readonly zone: string }) => {
  if (of.truncated || of.rows.length === 0) return null
  if (Date.parse(of.filters.to) - Date.parse(of.filters.from) > drawnDays * day) return null
  const { done, instants, refused } = daily(of, zone)
  return (
    <Panel title="Activities per day">
      <Chart
        kind="bars"
        height={140}
        label={`Activities per day, ${zone}`}
        instants={instants}
        series={[
          { name: "done", values: done },
          ...(refused.some((many) => many > 0) ? [{ name: "refused or failed", values: refused }] : [])
        ]}
      />
    </Panel>
  )
}

const Result = ({ code, result_class }: Outcome) =>
  result_class === "success"
    ? <span class="quiet">done</span>
    : (
      <span class="row">
        <Badge tone="bad">{result_class}</Badge>
        {code === undefined ? null : <code class="tiny quiet">{code}</code>}
      </span>
    )
type Outcome = { readonly code?: string | undefined; readonly result_class: string }

const Parts = (
  { asked, features, of }: {
    readonly of: LicenseAuditReport
    readonly asked: Asked
    readonly features: ReadonlyMap<string, string>
  }
) => {
  const { actions, features: used } = of.summary
  const rows = used.map((feature) => ({ ...feature, group: feature.feature_code }))
  return (
    <>
      <Panel title="Activities by action" flush>
        <FigureTable
          label="Activities by action"
          rows={actions.toSorted((one, other) => other.count - one.count)}
          keyOf={({ action, result_class }) => `${action} ${result_class}`}
          columns={[
            { name: "Action", cell: ({ action }) => wordsOf(action), totals: ["Total"] },
            { name: "Result", cell: ({ result_class }) => <Result result_class={result_class} /> },
            {
              name: "Times",
              isNumber: true,
              cell: ({ count: many }) => count(many),
              totals: [count(actions.reduce((sum, { count: many }) => sum + many, 0))]
            }
          ]}
        />
      </Panel>
      {rows.length === 0 ? null : (
        <Panel title="Usage" flush>
          <FigureTable
            label="Usage"
            rows={rows}
            keyOf={({ feature_code }) => feature_code}
            columns={[
              {
                name: "Feature",
                cell: ({ feature_code }) => (
                  <Named id={feature_code} name={features.get(feature_code) ?? feature_code} />
                ),
                totals: rows.length === 1 ? [] : ["Total"]
              },
              ...useColumns<typeof rows[number]>({
                hasAmounts: true,
                hasOverage: used.some(({ overage }) => overage !== undefined),
                totals: rows.length === 1 ? [] : totalsOf(rows, ({ group }) => group),
                zone: asked.zone
              })
            ]}
          />
        </Panel>
      )}
    </>
  )
}

const Audited = ({ asked, id }: { readonly asked: Asked; readonly id: string }) => {
  const { period, zone } = asked
  useEffect(() => {
    void nameProducts()
    void nameKeys()
  }, [])
  const names = useNamesOf({ license_id: id })
  const features = useFeatureNames()
  const customers = useLabels(period, { license_id: id }, "customer_id")
  const report = useLoad(
    (client, signal) => client.reports.licenseAudit({ license_id: id, ...windowOf(period), limit: most }, { signal }),
    [id, period.from, period.to],
    { when: period.wrong === undefined }
  )
  return (
    <Sheet kind="license-audit" asked={asked} filters={{ license_id: id }}>
      <Loading of={report} lines={10}>
        {(of) => {
          const { activities, license } = of.summary
          const refused = of.summary.actions.reduce(
            (sum, { count, result_class }) => sum + (result_class === "success" ? 0 : count),
            0
          )
          return (
            <>
              <About
                name={`${license.license_key_prefix}…${license.license_key_last4}`}
                state={license.status}
                back={pathOf("license-audit", timeQuery(asked))}
                backName="Another license"
                facts={[
                  ["Product", <bdi>{names.product ?? productName(license.product_id)}</bdi>],
                  [
                    "Customer",
                    license.customer_id === undefined ?
                      undefined :
                      (
                        <a href={pathOf("customer-summary", timeQuery(asked, { customer_id: license.customer_id }))}>
                          <bdi>{names.customer ?? customers.get(license.customer_id) ?? license.customer_id}</bdi>
                        </a>
                      )
                  ],
                  ["Issued", minuteIn(license.created_at, zone)],
                  ["Expires", license.expires_at === undefined ? "never" : minuteIn(license.expires_at, zone)],
                  [
                    "ID",
                    may("license:read")
                      ? <a href={`/console/licenses/${license.id}`}>{license.id}</a>
                      : <Id of={license.id} />
                  ]
                ]}
              />
              <Panel>
                <div class="figures">
                  <Figure label="Activities" value={count(activities)} more={period.name} />
                  <Figure
                    label="Refused or failed"
                    value={count(refused)}
                    {...(refused > 0 ? { tone: "warn" as const } : {})}
                  />
                  <Figure label="Current devices" value={count(license.active_device_count)} />
                  <Figure label="Activations" value={count(license.times_activated)} more="ever" />
                  <Figure label="Transfers" value={count(license.times_transferred)} more="ever" />
                </div>
              </Panel>
              <Days of={of} zone={zone} />
              {activities === 0 ? null : <Parts of={of} asked={asked} features={features} />}
              <Panel title="Activities" aside={<span class="small quiet">newest first · {rowsSaid(of)}</span>} flush>
                {of.rows.length === 0
                  ? <Empty title="No activities in this period">Select another period.</Empty>
                  : (
                    <FigureTable<Activity>
                      label="Activities"
                      rows={of.rows}
                      keyOf={({ id }) => id}
                      columns={[
                        { name: "Time", cell: ({ occurred_at }) => secondIn(occurred_at, zone) },
                        {
                          name: "Action",
                          cell: ({ action, request_id }) => (
                            <span class="two">
                              <span>{wordsOf(action)}</span>
                              <code class="tiny quiet clip">{request_id}</code>
                            </span>
                          )
                        },
                        { name: "Result", cell: (row) => <Result {...row} /> },
                        {
                          name: "By",
                          cell: ({ actor_id, actor_type }) => (
                            <Named id={actor_id} name={keyNameOf(actor_id) ?? wordsOf(actor_type)} />
                          )
                        },
                        {
                          name: "Feature",
                          cell: ({ feature_code }) =>
                            feature_code === undefined ? "" : <bdi>{features.get(feature_code) ?? feature_code}</bdi>
                        },
                        {
                          name: "Amount",
                          isNumber: true,
                          cell: ({ amount }) => amount === undefined ? "" : count(amount)
                        }
                      ]}
                    />
                  )}
              </Panel>
            </>
          )
        }}
      </Loading>
    </Sheet>
  )
}

/** What happened to a license. */
export const LicenseAudit = ({ asked }: { readonly asked: Asked }) => {
  const id = asked.query["license_id"] ?? ""
  return id !== "" ?
    <Audited key={id} asked={asked} id={id} /> :
    (
      <Sheet kind="license-audit" asked={asked} filters={undefined}>
        <Pick
          kind="license-audit"
          asked={asked}
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
