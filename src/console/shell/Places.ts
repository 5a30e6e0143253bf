import type { ManagementScope } from "../../client/api/index.ts"

/** A page of the console, and the scope without which it shows nothing. */
export interface Place {
  readonly href: string
  readonly name: string
  readonly icon: "licenses" | "customers" | "webhooks" | "operations" | "reports"
  readonly scope: ManagementScope
}

/** The pages, by who opens them. */
export const places: ReadonlyArray<readonly [whom: string, ReadonlyArray<Place>]> = [
  ["Support", [
    { href: "/console/licenses", name: "Licenses", icon: "licenses", scope: "license:read" },
    { href: "/console/customers", name: "Customers", icon: "customers", scope: "customer:read" }
  ]],
  ["Development", [{ href: "/console/webhooks", name: "Webhooks", icon: "webhooks", scope: "webhook:write" }]],
  ["System", [{ href: "/console/operations", name: "Operations", icon: "operations", scope: "ops:read" }]],
  ["Finance", [{ href: "/console/reports", name: "Reports", icon: "reports", scope: "report:read" }]]
]

/** The first page that a token may see; undefined where it may see none. */
export const homeOf = (may: (scope: ManagementScope) => boolean): string | undefined =>
  places.flatMap(([, all]) => all).find(({ scope }) => may(scope))?.href
