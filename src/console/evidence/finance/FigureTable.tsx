import type { ComponentChildren } from "preact"
import { Button } from "../../ground/design/Button.tsx"
import { amount, count } from "../../ground/design/Numbers.ts"
import { useKept } from "../../ground/session/Kept.ts"
import "./finance.css"
import type { UsageGroup, UsageSummaryReport } from "../../../client/api/index.ts"
import { Named } from "../../ground/design/Copy.tsx"
import { isDimensionGroup } from "../../ground/period/Kinds.ts"
import type { DimensionGroup, SheetKind } from "../../ground/period/Kinds.ts"
import { minuteIn } from "../../ground/period/Period.ts"
import { products } from "../../ground/session/Names.ts"
import type { NamedFeatures } from "../figures/NamedFeatures.ts"
import type { Total } from "../figures/Totals.ts"

/** A column of figures or of their subjects. */
export interface FigureColumn<Row> {
  readonly name: string
  readonly cell: (row: Row) => ComponentChildren
  readonly isNumber?: boolean
  /** The cells below it, one for each line of totals. */
  readonly totals?: ReadonlyArray<ComponentChildren>
}

/** How many rows are drawn at first. */
const first = 100

interface FigureTableProps<Row> {
  readonly label: string
  readonly columns: ReadonlyArray<FigureColumn<Row>>
  readonly rows: ReadonlyArray<Row>
  readonly keyOf: (row: Row) => string
  /** Whether all rows are drawn, because they arrive page by page. */
  readonly isWhole?: boolean
}

/** A cell. On a phone an empty one is left out, with its name. */
const Cell = ({ children, isNumber = false, name }: {
  readonly name: string
  readonly isNumber?: boolean | undefined
  readonly children?: ComponentChildren
}) => {
  const isBlank = children === undefined || children === null || children === ""
  return <td data-name={name} class={`${isNumber ? "num" : ""} ${isBlank ? "blank" : ""}`}>{children}</td>
}

/** Rows of figures, with totals below. On a phone each row is a block with a name beside each figure. */
export function FigureTable<Row>({ columns, isWhole = false, keyOf, label, rows }: FigureTableProps<Row>) {
  const [isAll, setAll] = useKept(`all rows of ${label}`, false)
  const shown = isAll || isWhole ? rows : rows.slice(0, first)
  const lines = Math.max(0, ...columns.map(({ totals = [] }) => totals.length))
  return (
    <div class="table sums">
      <table aria-label={label}>
        <thead>
          <tr>
            {columns.map(({ isNumber, name }) => (
              <th key={name} scope="col" class={isNumber === true ? "num" : ""}>{name}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ cell, isNumber, name }) => (
                <Cell key={name} name={name} isNumber={isNumber}>{cell(row)}</Cell>
              ))}
            </tr>
          ))}
        </tbody>
        {lines === 0 ? null : (
          <tfoot>
            {Array.from({ length: lines }, (_, line) => (
              <tr key={line}>
                {columns.map(({ isNumber, name, totals = [] }) => (
                  <Cell key={name} name={name} isNumber={isNumber}>{totals[line]}</Cell>
                ))}
              </tr>
            ))}
          </tfoot>
        )}
      </table>
      {shown.length === rows.length ? null : (
        <div class="rest">
          <Button small weight="bare" onClick={() => setAll(true)}>
            {`Show all ${count(rows.length)} rows`}
          </Button>
        </div>
      )}
    </div>
  )
}

/** A name, with its ID below, inside a link. */
export const Lead = ({ id, name }: { readonly id: string; readonly name: string | undefined }) => (
  <span class="two">
    <bdi class="strong clip">{name ?? id}</bdi>
    {name === undefined || name === id ? null : <code class="tiny quiet clip">{id}</code>}
  </span>
)

/** The name of the row without the thing that rows are grouped by. */
const without: Readonly<Record<UsageGroup, string>> = {
  product_id: "Without a product",
  customer_id: "Without a customer",
  license_id: "Without a license",
  order_id: "Without an order",
  subscription_id: "Without a subscription",
  feature_code: "Without a feature"
}

type Row = UsageSummaryReport["rows"][number]

/** The columns of use, with the amounts only where each is of one feature. */
export const useColumns = <A extends Omit<Row, "group" | "label">>(
  { decimalsOf = () => 0, hasAmounts, hasFirst = true, hasOverage, more = [], totals, zone }: {
    /** Decimal places of the amounts of a row. */
    readonly decimalsOf?: (row: A) => number
    readonly hasAmounts: boolean
    readonly hasOverage: boolean
    readonly totals: ReadonlyArray<Total>
    readonly zone: string
    /** Left out where there is little room. */
    readonly hasFirst?: boolean
    /** Figures beside the amounts. */
    readonly more?: ReadonlyArray<FigureColumn<A>>
  }
): ReadonlyArray<FigureColumn<A>> => [
  {
    name: "Usage events",
    isNumber: true,
    cell: ({ uses }) => count(uses),
    totals: totals.map(({ uses }) => count(uses))
  },
  ...(hasAmounts
    ? [{
      name: "Amount",
      isNumber: true,
      cell: (row: A) => amount(row.amount, decimalsOf(row)),
      totals: totals.map((total) => total.amount === undefined ? "" : amount(total.amount, total.decimals))
    }]
    : []),
  ...(hasAmounts && hasOverage
    ? [{
      name: "Overage",
      isNumber: true,
      cell: (row: A) => amount(row.overage ?? 0, decimalsOf(row)),
      totals: totals.map((total) => total.overage === undefined ? "" : amount(total.overage, total.decimals))
    }]
    : []),
  ...more,
  ...(hasFirst
    ? [{
      name: "First used",
      isNumber: true,
      cell: ({ first_at }: A) => first_at === undefined ? "" : minuteIn(first_at, zone)
    }]
    : []),
  { name: "Last used", isNumber: true, cell: ({ last_at }) => last_at === undefined ? "" : minuteIn(last_at, zone) }
]

/** The report about a group, and its filter. */
const closer: Readonly<Partial<Record<UsageGroup, readonly [SheetKind, string]>>> = {
  customer_id: ["customer-summary", "customer_id"],
  license_id: ["license-audit", "license_id"],
  subscription_id: ["subscription-settlement", "subscription_id"],
  order_id: ["subscription-settlement", "order_id"]
}

/** The name of a row's group, with a link to the report about it. */
export const groupCell = (
  group_by: UsageGroup | DimensionGroup,
  features: NamedFeatures,
  hrefOf: (kind: SheetKind, filter: Readonly<Record<string, string>>) => string
) =>
({ group, label }: Pick<Row, "group" | "label">): ComponentChildren => {
  if (isDimensionGroup(group_by)) {
    return group === undefined
      ? <span class="quiet">Without the dimension</span>
      : <bdi class="strong">{group}</bdi>
  }
  if (group === undefined) return <span class="quiet">{without[group_by]}</span>
  const name = label ?? (group_by === "feature_code"
    ? features.names.get(group)
    : group_by === "product_id"
    ? products.value?.get(group)?.name
    : undefined)
  const [kind, filter] = closer[group_by] ?? []
  return (
    <Named
      id={group}
      name={name ?? group}
      href={kind === undefined || filter === undefined ? undefined : hrefOf(kind, { [filter]: group })}
    />
  )
}
