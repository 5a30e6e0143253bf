import { pathOfLogo } from "../../domain/settings/Logo.ts"
import type { MailBrand } from "../../domain/templates/MailMarkup.ts"
import type { Settings } from "../platform/Settings.ts"

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
