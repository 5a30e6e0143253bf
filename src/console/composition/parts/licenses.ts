import { JobPage } from "../../licensing/bulk/JobPage.tsx"
import { IssuePage } from "../../licensing/issue/IssuePage.tsx"
import { LicensePage } from "../../licensing/support/LicensePage.tsx"
import { LicensesPage } from "../../licensing/support/LicensesPage.tsx"
import type { PartPages } from "./PartPages.ts"

/** The pages under /console/licenses. */
export const pages = {
  "/console/licenses": LicensesPage,
  "/console/licenses/new": IssuePage,
  "/console/licenses/:id": LicensePage,
  "/console/licenses/jobs/:id": JobPage
} as const satisfies PartPages<"licenses">
