import { WebhooksPage } from "../../delivery/WebhooksPage.tsx"
import type { PartPages } from "./PartPages.ts"

/** The pages under /console/webhooks. */
export const pages = {
  "/console/webhooks": WebhooksPage
} as const satisfies PartPages<"webhooks">
