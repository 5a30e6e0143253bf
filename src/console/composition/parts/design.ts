import { DesignPage } from "../gallery/DesignPage.tsx"
import type { PartPages } from "./PartPages.ts"

/** The pages under /console/design. */
export const pages = {
  "/console/design": DesignPage
} as const satisfies PartPages<"design">
