import { Schema } from "effect"
import { openGrantOf } from "../../domain/terms/GrantBalance.ts"
import type { OpenGrant } from "../../domain/terms/GrantBalance.ts"
import { rowReader } from "../persistence/RowToWire.ts"

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
