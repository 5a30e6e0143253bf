import { Result } from "effect"
import { Base64 } from "effect/encoding"
import { logoHead, logoProblem, pathOfLogo } from "../../../domain/keys/settings/Logo.ts"
import { usualReasons } from "../../../domain/keys/settings/ReasonRules.ts"
import type { Brand, ServiceSettings as Shown, ServiceSettingsInEvent } from "../../../domain/keys/settings/ServiceSettings.ts"
import type { ValidationError } from "../../../domain/ground/wire/Errors.ts"
import { invalidField } from "../../../domain/ground/wire/FieldFindings.ts"
import { toWire } from "../../ground/persistence/RowToWire.ts"
import type { SettingsRow, SettingsValues } from "./ServiceSettingsSql.ts"

const logoOf = (row: SettingsRow): Required<Brand>["logo"] | undefined =>
  row.logo_type === null || row.logo_bytes === null || row.logo_width === null || row.logo_height === null ||
    row.logo_digest === null
    ? undefined
    : {
      content_type: row.logo_type,
      bytes: row.logo_bytes,
      width: row.logo_width,
      height: row.logo_height,
      path: pathOfLogo(row.logo_digest)
    }

/** The settings as an event has them: what is as at first is left out. */
export const toldOf = (row: SettingsRow): ServiceSettingsInEvent => {
  const logo = logoOf(row)
  return toWire({
    required_reasons: row.required_reasons.length === 0 ? null : row.required_reasons,
    suggested_reasons: row.suggested_reasons,
    brand_name: row.brand_name,
    brand_accent: row.brand_accent,
    support_contact: row.support_contact,
    renewal_url: row.renewal_url,
    mail_language: row.mail_language,
    ...(logo === undefined ? {} : { brand_logo: logo }),
    updated_at: row.updated_at
  })
}

/** The settings as they are shown; without a row, as they are at first. */
export const shownOf = (row: SettingsRow | undefined): Shown => ({
  required_reasons: [],
  suggested_reasons: usualReasons,
  ...(row === undefined ? {} : toldOf(row))
})

/** The brand in the settings; undefined where there is none. */
export const brandOf = (
  { brand_accent, brand_logo, brand_name, renewal_url, support_contact }: Shown
): Brand | undefined => {
  const brand: Brand = {
    ...(brand_name === undefined ? {} : { name: brand_name }),
    ...(brand_accent === undefined ? {} : { accent: brand_accent }),
    ...(brand_logo === undefined ? {} : { logo: brand_logo }),
    ...(support_contact === undefined ? {} : { support_contact }),
    ...(renewal_url === undefined ? {} : { renewal_url })
  }
  return Object.keys(brand).length === 0 ? undefined : brand
}

/** The bytes of a logo that is sent, where they are one. */
export const readLogo = (encoded: string): Result.Result<NonNullable<SettingsValues["logo"]>, ValidationError> => {
  const decoded = Base64.decode(encoded)
  if (Result.isFailure(decoded)) return Result.fail(invalidField("brand_logo", "invalid_value", "must be base64"))
  const bytes = decoded.success
  const problem = logoProblem(bytes)
  const head = logoHead(bytes)
  return problem !== undefined || head === undefined
    ? Result.fail(invalidField("brand_logo", "invalid_value", problem ?? "must be a PNG, a JPEG or a WebP"))
    : Result.succeed({ ...head, bytes })
}

/** Whether a row has nothing but what it began with. */
export const isUntouched = (
  {
    brand_accent,
    brand_name,
    logo_type,
    mail_language,
    renewal_url,
    required_reasons,
    suggested_reasons,
    support_contact
  }: SettingsRow
): boolean =>
  required_reasons.length === 0 &&
  [suggested_reasons, brand_name, brand_accent, support_contact, renewal_url, mail_language, logo_type]
    .every((value) => value === null)
