import { useEffect } from "preact/hooks"
import type { Countersign, Feature, ReportBucket, UsageSummaryReport } from "../../../client/api/index.ts"
import type { Period } from "../../ground/period/Period.ts"
import { windowOf } from "../../ground/period/Period.ts"
import { useLoad } from "../../ground/session/Load.ts"
import type { Loaded } from "../../ground/session/Load.ts"
import { nameProducts, products } from "../../ground/session/Names.ts"
import { may } from "../../ground/session/Session.ts"
import { namedFeatures, noFeatures } from "../figures/NamedFeatures.ts"
import type { NamedFeatures } from "../figures/NamedFeatures.ts"

/** The filters of usage, as the API takes them. */
export type Narrowed = Readonly<
  Partial<
    Record<"product_id" | "customer_id" | "license_id" | "order_id" | "subscription_id" | "feature_code", string>
  >
>

const narrowing = ["product_id", "customer_id", "license_id", "order_id", "subscription_id", "feature_code"] as const

/** The filters of usage in an address. */
export const narrowedBy = (query: Readonly<Record<string, string>>): Narrowed =>
  Object.fromEntries(
    narrowing.flatMap((name) => query[name] === undefined || query[name] === "" ? [] : [[name, query[name]]])
  )

const day = 86_400_000

/** The steps of a chart: days for up to a quarter, then weeks. */
const stepOf = ({ from, to }: { readonly from: string; readonly to: string }): ReportBucket =>
  Date.parse(to) - Date.parse(from) <= 93 * day ? "1d" : "1w"

/** The usage of each feature over time. */
export const useUse = (
  period: Pick<Period, "from" | "to">,
  narrowed: Narrowed,
  { when = true } = {}
): Loaded<UsageSummaryReport> => {
  const { from, to } = period
  return useLoad(
    (client, signal) =>
      client.reports.usageSummary({
        ...narrowed,
        from: from ?? "",
        to: to ?? "",
        group_by: "feature_code",
        bucket: stepOf({ from: from ?? "", to: to ?? "" })
      }, { signal }),
    [from, to, JSON.stringify(narrowed)],
    { when: when && from !== undefined && to !== undefined && Date.parse(to) - Date.parse(from) <= 366 * day }
  )
}

/** The names of a group's rows by their ids, as the usage summary has them. */
export const useLabels = (
  period: Pick<Period, "from" | "to" | "wrong">,
  narrowed: Narrowed,
  group_by: "customer_id" | "license_id"
): ReadonlyMap<string, string> => {
  const named = useLoad(
    (client, signal) => client.reports.usageSummary({ ...narrowed, ...windowOf(period), group_by }, { signal }),
    [period.from, period.to, JSON.stringify(narrowed), group_by],
    { when: period.wrong === undefined && period.from !== undefined }
  )
  return new Map(
    (named.data?.rows ?? []).flatMap(({ group, label }) =>
      group === undefined || label === undefined ? [] : [[group, label]]
    )
  )
}

/** The most products whose features are named. */
const mostProducts = 50

const featuresOf = async (client: Countersign, ids: ReadonlyArray<string>, signal: AbortSignal) =>
  namedFeatures(
    (await Promise.all(
      ids.map((id) => client.features.list(id, { limit: 200 }, { signal }) as Promise<ReadonlyArray<Feature>>)
    )).flat()
  )

/** The names of features, and the decimal places of their amounts, as far as the token may see them. */
export const useFeatures = (): NamedFeatures => {
  useEffect(() => void nameProducts(), [])
  const ids = [...products.value?.keys() ?? []].slice(0, mostProducts)
  const found = useLoad(
    (client, signal) => featuresOf(client, ids, signal),
    [ids.join()],
    { when: ids.length > 0 && may("product:read") }
  )
  return found.data ?? noFeatures
}
