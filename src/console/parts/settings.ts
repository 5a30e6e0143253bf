import { BrandPage } from "../settings/BrandPage.tsx"
import { ReasonsPage } from "../settings/ReasonsPage.tsx"
import { SignInSettingsPage } from "../settings/SignInSettingsPage.tsx"
import type { PartPages } from "./PartPages.ts"

/** The pages under /console/settings. */
export const pages = {
  "/console/settings": ReasonsPage,
  "/console/settings/reasons": ReasonsPage,
  "/console/settings/sign-in": SignInSettingsPage,
  "/console/settings/brand": BrandPage
} as const satisfies PartPages<"settings">
