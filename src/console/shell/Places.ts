import type { ManagementScope } from "../../client/api/index.ts"
import type { PagePath } from "../parts/PagePaths.ts"

/** A page in the navigation, and the scope without which it shows nothing. */
export interface Place {
  readonly href: PagePath
  readonly name: string
  readonly icon: "products" | "licenses" | "customers" | "purchases" | "webhooks" | "operations" | "reports"
  readonly scope: ManagementScope
  /** Whether it concerns all products, and is refused to a token limited to some. */
  readonly isOfAll?: boolean
}

/** The navigation, by who opens its pages. */
export const places: ReadonlyArray<readonly [whom: string, ReadonlyArray<Place>]> = [
  ["Sell", [
    { href: "/console/products", name: "Products", icon: "products", scope: "product:read" },
    { href: "/console/licenses", name: "Licenses", icon: "licenses", scope: "license:read" },
    { href: "/console/customers", name: "Customers", icon: "customers", scope: "customer:read" },
    { href: "/console/purchases", name: "Purchases", icon: "purchases", scope: "product:read", isOfAll: true }
  ]],
  ["Development", [{ href: "/console/webhooks", name: "Webhooks", icon: "webhooks", scope: "webhook:write" }]],
  ["System", [{ href: "/console/operations", name: "Operations", icon: "operations", scope: "ops:read" }]],
  ["Finance", [{ href: "/console/reports", name: "Reports", icon: "reports", scope: "report:read" }]]
]

type May = (scope: ManagementScope) => boolean

/** Whether a token may see a page; `mayOfAll` is of what concerns all products. */
export const isListed = ({ isOfAll = false, scope }: Place, may: May, mayOfAll: May): boolean =>
  isOfAll ? mayOfAll(scope) : may(scope)

/** The page that a token begins with: the licenses, or else the first that it may see; undefined where it may see none. */
export const homeOf = (may: May, mayOfAll: May): string | undefined => {
  const listed = places.flatMap(([, all]) => all).filter((place) => isListed(place, may, mayOfAll))
  return (listed.find(({ href }) => href === "/console/licenses") ?? listed[0])?.href
}
