import { MePage } from "../../people/account/MePage.tsx"
import type { PartPages } from "./PartPages.ts"

/** The page under /console/me. */
export const pages = {
  "/console/me": MePage
} as const satisfies PartPages<"me">
