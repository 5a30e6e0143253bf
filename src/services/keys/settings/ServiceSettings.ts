import { Context, Effect, Layer } from "effect"
import { logoVersion } from "../../../domain/keys/settings/Logo.ts"
import type { LogoHead } from "../../../domain/keys/settings/Logo.ts"
import type { ReasonedAction } from "../../../domain/keys/settings/ReasonRules.ts"
import type { Brand, ServiceSettings as Shown, ServiceSettingsUpdate } from "../../../domain/keys/settings/ServiceSettings.ts"
import type { PreconditionFailed, ValidationError } from "../../../domain/ground/wire/Errors.ts"
import { invalidField } from "../../../domain/ground/wire/FieldFindings.ts"
import { makeSharedLook } from "../../ground/admission/SharedLook.ts"
import { Events } from "../../log/Events.ts"
import { CurrentReason } from "../../log/Provenance.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { makeEntityTags } from "../../ground/persistence/Precondition.ts"
import { inTransaction } from "../../ground/persistence/Transaction.ts"
import {
  findLogo,
  findRequired,
  findSettings,
  insertSettings,
  lockSettings,
  updateSettings
} from "./ServiceSettingsSql.ts"
import { brandOf, isUntouched, readLogo, shownOf, toldOf } from "./ShownSettings.ts"

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
