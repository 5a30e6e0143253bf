import type { EnvironmentName } from "../../domain/ground/environments/EnvironmentName.ts"
import { pathOfLogo } from "../../domain/keys/settings/ServiceSettings.ts"
import type { MailValues } from "../../domain/mail/templates/MailDeclaration.ts"
import { isMailLink } from "../../domain/mail/templates/MailMarkup.ts"
import type { MailBrand } from "../../domain/mail/templates/MailMarkup.ts"
import type { Settings } from "../ground/platform/Settings.ts"

/** The brand as the settings have it. */
export interface BrandRow {
  readonly brand: string | null
  readonly accent: string | null
  readonly logo_digest: Uint8Array | null
}

/** The look of mails: the brand of the settings, or else the vendor whom the process names. */
export const mailBrand = (
  { mail, publicUrl, vendorName }: Settings["Service"],
  row: BrandRow | undefined
): MailBrand => ({
  name: row?.brand ?? vendorName ?? (mail?.from.name || mail?.from.address) ?? "",
  accent: row?.accent ?? undefined,
  logoUrl: row === undefined || row.logo_digest === null ? undefined : publicUrl + pathOfLogo(row.logo_digest)
})

/** The ways of customers as the settings have them. */
export interface WaysRow {
  readonly support_contact: string | null
  readonly renewal_url: string | null
}

/** Whether customers can sign in to the portal of an environment: it is of the live one. */
export const isPortalOn = ({ portal }: Settings["Service"], environment: EnvironmentName): boolean =>
  portal === true && environment === "live"

/** Where a mail says that its recipient can go: to the portal, to renew, to ask. */
export const mailWays = (
  settings: Settings["Service"],
  environment: EnvironmentName,
  { renewal_url, support_contact }: WaysRow
): MailValues => ({
  contact: support_contact ?? undefined,
  renewal_url: renewal_url ?? undefined,
  // An address of a test installation, without https, is no link of a mail.
  portal_url: isPortalOn(settings, environment) && isMailLink(settings.publicUrl)
    ? `${settings.publicUrl}/portal`
    : undefined
})
