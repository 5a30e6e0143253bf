import type { UsageLedgerEntry } from "../../../client/api/index.ts"

/** The time and the columns of the entries that are shown. */
interface LedgerView {
  /** The time of the entries, so that no more is named than is shown; empty where there are none. */
  readonly window: { readonly from?: string; readonly to?: string }
  /** Whether any of them has the column. */
  readonly hasOverage: boolean
  readonly hasEvent: boolean
  readonly hasDimensions: boolean
  readonly hasMeasured: boolean
}

/** The dimensions of an entry, as the files of reports have them. */
export const dimensionsText = (dimensions: UsageLedgerEntry["dimensions"] = {}): string =>
  Object.entries(dimensions).toSorted(([one], [other]) => one < other ? -1 : 1)
    .map(([name, value]) => `${name}=${value}`).join(", ")

/** The time and the columns of the entries of a ledger, which are newest first. */
export const ledgerView = (rows: ReadonlyArray<UsageLedgerEntry>): LedgerView => {
  const [newest, oldest] = [rows[0], rows.at(-1)]
  return {
    window: newest === undefined || oldest === undefined
      ? {}
      : { from: oldest.occurred_at, to: new Date(Date.parse(newest.occurred_at) + 1).toISOString() },
    hasOverage: rows.some(({ overage }) => overage !== undefined),
    hasEvent: rows.some(({ event_id }) => event_id !== undefined),
    hasDimensions: rows.some(({ dimensions }) => dimensions !== undefined),
    hasMeasured: rows.some(({ measured }) => measured !== undefined)
  }
}
