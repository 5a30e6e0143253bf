import type { StatementReport } from "../../../client/api/index.ts"
import { labels, titleOf } from "../../../client/api/Labels.ts"
import { Id, Named } from "../../ground/design/Copy.tsx"
import { Empty } from "../../ground/design/Feedback.tsx"
import { Choice } from "../../ground/design/Field.tsx"
import { amount, count } from "../../ground/design/Numbers.ts"
import { Panel } from "../../ground/design/Panel.tsx"
import { useNamesOf } from "../../ground/lists/NamesOf.ts"
import { pathOf } from "../../ground/period/Kinds.ts"
import type { Selection } from "../../ground/period/Period.ts"
import { timeQuery, windowOf } from "../../ground/period/Period.ts"
import { useKept } from "../../ground/session/Kept.ts"
import { useLoad } from "../../ground/session/Load.ts"
import { Loading } from "../../ground/session/Loading.tsx"
import { productName } from "../../ground/session/Names.ts"
import { may } from "../../ground/session/Session.ts"
import { Sheet } from "../exports/Sheet.tsx"
import { featureName } from "../figures/NamedFeatures.ts"
import type { NamedFeatures } from "../figures/NamedFeatures.ts"
import { statementColumns } from "../figures/StatementView.ts"
import { rowsText } from "../figures/Totals.ts"
import { About, customerFact } from "./About.tsx"
import { FigureTable } from "./FigureTable.tsx"
import type { FigureColumn } from "./FigureTable.tsx"
import { Pick } from "./Pick.tsx"
import { useFeatures } from "./Use.ts"

type Row = StatementReport["rows"][number]

const Rows = ({ features, of, part, selection }: {
  readonly of: StatementReport
  readonly part: "balance" | "usage"
  readonly selection: Selection
  readonly features: NamedFeatures
}) => {
  const { rows, summary } = of
  const feature: FigureColumn<Row> = {
    name: "Feature",
    cell: ({ feature_code }) => <Named id={feature_code} name={featureName(features, feature_code)} />
  }
  const license: FigureColumn<Row> = {
    name: "License",
    cell: ({ key, license_id }) => (
      <Named id={license_id} name={key} href={pathOf("statement", timeQuery(selection, { license_id }))} />
    )
  }
  return (
    <FigureTable<Row>
      label={part === "balance" ? "Grants" : "Usage"}
      rows={rows}
      keyOf={({ feature_code, license_id, product_id }) => `${license_id} ${product_id} ${feature_code}`}
      columns={[
        ...(summary.license === undefined ? [license] : []),
        feature,
        ...statementColumns(summary.features, part).map(({ name, title }): FigureColumn<Row> => ({
          name: title,
          isNumber: true,
          cell: (row) => amount(row[name] ?? 0, name === "uses" ? undefined : row.decimals)
        }))
      ]}
    />
  )
}

/** The customer or the license of a statement. */
const Subject = ({ of, selection }: { readonly of: StatementReport; readonly selection: Selection }) => {
  const { customer, license, licenses } = of.summary
  const names = useNamesOf(license ?? {})
  const back = pathOf("statement", timeQuery(selection))
  if (license === undefined) {
    return (
      <About
        name={customer?.name ?? ""}
        back={back}
        backName="Another customer or license"
        facts={[
          ["Code", customer?.code],
          ["Email", customer?.email === undefined ? undefined : <bdi>{customer.email}</bdi>],
          ["Licenses", count(licenses)],
          ["ID", customer === undefined ? undefined : <Id of={customer.id} />]
        ]}
      />
    )
  }
  const { customer_id, id, license_key_last4, license_key_prefix, product_id } = license
  return (
    <About
      name={`${license_key_prefix}…${license_key_last4}`}
      back={back}
      backName="Another customer or license"
      facts={[
        ["Product", <bdi>{names.product ?? productName(product_id)}</bdi>],
        customerFact(selection, customer_id, names.customer),
        ["ID", may("license:read") ? <a href={`/console/licenses/${id}`}>{id}</a> : <Id of={id} />]
      ]}
    />
  )
}

const Of = ({ filter, selection }: {
  readonly selection: Selection
  readonly filter: Readonly<Record<string, string>>
}) => {
  const { period } = selection
  const features = useFeatures()
  const report = useLoad(
    (client, signal) => client.reports.statement({ ...filter, ...windowOf(period), limit: 200 }, { signal }),
    [JSON.stringify(filter), period.from, period.to],
    { when: period.wrong === undefined }
  )
  return (
    <Sheet kind="statement" selection={selection} filters={filter}>
      <Loading of={report} lines={10}>
        {(of) => (
          <>
            <Subject of={of} selection={selection} />
            <Panel title="Grants" aside={<span class="small quiet">{rowsText(of)}</span>} flush>
              {of.rows.length === 0
                ? (
                  <Empty title="No units">
                    No units were granted or used in this period, and none are left.
                  </Empty>
                )
                : <Rows of={of} part="balance" selection={selection} features={features} />}
            </Panel>
            {of.rows.length === 0 ? null : (
              <Panel title="Usage" flush>
                <Rows of={of} part="usage" selection={selection} features={features} />
              </Panel>
            )}
            <p class="small quiet">
              The closing balance is the opening balance and what was added, less what was used, ended or was revoked.
              Each feature has its own unit.
            </p>
          </>
        )}
      </Loading>
    </Sheet>
  )
}

const subjects = [["customer_id", /^cus_[0-9a-z]{26}$/], ["license_id", /^lic_[0-9a-z]{26}$/]] as const

/** The grants and the usage of a customer or a license, to the unit. */
export const StatementSheet = ({ selection }: { readonly selection: Selection }) => {
  const [at, setAt] = useKept<string>("statement of", "customer_id")
  const chosen = subjects.find(([name]) => (selection.query[name] ?? "") !== "")
  if (chosen !== undefined) {
    const [name] = chosen
    const id = selection.query[name]!
    return <Of key={id} selection={selection} filter={{ [name]: id }} />
  }
  const [group, idPattern] = subjects.find(([name]) => name === at) ?? subjects[0]
  return (
    <Sheet
      kind="statement"
      selection={selection}
      filters={undefined}
      fields={
        <Choice
          label="Statement of a"
          value={group}
          options={subjects.map(([name]) => [name, labels.group[name]])}
          onChange={setAt}
        />
      }
    >
      <Pick
        key={group}
        kind="statement"
        selection={selection}
        group={group}
        noun={titleOf("group", group)}
        idPattern={idPattern}
      />
    </Sheet>
  )
}
