import { KeysPage } from "../../keys/KeysPage.tsx"
import type { PartPages } from "./PartPages.ts"

/** The pages under /console/keys. */
export const pages = {
  "/console/keys": KeysPage
} as const satisfies PartPages<"keys">
