import { OperationsPage } from "../../evidence/operator/OperationsPage.tsx"
import type { PartPages } from "./PartPages.ts"

/** The pages under /console/operations. */
export const pages = {
  "/console/operations": OperationsPage
} as const satisfies PartPages<"operations">
