import type { ComponentChildren } from "preact"
import type { UsageGroup, UsageSummaryReport } from "../../../client/api/index.ts"
import { Named } from "../../ground/design/Copy.tsx"
import { amount, count } from "../../ground/design/Numbers.ts"
import { isDimensionGroup } from "../../ground/period/DimensionGroup.ts"
import type { DimensionGroup } from "../../ground/period/DimensionGroup.ts"
import type { SheetKind } from "../../ground/period/Kinds.ts"
import { minuteIn } from "../../ground/period/Zone.ts"
import { products } from "../../ground/session/Names.ts"
import type { NamedFeatures } from "../figures/NamedFeatures.ts"
import type { Total } from "../figures/Totals.ts"
import type { FigureColumn } from "./FigureTable.tsx"

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
