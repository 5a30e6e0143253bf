import { ConnectionPage } from "../../sales/purchases/ConnectionPage.tsx"
import { PurchasePage } from "../../sales/purchases/PurchasePage.tsx"
import { PurchasesPage } from "../../sales/purchases/PurchasesPage.tsx"
import type { PartPages } from "./PartPages.ts"

/** The pages under /console/purchases. */
export const pages = {
  "/console/purchases": PurchasesPage,
  "/console/purchases/:id": PurchasePage,
  "/console/purchases/connections/:id": ConnectionPage
} as const satisfies PartPages<"purchases">
