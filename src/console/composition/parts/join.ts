import { JoinPage } from "../../people/account/JoinPage.tsx"
import type { PartPages } from "./PartPages.ts"

/** The page under /console/join. */
export const pages = {
  "/console/join": JoinPage
} as const satisfies PartPages<"join">
