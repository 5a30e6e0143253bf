import { BrandPage } from "../../keys/settings/BrandPage.tsx"
import { MailPage } from "../../keys/settings/MailPage.tsx"
import { MailTemplatePage } from "../../keys/settings/MailTemplatePage.tsx"
import { ReasonsPage, SignInSettingsPage } from "../../keys/settings/ReasonsPage.tsx"
import type { PartPages } from "./PartPages.ts"

/** The pages under /console/settings. */
export const pages = {
  "/console/settings": ReasonsPage,
  "/console/settings/reasons": ReasonsPage,
  "/console/settings/sign-in": SignInSettingsPage,
  "/console/settings/brand": BrandPage,
  "/console/settings/mail": MailPage,
  "/console/settings/mail/:kind": MailTemplatePage
} as const satisfies PartPages<"settings">
