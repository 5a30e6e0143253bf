import { Effect, Schema, Struct } from "effect"
import { effectiveRules } from "../../../domain/catalog/terms/EffectiveTerms.ts"
import { LicenseOverrides, ruleFields } from "../../../domain/catalog/terms/Rules.ts"
import { selfServiceOf } from "../../../domain/catalog/terms/SelfService.ts"
import type { SelfService } from "../../../domain/catalog/terms/SelfService.ts"
import type { Database } from "../../ground/persistence/Database.ts"
import { rowReader } from "../../ground/persistence/RowToWire.ts"
import { listSelfService } from "./SelfServiceSql.ts"

const readRow = rowReader(Schema.Struct({
  license_id: Schema.String,
  now: Schema.DateFromString,
  overrides: Schema.optionalKey(LicenseOverrides),
  rules: Schema.Struct(Struct.pick(ruleFields, [
    "self_service",
    "max_self_service_resets",
    "self_service_period",
    "self_service_transfer"
  ])),
  self_service_start: Schema.optionalKey(Schema.DateFromString),
  self_service_resets: Schema.optionalKey(Schema.Int)
}))

/**
 * Reads what self-service licenses have, by their ids: now on the database's clock, or at an instant with what is
 * counted now. It is read where a call is about it alone, so that all others pay nothing for it.
 */
export const readSelfService = (
  sql: Database,
  licenseIds: ReadonlyArray<string>,
  at?: Date
): Effect.Effect<ReadonlyMap<string, SelfService>> =>
  Effect.map(
    listSelfService(sql, licenseIds, at),
    (rows) =>
      new Map(
        rows.map(readRow).map((row) => [
          row.license_id,
          selfServiceOf(
            effectiveRules({
              policy: row.rules,
              overrides: row.overrides,
              withoutGrace: undefined
            }),
            { start: row.self_service_start?.getTime(), resets: row.self_service_resets ?? 0 },
            row.now.getTime()
          )
        ])
      )
  )
