import { StartPage } from "../start/StartPage.tsx"
import type { PartPages } from "./PartPages.ts"

/** The page under /console/start. */
export const pages = {
  "/console/start": StartPage
} as const satisfies PartPages<"start">
