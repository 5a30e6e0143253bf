import { erased } from "./EventReplay.ts"
import type { ReplayedRow } from "./EventReplay.ts"
import type { Replayed } from "./ReplayedKinds.ts"

/** The rows that the events of one resource, and of all that belongs to it, replay to. */
export type ReplayState = ReadonlyMap<Replayed, ReadonlyMap<string, ReplayedRow>>

/** A row as it is stored: its id, its members, and the names of those whose personal value is gone. */
type StoredRow = readonly [id: string, members: ReplayedRow, erased: ReadonlyArray<string>]

/** A state as JSON text, without personal values if it was replayed without them. */
export const stateText = (state: ReplayState): string =>
  JSON.stringify(
    [...state].map(([resource, rows]) => [
      resource,
      [...rows].map(([id, row]): StoredRow => [
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
    (JSON.parse(text) as ReadonlyArray<readonly [Replayed, ReadonlyArray<StoredRow>]>).map(([resource, rows]) => [
      resource,
      new Map(rows.map(([id, members, gone]) => [
        id,
        { ...members, ...Object.fromEntries(gone.map((name) => [name, erased])) }
      ]))
    ])
  )
