import type { ManagementScope } from "../../../client/api/index.ts"
import type { IconName } from "../../ground/design/Icon.tsx"
import { pagePaths } from "../parts/PagePaths.ts"
import type { PagePath } from "../parts/PagePaths.ts"

/** A page in the navigation, and the scope without which it shows nothing. */
export interface Place {
  readonly href: PagePath
  readonly name: string
  readonly icon: IconName
  /** The scope; `person` for every person who is signed in, and for no token. */
  readonly scope: ManagementScope | "person"
  /** Whether it concerns all products, and is refused to a token limited to some. */
  readonly isOfAll?: boolean
  /** Whether a phone shows it in its bar, and not behind "More". */
  readonly isFrequent?: boolean
  /** Other scopes with which parts of it are shown at its address. */
  readonly showsAlso?: ReadonlyArray<ManagementScope>
}

/** The navigation, by what a vendor does there; the start stands above all groups. A new page is one line; a group without a visible page is not shown. */
export const places: ReadonlyArray<readonly [group: string, ReadonlyArray<Place>]> = [
  ["", [
    { href: "/console/start", name: "Start", icon: "start", scope: "report:read", isFrequent: true }
  ]],
  ["Sell", [
    { href: "/console/products", name: "Products", icon: "products", scope: "product:read" },
    { href: "/console/licenses", name: "Licenses", icon: "licenses", scope: "license:read", isFrequent: true },
    { href: "/console/customers", name: "Customers", icon: "customers", scope: "customer:read", isFrequent: true },
    { href: "/console/purchases", name: "Purchases", icon: "purchases", scope: "product:read", isOfAll: true }
  ]],
  ["Watch", [
    { href: "/console/activity", name: "Activity", icon: "activity", scope: "report:read", isFrequent: true },
    { href: "/console/reports", name: "Reports", icon: "reports", scope: "report:read" }
  ]],
  ["Run", [
    { href: "/console/webhooks", name: "Webhooks", icon: "webhooks", scope: "webhook:write", showsAlso: ["ops:read"] },
    {
      href: "/console/operations",
      name: "Operations",
      icon: "operations",
      scope: "ops:read",
      showsAlso: ["admin", "event:read", "report:export"]
    }
  ]],
  ["Team", [
    { href: "/console/people", name: "People", icon: "people", scope: "people:read", isOfAll: true },
    { href: "/console/people/approvals", name: "Approvals", icon: "approvals", scope: "person" },
    { href: "/console/keys", name: "API keys", icon: "keys", scope: "admin" },
    { href: "/console/settings", name: "Settings", icon: "settings", scope: "admin", isOfAll: true }
  ]]
]

/** Pages on which something new is begun, which the command menu offers as commands. */
export const beginnings: ReadonlyArray<Omit<Place, "icon" | "isFrequent">> = [
  { href: "/console/licenses/new", name: "Issue license", scope: "license:write" }
]

/** How many places a phone's bar has room for, beside "More". */
const barLength = 4

/** The places of a phone's bar: those that are opened most, and then others as far as there is room. */
export const barOf = (listed: ReadonlyArray<Place>): ReadonlySet<Place> => {
  const byUse = [...listed.filter(({ isFrequent = false }) => isFrequent), ...listed]
  return new Set([...new Set(byUse)].slice(0, barLength))
}

type May = (scope: ManagementScope | "person") => boolean

/** Whether a token may see a page; `mayOfAll` is of what concerns all products. */
export const isListed = (
  { isOfAll = false, scope }: Pick<Place, "isOfAll" | "scope">,
  may: May,
  mayOfAll: May
): boolean => isOfAll ? mayOfAll(scope) : may(scope)

/** The place that a path is of, where somebody has no scope by which it shows anything; undefined elsewhere. */
export const forbiddenAt = (path: string, has: May): Place | undefined => {
  const all = places.flatMap(([, all]) => all)
  const place = all.find(({ href }) => path === href) ?? all.find(({ href }) => path.startsWith(`${href}/`))
  return place === undefined || [place.scope, ...place.showsAlso ?? []].some(has) ? undefined : place
}

/** The page that a token begins with: the start, the licenses, or else the first that it may see; undefined where it may see none. */
export const homeOf = (may: May, mayOfAll: May): string | undefined => {
  const listed = places.flatMap(([, all]) => all).filter((place) => isListed(place, may, mayOfAll))
  return (listed.find(({ href }) => href === "/console/start" || href === "/console/licenses") ?? listed[0])?.href
}

/** Whether a page is about people, who are those of live in each environment: all of the team but what waits for approval, and oneself. */
export const isOfPeople = (path: string): boolean =>
  path === "/console/me" || /^\/console\/people(?!\/approvals$)(?:\/|$)/.test(path)

/** The pages about no record. The kinds of reports are the same everywhere. */
const withoutRecord: ReadonlySet<string> = new Set(pagePaths.filter((path) => !path.includes(":")))

/** The page of a path in another environment: the same, or the list that a page about a record belongs to. */
export const listOf = (path: string): string => {
  if (withoutRecord.has(path) || path.startsWith("/console/reports/")) return path
  return !path.startsWith("/console/") ? "/console" : listOf(path.slice(0, path.lastIndexOf("/")))
}
