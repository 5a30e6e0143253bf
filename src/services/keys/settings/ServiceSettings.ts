import { Context, Effect, Layer, Result } from "effect"
import { Base64 } from "effect/encoding"
import type { PreconditionFailed, ValidationError } from "../../../domain/ground/wire/Errors.ts"
import { invalidField } from "../../../domain/ground/wire/FieldFindings.ts"
import {
  logoHead,
  logoProblem,
  logoVersion,
  pathOfLogo,
  usualReasons
} from "../../../domain/keys/settings/ServiceSettings.ts"
import type {
  Brand,
  LogoHead,
  ReasonedAction,
  ServiceSettings as Shown,
  ServiceSettingsInEvent,
  ServiceSettingsUpdate
} from "../../../domain/keys/settings/ServiceSettings.ts"
import { makeSharedLook } from "../../ground/admission/QuestionGroups.ts"
import { Database, inTransaction } from "../../ground/persistence/Database.ts"
import { makeEntityTags } from "../../ground/persistence/Precondition.ts"
import { toWire } from "../../ground/persistence/RowToWire.ts"
import { Events } from "../../log/Events.ts"
import { CurrentReason } from "../../log/Provenance.ts"
import {
  findLogo,
  findRequired,
  findSettings,
  insertSettings,
  lockSettings,
  updateSettings
} from "./ServiceSettingsSql.ts"
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
const toldOf = (row: SettingsRow): ServiceSettingsInEvent => {
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
const shownOf = (row: SettingsRow | undefined): Shown => ({
  required_reasons: [],
  suggested_reasons: usualReasons,
  ...(row === undefined ? {} : toldOf(row))
})

/** The brand in the settings; undefined where there is none. */
const brandOf = (
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
const readLogo = (encoded: string): Result.Result<NonNullable<SettingsValues["logo"]>, ValidationError> => {
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
const isUntouched = (
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

/** The ID of the settings: the last segment of their path. */
const settingsId = "settings"

/** A logo as it is served. */
interface ServedLogo {
  readonly bytes: Uint8Array
  readonly type: LogoHead["type"]
  readonly version: string
}

/** Settings of an environment that people change while it runs. */
export class ServiceSettings extends Context.Service<ServiceSettings, {
  readonly get: Effect.Effect<Shown>
  readonly update: (changes: ServiceSettingsUpdate) => Effect.Effect<Shown, PreconditionFailed | ValidationError>
  /** Fails where an action requires a reason and none was given. Nothing is cached: a change holds at once on every node. */
  readonly checkReason: (action: ReasonedAction) => Effect.Effect<void, ValidationError>
  /** The brand, which everybody may see; undefined where there is none. */
  readonly brand: Effect.Effect<Brand | undefined>
  readonly logo: Effect.Effect<ServedLogo | undefined>
}>()("countersign/services/keys/settings/ServiceSettings") {
  static readonly layer = Layer.effect(
    ServiceSettings,
    Effect.gen(function*() {
      const sql = yield* Database
      const events = yield* Events
      const tags = yield* makeEntityTags<{ readonly id: string; readonly settings: Shown }>(({ settings }) => settings)
      const tagged = (settings: Shown) => ({ id: settingsId, settings })

      // Pages show both to everybody: however many strangers ask, one of each statement runs.
      const lookAtBrand = yield* makeSharedLook(Effect.map(findSettings(sql), ([row]) => brandOf(shownOf(row))))
      const lookAtLogo = yield* makeSharedLook(findLogo(sql))

      const get = Effect.gen(function*() {
        const [row] = yield* findSettings(sql)
        const settings = shownOf(row)
        yield* tags.note(tagged(settings))
        return settings
      })

      const write = Effect.fnUntraced(function*(changes: ServiceSettingsUpdate) {
        // Nothing was ever changed for as long as there is no row, and the tag says so.
        const [before] = yield* findSettings(sql)
        yield* insertSettings(sql)
        const [row] = yield* lockSettings(sql)
        yield* tags.judge(tagged(shownOf(before === undefined && isUntouched(row!) ? undefined : row)))
        const logo = typeof changes.brand_logo === "string"
          ? yield* Effect.fromResult(readLogo(changes.brand_logo))
          : changes.brand_logo
        const { brand_logo: _, ...values } = changes
        const [after] = yield* updateSettings(sql, { ...row!, ...values, logo })
        const settings = shownOf(after)
        yield* tags.note(tagged(settings))
        yield* events.append({ type: "settings.updated", resourceId: settingsId, data: toldOf(after!) })
        return settings
      })

      const checkReason = Effect.fnUntraced(function*(action: ReasonedAction) {
        if ((yield* CurrentReason) !== undefined) return
        if ((yield* findRequired(sql, action)).length === 0) return
        return yield* invalidField("reason", "reason_required", `is required for this action (${action})`)
      })

      return ServiceSettings.of({
        get,
        update: Effect.fn("ServiceSettings.update")((changes) => inTransaction(sql, write(changes))),
        checkReason,
        brand: lookAtBrand,
        logo: Effect.map(lookAtLogo, ([found]) =>
          found === undefined
            ? undefined
            : { bytes: found.logo, type: found.logo_type, version: logoVersion(found.digest) })
      })
    })
  )
}
