import { Schema } from "effect"
import { Replayed } from "./ReplayedKinds.ts"
import type { ReplayState } from "./ReplayTables.ts"
import { erased } from "./StoredEvent.ts"

/** A row as it is stored: its id, its members, and the names of those whose personal value is gone. */
const StoredRow = Schema.Tuple([
  Schema.String,
  Schema.Record(Schema.String, Schema.Unknown),
  Schema.Array(Schema.String)
])

const decodeState = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Array(Schema.Tuple([Replayed, Schema.Array(StoredRow)])))
)

/** A state as JSON text, without personal values if it was replayed without them. */
export const stateText = (state: ReplayState): string =>
  JSON.stringify(
    [...state].map(([resource, rows]) => [
      resource,
      [...rows].map(([id, row]): typeof StoredRow.Type => [
        id,
        // A member that is erased is a symbol, which JSON leaves out.
        row,
        Object.keys(row).filter((name) => row[name] === erased)
      ])
    ])
  )

/** The state of a text that {@link stateText} wrote. */
export const readState = (text: string): ReplayState =>
  new Map(
    decodeState(text).map(([resource, rows]) => [
      resource,
      new Map(rows.map(([id, members, gone]) => [
        id,
        { ...members, ...Object.fromEntries(gone.map((name) => [name, erased])) }
      ]))
    ])
  )
