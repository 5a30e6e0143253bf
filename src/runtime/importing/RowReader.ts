import type { JsonLoss } from "../../domain/ground/parsing/JsonText.ts"
import { kindOf } from "../../domain/ground/wire/Expected.ts"
import { instantOf, instants, isState, limitOf, limits, mangledKey, saidLimit, severity } from "./CellValues.ts"
import type { Reading, State } from "./CellValues.ts"
import { UnreadableFile } from "./FileText.ts"
import type { ColumnRule, Mapping, Meaning } from "./Mapping.ts"
import { isMember, memberNames } from "./Mapping.ts"

/**
 * Words in a column's name that decide whether a license works. A file whose column is ignored brings back licenses
 * that were refunded, disabled or expired. A word too many costs an entry in a mapping; one too few has that effect.
 */
const words: ReadonlySet<string> = new Set(
  [
    "status state standing active inactive enabled disabled valid validity invalid refund refunds refunded dispute disputes",
    "disputed chargeback chargebacks chargebacked chargedback revoked revocation suspended suspension blocked banned",
    "blacklisted canceled cancelled cancel cancellation void voided deleted trashed archived paused terminated termination",
    "deactivated locked frozen fraud fraudulent unpaid overdue expired expires expire expiry expiration lapsed ended ends",
    "end until"
  ].flatMap((line) => line.split(" "))
)

/** The columns of them that may be a date. */
const ofEnds: ReadonlySet<string> = new Set(
  "expired expires expire expiry expiration ended ends end until cancellation".split(" ")
)

const wordsOf = (name: string): ReadonlyArray<string> =>
  name.replaceAll(/([a-z\d])([A-Z])/g, "$1 $2").toLowerCase().split(/[^a-z]+/)

/** Whether a column, or a member by its path, has a name that decides whether a license works. */
const decidesAccess = (name: string): boolean => wordsOf(name).some((word) => words.has(word))

/** Whether a column has a name that suggests an expiration. */
const saysWhen = (name: string): boolean => wordsOf(name).some((word) => ofEnds.has(word))

const slugOf = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "_").replaceAll(/^_+|_+$/g, "")

/** The treatment of a name of the file. */
type NameRule = ColumnRule | "ignored" | "unknown" | "decides"

/**
 * The treatment of a name by the mapping. A column that decides whether a license works is never ignored by a rule
 * about other columns.
 */
export const ruleOf = (mapping: Mapping, name: string): NameRule => {
  const rule = mapping.columns.get(name)
  if (rule !== undefined) {
    const isLost = rule.to.startsWith("metadata") && rule.decides !== false && decidesAccess(name)
    return isLost ? "decides" : rule
  }
  if (mapping.ignore.has(name)) return "ignored"
  if (mapping.others === "keys") {
    const to = { license_key: "license_key", license_id: "metadata.license_id" }[slugOf(name)]
    return to === undefined ? "ignored" : { to }
  }
  if (isMember(name) || name === "metadata") return { to: name }
  if (decidesAccess(name)) return "decides"
  const above = name.split(".").map((_, index, parts) => parts.slice(0, index).join("."))
  if (mapping.others === "ignore" || above.some((path) => mapping.ignore.has(path))) return "ignored"
  return mapping.others === "metadata" ? { to: `metadata.${slugOf(name)}` } : "unknown"
}

/** The error about names that decide whether a license works and that the mapping does not mention. */
export const undecided = (names: ReadonlyArray<string>, where = ""): UnreadableFile => {
  const all = names.map((name) => JSON.stringify(name)).join(", ")
  const status = names.find((name) => !saysWhen(name))
  const end = names.find(saysWhen)
  const cures = [
    ...(status === undefined ? [] : [
      `in a mapping {"columns": {${JSON.stringify(status)}: {"to": "status", "values": {"<theirs>": "active", ` +
      `"<theirs>": "suspended"}}}}`
    ]),
    ...(end === undefined ? [] : [`--map ${JSON.stringify(`${end}=expires_at`)} where it is an end`]),
    `--ignore ${JSON.stringify(names[0])} where it says nothing about that, as where a buyer lives`
  ]
  return new UnreadableFile(
    `${where}${all} may say that a license is refunded, disabled or expired. If it is skipped, the license works again. ` +
      `Map it: ${cures.join(", or ")}`
  )
}

