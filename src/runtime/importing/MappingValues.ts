import { instantOf, instants, limits, mostOfLimit } from "./CellValues.ts"
import { UnreadableFile } from "./FileText.ts"
import type { ColumnRule, Mapping, Meaning } from "./Mapping.ts"

/** The states of a license, from one that works to one that never works again. */
export const severity = ["active", "expired", "suspended", "revoked"] as const
export type State = typeof severity[number]

/** Whether a text is a status. */
export const isState = (said: unknown): said is State => (severity as ReadonlyArray<unknown>).includes(said)

const isLimit = (value: unknown): boolean =>
  value === "unlimited" || (/^\d{1,10}$/.test(String(value)) && Number(value) <= mostOfLimit)

/** The reason why a field does not take a value; undefined where only the service can tell. */
const problemOf = (member: string, value: string | number | boolean, mapping: Mapping, as?: ColumnRule["as"]) => {
  if (member === "status") return isState(value) ? undefined : `is no status: there are ${severity.join(", ")}`
  if (limits.has(member)) {
    return isLimit(value) ? undefined : `is no limit: "unlimited", a whole number up to ${mostOfLimit}, or null`
  }
  const side = instants.get(member)
  if (side === undefined || value === "") return undefined
  const read = instantOf(String(value), { as, side, timeZone: mapping.timeZone })
  return "fault" in read ? read.fault : undefined
}

const meant = (mapping: Mapping, member: string, meaning: Meaning, as?: ColumnRule["as"]): string | undefined => {
  if (meaning === null) return undefined
  if (typeof meaning !== "object") return problemOf(member, meaning, mapping, as)
  if (member !== "status") return "is said of a column that is no status, and only a status can overrule another"
  return mapping.columns.get(meaning.overrules)?.to === "status"
    ? undefined
    : "overrules a column that the mapping reads no status from"
}

/**
 * Checks the values of a mapping before any row is read, because the mapping is wrong, and not the row. Throws {@link
 * UnreadableFile}.
 */
export const judgeValues = (mapping: Mapping): Mapping => {
  const said = (where: string, value: unknown, problem: string | undefined) => {
    if (problem !== undefined) {
      throw new UnreadableFile(`${where} is mapped to ${JSON.stringify(value)}, which ${problem}`)
    }
  }
  for (const [member, value] of Object.entries(mapping.constants)) {
    said(`The constant ${member}`, value, problemOf(member, value, mapping))
  }
  for (const [column, { as, to, values = {} }] of mapping.columns) {
    for (const [theirs, meaning] of Object.entries(values)) {
      said(`${JSON.stringify(theirs)} of ${JSON.stringify(column)}`, meaning, meant(mapping, to, meaning, as))
    }
  }
  return mapping
}
