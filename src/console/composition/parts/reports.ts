import { ReportsPage } from "../../evidence/finance/ReportsPage.tsx"
import type { PartPages } from "./PartPages.ts"

/** The pages under /console/reports. */
export const pages = {
  "/console/reports": ReportsPage,
  "/console/reports/:kind": ReportsPage
} as const satisfies PartPages<"reports">