/** The error about names that no license has. */
export const unknownNames = (names: ReadonlyArray<string>): UnreadableFile =>
  new UnreadableFile(
    `The column ${names.map((name) => JSON.stringify(name)).join(", ")} is not a field of a license. Map it with ` +
      `--map "${names[0]}=metadata.${slugOf(names[0]!)}", skip it with --ignore "${names[0]}", or map it to another ` +
      `of: ${memberNames}`
  )

/** Columns that decide whether licenses work: a file must have those that the mapping reads. */
export const neededColumns = (mapping: Mapping): ReadonlyArray<string> =>
  [...mapping.columns].filter(([, { to }]) => to === "status").map(([name]) => name)

/** A file of licenses. */
export interface ImportSource {
  readonly file: string
  readonly mapping: Mapping
  /** The encoding; undefined for UTF-8, or what its byte order mark says. */
  readonly encoding?: string | undefined
}

/** The fault of one cell, as the file calls it. */
interface CellFault {
  readonly column: string
  /** Absent if the cell is empty. */
  readonly value?: string
  readonly message: string
}

/** The note of a mapping on a row, for a person. */
interface RowNote {
  readonly column: string
  readonly says: string
}

/** A row of the file by the names of this service's members, and where it stands. */
export interface ImportRow {
  /** From 1 on; of a CSV row the line on which it ends. */
  readonly line: number
  /** The reason why the line is no row. Completes a sentence that begins with the line, and repeats nothing of it. */
  readonly unread?: string
  /** The column and value that mark it as no license, such as a line of totals. */
  readonly skippedBy?: { readonly column: string; readonly value: string }
  /** The notes of the mapping on values of this row. */
  readonly notes?: ReadonlyArray<RowNote>
  readonly value: Readonly<Record<string, unknown>>
  /** The file's name of a field. */
  readonly nameOf: (member: string) => string
  readonly faults?: ReadonlyArray<CellFault>
  /** The part of the row that would be lost, by the file's names. */
  readonly loss?: JsonLoss | undefined
  /** The license does not expire in the other system. */
  readonly isEndless?: boolean
  /** The column of the expiration is empty. */
  readonly isEndEmpty?: boolean
  /** The license has ended in the other system. */
  readonly isOver?: boolean
}

/** A value of a row, by the name or the path that the file has for it. */
export interface Cell {
  readonly name: string
  readonly raw: unknown
}

/** An object without a prototype: `__proto__` is a name like others. */
const emptyRow = (): Record<string, unknown> => Object.create(null) as Record<string, unknown>

/** The parts of `metadata.x` and the like; the second one may have further dots. */
const partsOf = (member: string): readonly [top: string, name?: string] => {
  if (member === "max_activations") return ["overrides", member]
  const dot = member.indexOf(".")
  return dot === -1 ? [member] : [member.slice(0, dot), member.slice(dot + 1)]
}

/** The place of a member in a row, which tells whether two names are one. */
export const placeOf = (member: string): string => partsOf(member).join(".")

/** Sets `metadata.x` as the member `x` of `metadata`, and so on. Answers whether its place was free. */
const place = (row: Record<string, unknown>, member: string, value: unknown): boolean => {
  const [top, name] = partsOf(member)
  const there = row[top]
  if (name === undefined) {
    if (there !== undefined && kindOf(there) === "an object" && kindOf(value) === "an object") {
      if (Object.keys(value as object).some((key) => Object.hasOwn(there as object, key))) return false
      row[top] = { ...(there as object), ...(value as object) }
      return true
    }
    if (there !== undefined) return false
    row[top] = value
    return true
  }
  if (there !== undefined && (kindOf(there) !== "an object" || Object.hasOwn(there as object, name))) return false
  row[top] = { ...(there as object | undefined), [name]: value }
  return true
}

