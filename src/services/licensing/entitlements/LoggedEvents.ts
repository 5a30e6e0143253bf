import { Schema } from "effect"
import type { LastEvent } from "../../../domain/evidence/audit/LastEvents.ts"
import type { JsonObject } from "../../../domain/ground/wire/CanonicalJson.ts"
import type { Commitments, Personal } from "../../../domain/log/EventLeaf.ts"
import { disclose } from "../../../domain/log/EventLeaf.ts"

/** A row of the log. */
const LoggedRow = Schema.Struct({
  event_type: Schema.String,
  /** 64 bits wide: events that wait for their place have one above every sequence, too large for a number. */
  place: Schema.BigInt,
  data: Schema.fromJsonString(Schema.Record(Schema.String, Schema.Json)),
  personal: Schema.NullOr(Schema.Record(Schema.String, Schema.Struct({ salt: Schema.String, value: Schema.Json })))
})

const readLogged = Schema.decodeUnknownSync(LoggedRow, { onExcessProperty: "error" })

interface Disclosable {
  readonly data: JsonObject
  readonly commitments?: Commitments
}

/** Reads an event of the log, with the personal values that are not erased. */
export const logged = (row: object): LastEvent => {
  const { data, event_type, personal, place } = readLogged(row)
  return { event_type, place, data: disclose<Disclosable>({ data }, inData(personal)).data }
}

const inData = (personal: Personal | null): Personal =>
  Object.fromEntries(Object.entries(personal ?? {}).filter(([pointer]) => pointer.startsWith("/data/")))

/** The last event of a statement that finds one or none. */
export const lastOf = ([row]: ReadonlyArray<object>): LastEvent | undefined => row && logged(row)
