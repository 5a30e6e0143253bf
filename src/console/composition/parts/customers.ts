import { CustomerPage } from "../../licensing/support/CustomerPage.tsx"
import { CustomersPage } from "../../licensing/support/CustomersPage.tsx"
import type { PartPages } from "./PartPages.ts"

/** The pages under /console/customers. */
export const pages = {
  "/console/customers": CustomersPage,
  "/console/customers/:id": CustomerPage
} as const satisfies PartPages<"customers">
