import { Schema } from "effect"
import { openGrantOf, sharedPoolOf } from "../../../domain/catalog/terms/GrantBalance.ts"
import type { OpenGrant, SharedPool } from "../../../domain/catalog/terms/GrantBalance.ts"
import { rowReader } from "../../ground/persistence/RowToWire.ts"

/** A grant that is neither spent nor revoked, as statements show it. */
export const OpenGrantRow = Schema.Struct({
  id: Schema.String,
  starts_at: Schema.String,
  expires_at: Schema.optionalKey(Schema.NullOr(Schema.String)),
  priority: Schema.Int,
  left: Schema.Finite
})

const read = rowReader(OpenGrantRow)

/** Reads a row of open grants. */
export const readOpenGrant = (row: object): OpenGrant => openGrantOf(read(row))

const SharedPoolRow = Schema.Struct({
  ...OpenGrantRow.fields,
  feature: Schema.String,
  cap: Schema.optionalKey(Schema.NullOr(Schema.Finite)),
  mine: Schema.Finite
})

const poolOf = (row: typeof SharedPoolRow.Type): SharedPool => sharedPoolOf({ ...row, cap: row.cap ?? null })

const readPool = rowReader(SharedPoolRow)

/** Reads a row of a pool. */
export const readSharedPool = (row: object): SharedPool => poolOf(readPool(row))

const readPools = rowReader(Schema.Struct({ pools: Schema.optionalKey(Schema.Array(SharedPoolRow)) }))

/** Reads the column of a license that has its pools. */
export const readSharedPools = ([row]: ReadonlyArray<object>): ReadonlyArray<SharedPool> =>
  row === undefined ? [] : (readPools(row).pools ?? []).map(poolOf)
