import type { LicenseView, LicenseViewRequest } from "../../../client/api/index.ts"

/** A query of an address. */
type Query = Readonly<Record<string, string>>

/** The path of the list that views are of. */
const list = "/console/licenses"

/** The filters of the list of licenses, by their names in the address and in the service. */
const filterNames: ReadonlyArray<string> = [
  "q",
  "status",
  "product_id",
  "policy_id",
  "customer_id",
  "order_id",
  "subscription_id",
  "expires_before",
  "expires_after",
  "tag",
  "app_version",
  "os"
]

const picked = (query: Query, names: ReadonlyArray<string>): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) => query[name] === undefined || query[name] === "" ? [] : [[name, query[name]] as const])
  )

const address = (query: Query): string => `${list}?${new URLSearchParams(query)}`

/** The views that nobody has to save, with their names. */
export const readyViews: ReadonlyArray<readonly [name: string, href: string]> = [
  ["All", list],
  ["Ending soon", address({ status: "active", within: "30", order: "expires_asc" })]
]

/** The address of the list as a view shows it. */
export const hrefOf = ({ columns, expires_within_days, filter, id, order }: LicenseView): string =>
  address({
    view: id,
    ...picked({ ...filter }, filterNames),
    ...(expires_within_days === undefined ? {} : { within: String(expires_within_days) }),
    ...(order === undefined ? {} : { order }),
    ...(columns === undefined ? {} : { columns: columns.join(",") })
  })

/** The days of an address within which licenses end; undefined where it has none. */
const daysOf = ({ within = "" }: Query): number | undefined =>
  /^[1-9]\d{0,3}$/.test(within) ? Number(within) : undefined

/** The list as it stands in its address, in the form in which it is saved. */
export const savedOf = (query: Query, columns: ReadonlyArray<string>): Omit<LicenseViewRequest, "name"> => {
  const days = daysOf(query)
  const { expires_after, expires_before, ...filter } = picked(query, filterNames)
  return {
    filter: {
      ...filter,
      ...(days !== undefined || expires_before === undefined ? {} : { expires_before }),
      ...(days !== undefined || expires_after === undefined ? {} : { expires_after })
    },
    ...(days === undefined ? {} : { expires_within_days: days }),
    ...picked(query, ["order"]),
    columns: [...columns]
  }
}

const [hourMillis, dayMillis] = [3_600_000, 86_400_000]

/** The filters that an address asks the service for. Days count from the hour that it is, so that a list is not asked for anew each moment. */
export const filtersOf = (query: Query, now: number): Record<string, string> => {
  const days = daysOf(query)
  const hour = Math.floor(now / hourMillis) * hourMillis
  const at = (millis: number) => new Date(millis).toISOString()
  return {
    ...picked(query, filterNames),
    ...(days === undefined ? {} : { expires_after: at(hour), expires_before: at(hour + days * dayMillis) })
  }
}

/** Whether an address shows what a link leads to, whatever is chosen beside it. */
export const isAt = (query: Query, href: string): boolean => {
  const wanted = Object.fromEntries(new URLSearchParams(href.split("?")[1] ?? ""))
  const names = [...filterNames, "within", "view"]
  return names.every((name) => (query[name] ?? "") === (wanted[name] ?? ""))
}
