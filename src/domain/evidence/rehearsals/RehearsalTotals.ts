import { granted } from "../recording/DecidedUse.ts"
import { unknownReasons } from "./PolicyRehearsal.ts"
import type { PolicyRehearsal, UnknownReason } from "./PolicyRehearsal.ts"
import type { RehearsedOutcome } from "./RehearsedDecision.ts"

interface Sums {
  licenses: number
  devices: number
  calls: number
}

/** Adds up what licenses would be answered. */
export class RehearsalTotals {
  readonly #refused = new Map<string, Sums>()
  readonly #granted = new Map<string, Sums>()
  readonly #unknown = new Map<string, Sums>()
  readonly #affected: Array<PolicyRehearsal["affected"][number]> = []
  readonly #calls = { all: 0, same: 0, refused: 0, granted: 0, unknown: 0 }
  #licenses = 0

  /** Adds the outcomes of a license. */
  add(licenseId: string, outcomes: ReadonlyArray<RehearsedOutcome>): void {
    this.#licenses++
    const groups = new Map<
      string,
      { readonly sums: Map<string, Sums>; readonly name: string; calls: number; devices: Set<string> }
    >()
    const own = { refused: 0, granted: 0, unknown: 0 }
    for (const outcome of outcomes) {
      const { calls, device } = outcome
      const { code: name, kind } = outcomeOf(outcome)
      this.#calls.all += calls
      this.#calls[kind] += calls
      if (kind === "same") continue
      own[kind] += calls
      const sums = kind === "unknown" ? this.#unknown : kind === "refused" ? this.#refused : this.#granted
      const group = groups.get(`${kind} ${name}`) ?? { sums, name, calls: 0, devices: new Set<string>() }
      group.calls += calls
      groups.set(`${kind} ${name}`, { ...group, devices: group.devices.add(device) })
    }
    for (const { calls, devices, name, sums } of groups.values()) {
      const before = sums.get(name) ?? { licenses: 0, devices: 0, calls: 0 }
      sums.set(name, {
        licenses: before.licenses + 1,
        devices: before.devices + devices.size,
        calls: before.calls + calls
      })
    }
    if (own.refused + own.granted === 0) return
    const differing = [...groups.values()].filter(({ sums }) => sums !== this.#unknown)
    this.#affected.push({
      license_id: licenseId,
      devices: new Set(differing.flatMap(({ devices }) => [...devices])).size,
      ...own,
      codes: [...new Set(differing.map(({ name }) => name))].toSorted()
    })
  }

  /** Counts a license of which calls are not known, nor how many. */
  addUnknown(reason: UnknownReason): void {
    const before = this.#unknown.get(reason) ?? { licenses: 0, devices: 0, calls: 0 }
    this.#unknown.set(reason, { ...before, licenses: before.licenses + 1 })
  }

  /** Counts a license that could not be read. */
  skip(reason: UnknownReason): void {
    this.#licenses++
    this.addUnknown(reason)
  }

  /** The sums of all licenses that were added. */
  result(): Pick<PolicyRehearsal, "affected" | "calls" | "granted" | "licenses" | "refused" | "unknown"> {
    const rowOf = ([code, { calls, devices, licenses }]: readonly [string, Sums]) => ({
      code,
      licenses,
      devices,
      calls
    })
    const byCode = (sums: ReadonlyMap<string, Sums>) =>
      [...sums].map(rowOf).toSorted((a, b) => b.calls - a.calls || (a.code < b.code ? -1 : 1))
    return {
      licenses: this.#licenses,
      calls: this.#calls,
      refused: byCode(this.#refused),
      granted: byCode(this.#granted),
      unknown: unknownReasons.flatMap((reason) => {
        const found = this.#unknown.get(reason)
        if (found === undefined) return []
        return [found.calls === 0 ? { reason, licenses: found.licenses } : { reason, ...found }]
      }),
      affected: this.#affected
    }
  }
}

/**
 * What an outcome comes to, and why: the code of the refusal that would be new, or of the one that there was, or the reason why it is not
 * known.
 */
const outcomeOf = (
  { after, before, unknown }: RehearsedOutcome
): { readonly kind: "same" | "refused" | "granted" | "unknown"; readonly code: string } =>
  after === undefined
    ? { kind: "unknown", code: unknown ?? "not_reproduced" }
    : (after === granted) === (before === granted)
    ? { kind: "same", code: before }
    : after === granted
    ? { kind: "granted", code: before }
    : { kind: "refused", code: after }

/** Calls of a license and a device that would be decided differently, or of which that is not known, as a row of a report. */
export interface RehearsalRow {
  readonly [column: string]: string | number
  readonly license_id: string
  /** As in {@link RehearsedOutcome}. */
  readonly device: string
  readonly outcome: "refused" | "granted" | "unknown"
  /** The code of the refusal that would be new or was, or the reason why the outcome is not known. */
  readonly code: string
  readonly calls: number
}

/** The rows of a license, by device, outcome and code. Calls that would be decided alike have none. */
export const rehearsalRows = (
  licenseId: string,
  outcomes: ReadonlyArray<RehearsedOutcome>
): ReadonlyArray<RehearsalRow> => {
  const rows = new Map<string, RehearsalRow>()
  for (const each of outcomes) {
    const { code, kind } = outcomeOf(each)
    if (kind === "same") continue
    const key = `${each.device} ${kind} ${code}`
    const calls = (rows.get(key)?.calls ?? 0) + each.calls
    rows.set(key, { license_id: licenseId, device: each.device, outcome: kind, code, calls })
  }
  return [...rows].toSorted(([a], [b]) => a < b ? -1 : 1).map(([, row]) => row)
}
