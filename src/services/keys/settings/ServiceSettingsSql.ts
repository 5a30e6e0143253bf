import type { Statement } from "effect/sql"
import type { MailLanguage } from "../../../domain/ground/wire/MailLanguage.ts"
import type { LogoHead, ReasonedAction } from "../../../domain/keys/settings/ServiceSettings.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"

/** The settings as they are stored: NULL where they are as at first. */
export interface SettingsRow {
  readonly required_reasons: ReadonlyArray<ReasonedAction>
  readonly suggested_reasons: ReadonlyArray<string> | null
  readonly brand_name: string | null
  readonly brand_accent: string | null
  readonly support_contact: string | null
  readonly renewal_url: string | null
  readonly mail_language: MailLanguage | null
  readonly logo_type: LogoHead["type"] | null
  readonly logo_bytes: number | null
  readonly logo_width: number | null
  readonly logo_height: number | null
  readonly logo_digest: Uint8Array | null
  readonly updated_at: Date
}

const shown = (sql: Database): Statement.Fragment =>
  sql`required_reasons, suggested_reasons, brand_name, brand_accent, support_contact, renewal_url, mail_language, logo_type,
    octet_length(logo) AS logo_bytes, logo_width, logo_height, logo_digest, updated_at`

/** The settings; none where nothing was ever changed. */
export const findSettings = (sql: Database): Query<SettingsRow> =>
  sql<SettingsRow>`
    -- name: service_settings.find
    SELECT ${shown(sql)} FROM service_settings`

/** Has the one row be there, so that it can be locked. */
export const insertSettings = (sql: Database): Query<object> =>
  sql`
    -- name: service_settings.insert
    INSERT INTO service_settings DEFAULT VALUES
    -- guard: the settings are one row
    ON CONFLICT DO NOTHING RETURNING singleton`

/** Locks the settings against other changes. */
export const lockSettings = (sql: Database): Query<SettingsRow> =>
  sql<SettingsRow>`
    -- name: service_settings.lock
    SELECT ${shown(sql)} FROM service_settings FOR UPDATE`

/** The settings as they are written; a logo that is undefined stays as it is. */
export interface SettingsValues extends
  Pick<
    SettingsRow,
    | "required_reasons"
    | "suggested_reasons"
    | "brand_name"
    | "brand_accent"
    | "support_contact"
    | "renewal_url"
    | "mail_language"
  >
{
  readonly logo: LogoHead & { readonly bytes: Uint8Array } | null | undefined
}

const logoColumns = (sql: Database, logo: Exclude<SettingsValues["logo"], undefined>): Statement.Fragment =>
  sql`, logo = ${logo?.bytes ?? null}, logo_type = ${logo?.type ?? null}, logo_width = ${logo?.width ?? null},
      logo_height = ${logo?.height ?? null}`

/** Writes the locked settings. */
export const updateSettings = (
  sql: Database,
  { brand_accent, brand_name, logo, mail_language, renewal_url, required_reasons, suggested_reasons, support_contact }:
    SettingsValues
): Query<SettingsRow> =>
  sql<SettingsRow>`
    -- name: service_settings.update
    UPDATE service_settings SET required_reasons = ${required_reasons}::text[],
      suggested_reasons = ${suggested_reasons}::text[], brand_name = ${brand_name}, brand_accent = ${brand_accent},
      support_contact = ${support_contact}, renewal_url = ${renewal_url}, mail_language = ${mail_language}, updated_at = now()${
    logo === undefined ? sql.literal("") : logoColumns(sql, logo)
  }
    RETURNING ${shown(sql)}`

/** The logo with its bytes. */
export const findLogo = (
  sql: Database
): Query<{ readonly logo: Uint8Array; readonly logo_type: LogoHead["type"]; readonly digest: Uint8Array }> =>
  sql<{ readonly logo: Uint8Array; readonly logo_type: LogoHead["type"]; readonly digest: Uint8Array }>`
    -- name: service_settings.find logo
    SELECT logo, logo_type, logo_digest AS digest FROM service_settings WHERE logo IS NOT NULL`

/** Whether an action requires a reason: a row where it does. */
export const findRequired = (sql: Database, action: ReasonedAction): Query<object> =>
  sql`
    -- name: service_settings.find required reason
    SELECT singleton FROM service_settings WHERE ${action}::text = ANY(required_reasons)`
