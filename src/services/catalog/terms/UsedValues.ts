import { Effect } from "effect"
import { valueKey } from "../../../domain/licensing/metering/MeasuredUse.ts"
import type { Database } from "../../ground/persistence/Database.ts"
import { listValues } from "./UsedValueSql.ts"
import type { UsedValue } from "./UsedValueSql.ts"

/** Reads in which periods features have had these values; by {@link valueKey}. */
export const readValues = (sql: Database, values: ReadonlyArray<UsedValue>): Effect.Effect<Set<string>> =>
  values.length === 0
    ? Effect.succeed(new Set<string>())
    : Effect.map(
      listValues(sql, values),
      (rows) => new Set(rows.map((row) => valueKey(row, row.start === null ? undefined : Number(row.start))))
    )