const textOf = (raw: unknown): string =>
  raw === null || raw === undefined ? "" : typeof raw === "object" ? JSON.stringify(raw) : String(raw).trim()

const meaningOf = ({ values }: ColumnRule, text: string): Meaning | undefined => {
  if (values === undefined) return undefined
  if (Object.hasOwn(values, text)) return values[text]
  const found = Object.keys(values).find((key) => key.toLowerCase() === text.toLowerCase())
  return found === undefined ? undefined : values[found]
}

/** A list of `{"key": ..., "value": ...}` as an object. */
const keyValues = (raw: unknown): unknown =>
  Array.isArray(raw) && raw.every((entry) => kindOf(entry) === "an object" && typeof entry.key === "string")
    ? Object.fromEntries(raw.map(({ key, value }: { key: string; value?: unknown }) => [key, value ?? ""]))
    : raw

const typed = (member: string, text: string): unknown => {
  const isRule = placeOf(member).startsWith("overrides.")
  if (/^-?\d{1,15}$/.test(text) && isRule) return Number(text)
  const isTruth = member === "follows_subscription" || isRule
  return isTruth && /^(true|false)$/i.test(text) ? text.toLowerCase() === "true" : text
}

/** A constant, or what a mapping says for a value, as the member takes it. */
const said = (member: string, value: string | number | boolean): unknown => {
  const meant = limits.has(member) ? saidLimit(value) : value
  return typeof meant === "string" && !member.startsWith("metadata") ? typed(member, meant) : meant
}

const placedTwice = "says what another name of the row says too, and only one of the two would be kept"

/** The values collected for a row. */
class Row {
  readonly value = emptyRow()
  readonly faults: Array<CellFault> = []
  readonly notes: Array<RowNote> = []
  readonly names = new Map<string, string>()
  readonly states = new Map<string, State>()
  readonly overruled = new Set<string>()
  twice: string | undefined
  isEndless = false
  isEndEmpty = false

  against({ name, raw }: Cell, message: string, isSecret = false): void {
    const text = textOf(raw)
    const shown = text === "" || isSecret ? {} : { value: text.length > 60 ? `${text.slice(0, 57)}...` : text }
    this.faults.push({ column: name, ...shown, message })
  }

  put(name: string, member: string, value: unknown): void {
    this.names.set(placeOf(member), name)
    if (!place(this.value, member, value)) this.twice ??= name
  }

  read(cell: Cell, member: string, reading: Reading): void {
    if ("fault" in reading) this.against(cell, reading.fault)
    else this.put(cell.name, member, reading.value)
  }

  state(cell: Cell, rule: ColumnRule, meaning: Meaning | undefined): void {
    if (typeof meaning === "object" && meaning !== null) return void this.overruled.add(meaning.overrules)
    if (meaning === null) return
    const state = meaning ?? (rule.values === undefined ? textOf(cell.raw).toLowerCase() : undefined)
    if (isState(state)) return void this.states.set(cell.name, state)
    const known = Object.keys(rule.values ?? {}).map((value) => JSON.stringify(value)).join(", ")
    this.against(
      cell,
      rule.values === undefined
        ? `is no status: there are ${severity.join(", ")}; a mapping says which of them others are`
        : `is no status that the mapping knows: it knows ${known}`
    )
  }

