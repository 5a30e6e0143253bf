import { ActivityPage } from "../../log/ActivityPage.tsx"
import { EntryPage } from "../../log/EntryPage.tsx"
import type { PartPages } from "./PartPages.ts"

/** The pages under /console/activity. */
export const pages = {
  "/console/activity": ActivityPage,
  "/console/activity/:id": EntryPage
} as const satisfies PartPages<"activity">
