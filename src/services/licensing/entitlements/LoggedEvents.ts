import { Effect, Schema } from "effect"
import { longestLine } from "../../../domain/customers/CustomerTree.ts"
import { parentIn } from "../../../domain/evidence/audit/LastEvents.ts"
import type { LastEvent } from "../../../domain/evidence/audit/LastEvents.ts"
import type { JsonObject } from "../../../domain/ground/wire/CanonicalJson.ts"
import { disclose } from "../../../domain/log/EventLeaf.ts"
import type { Commitments, Personal } from "../../../domain/log/EventLeaf.ts"
import { readGrantsThen } from "../../catalog/terms/FeatureTerms.ts"
import { listGrantsAt } from "../../catalog/terms/OpenGrantSql.ts"
import type { Database } from "../../ground/persistence/Database.ts"
import { findLastEvent } from "./LicenseHistorySql.ts"

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

/** A customer and those above it at an instant, nearest first. */
const lineAt = Effect.fnUntraced(function*(sql: Database, customerId: string | undefined, at: Date) {
  const line: Array<string> = []
  for (let id = customerId; id !== undefined && line.length < longestLine;) {
    line.push(id)
    const last = lastOf(yield* findLastEvent(sql, id, ["customer.created", "customer.updated"], at))
    id = last && parentIn(last).parent_id
  }
  return line
})

/** The grants that a license could take of at an instant: its own, and the pools of its customer and of those above, when it was of one. */
export const grantsAt = Effect.fnUntraced(
  function*(sql: Database, { customerId, ...asked }: {
    readonly customerId: string | undefined
    readonly licenseId: string
    readonly featureId: string
    readonly at: Date
  }) {
    const customerIds = yield* lineAt(sql, customerId, asked.at)
    return readGrantsThen(yield* listGrantsAt(sql, { ...asked, customerIds }))
  }
)