  add(cell: Cell, rule: ColumnRule, timeZone: string | undefined): void {
    const { to } = rule
    const text = textOf(cell.raw)
    if (rule.instead_of !== undefined && text === "") return
    if (rule.note !== undefined && text !== "" && !(rule.note.unless ?? []).includes(text)) {
      this.notes.push({ column: cell.name, says: rule.note.says })
    }
    if (!this.names.has(placeOf(to))) this.names.set(placeOf(to), cell.name)
    if (rule.also !== undefined && text !== "") this.put(cell.name, rule.also, cell.raw)
    const meaning = meaningOf(rule, text)
    if (to === "status") return this.state(cell, rule, meaning)
    // Mappings are refused if anything but a status overrules another column.
    if (typeof meaning === "object" && meaning !== null) return
    const side = instants.get(to)
    if (meaning === null) {
      if (to === "expires_at") this.isEndless = true
      return
    }
    if (limits.has(to)) {
      return meaning === undefined ? this.read(cell, to, limitOf(text)) : this.put(cell.name, to, said(to, meaning))
    }
    if (side !== undefined) {
      const instant = meaning === undefined ? text : String(meaning)
      if (to === "expires_at" && instant === "") this.isEndEmpty = true
      return instant === "" ? undefined : this.read(cell, to, instantOf(instant, { as: rule.as, side, timeZone }))
    }
    if (meaning !== undefined) return this.put(cell.name, to, said(to, meaning))
    if (to.startsWith("metadata")) {
      if (text !== "") this.put(cell.name, to, rule.as === "key_values" ? keyValues(cell.raw) : cell.raw)
      return
    }
    if (text === "") return
    const mangled = to === "license_key" ? mangledKey(text) : undefined
    if (mangled !== undefined) return this.against(cell, mangled)
    this.put(cell.name, to, typeof cell.raw === "string" || typeof cell.raw === "number" ? typed(to, text) : cell.raw)
  }
}

/**
 * Reads a row by a mapping: each value under the name of its member. Values without a defined meaning are faults, and
 * so is an unreadable status; of several statuses the strictest counts.
 */
export const readRow = (
  mapping: Mapping,
  { cells, line, loss }: {
    readonly cells: ReadonlyArray<Cell>
    readonly line: number
    readonly loss?: JsonLoss | undefined
  }
): ImportRow => {
  const row = new Row()
  const nameOf = (member: string) => row.names.get(placeOf(member)) ?? row.names.get(`overrides.${member}`) ?? member
  const skipping = cells.find(({ name, raw }) => mapping.skip.get(name)?.has(textOf(raw)))
  if (skipping !== undefined) {
    const skippedBy = { column: skipping.name, value: textOf(skipping.raw) }
    return { line, skippedBy, value: row.value, nameOf }
  }
  const replaced = new Set(
    cells.flatMap(({ name, raw }) => textOf(raw) === "" ? [] : mapping.columns.get(name)?.instead_of ?? [])
  )
  for (const [member, value] of Object.entries(mapping.constants)) {
    row.put(member, member, said(member, value))
  }
  for (const cell of cells) {
    if (replaced.has(cell.name)) continue
    const rule = ruleOf(mapping, cell.name)
    if (rule === "decides") throw undecided([cell.name], `Line ${line}: `)
    if (rule === "unknown") row.put(cell.name, cell.name, cell.raw)
    else if (rule !== "ignored") row.add(cell, rule, mapping.timeZone)
  }
  for (const name of neededColumns(mapping)) {
    if (cells.some((cell) => cell.name === name)) continue
    row.faults.push({ column: name, message: "is not there, and the mapping reads it" })
  }
  const states = new Set([...row.states].flatMap(([name, state]) => row.overruled.has(name) ? [] : [state]))
  const worst = severity.findLast((state) => states.has(state))
  if (worst !== undefined) row.put([...row.states].find(([, state]) => state === worst)![0], "status", worst)
  const isOver = row.value["status"] === "expired"
  // Its expiration says whether it has ended.
  if (isOver) delete row.value["status"]
  return {
    line,
    value: row.value,
    nameOf,
    faults: row.faults,
    notes: row.notes,
    loss: loss ?? (row.twice === undefined ? undefined : { path: [row.twice], message: placedTwice }),
    isEndless: row.isEndless,
    isEndEmpty: row.isEndEmpty,
    isOver
  }
}
