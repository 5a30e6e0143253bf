import { Result, Schema } from "effect"
import { TimeZoneName } from "../../domain/evidence/exports/ReportExport.ts"
import { nearest } from "../../domain/ground/parsing/Nearest.ts"
import { text } from "../../domain/ground/wire/Fields.ts"
import { payloadFindings } from "../../domain/ground/wire/PayloadFindings.ts"
import { UnreadableFile } from "./FileText.ts"

const name = text(1, 300)
const most = 1000

const Scalar = Schema.Union([Schema.String.check(Schema.isMaxLength(1000)), Schema.Finite, Schema.Boolean])

/** The value that a value of the file becomes; null omits the field. */
const Meaning = Schema.Union([Scalar, Schema.Null, Schema.Struct({ overrules: name })])
export type Meaning = typeof Meaning.Type

/** The member that a column becomes, and how its values are read. */
const ColumnRule = Schema.Struct({
  to: name,
  /** A further member that keeps the raw value. */
  also: Schema.optionalKey(name),
  values: Schema.optionalKey(Schema.Record(Schema.String, Meaning).check(Schema.isMaxProperties(most))),
  as: Schema.optionalKey(Schema.Literals(["unix_seconds", "unix_milliseconds", "key_values"])),
  /** False for a column whose name suggests that it decides whether a license works, and which does not. */
  decides: Schema.optionalKey(Schema.Boolean),
  /** Columns that are ignored in a row where this one has a value. */
  instead_of: Schema.optionalKey(Schema.Array(name).check(Schema.isMaxLength(20))),
  /** The note on rows where this column has none of those values, and is not empty. */
  note: Schema.optionalKey(
    Schema.Struct({
      unless: Schema.optionalKey(Schema.Array(Schema.String).check(Schema.isMaxLength(100))),
      says: text(1, 1000)
    })
  )
})
export type ColumnRule = typeof ColumnRule.Type

const Columns = Schema.Record(Schema.String, Schema.Union([name, Schema.Null, ColumnRule]))
  .check(Schema.isMaxProperties(most))

/** A mapping as it is written in a file. */
const MappingFile = Schema.Struct({
  about: Schema.optionalKey(text(1, 500)),
  sources: Schema.optionalKey(Schema.Array(text(1, 500)).check(Schema.isMaxLength(20))),
  extends: Schema.optionalKey(name),
  rows: Schema.optionalKey(name),
  time_zone: Schema.optionalKey(TimeZoneName),
  constants: Schema.optionalKey(Schema.Record(Schema.String, Scalar).check(Schema.isMaxProperties(100))),
  columns: Schema.optionalKey(Columns),
  ignore: Schema.optionalKey(Schema.Array(name).check(Schema.isMaxLength(most))),
  others: Schema.optionalKey(Schema.Literals(["refuse", "ignore", "metadata"])),
  skip: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.Array(Schema.String).check(Schema.isMaxLength(100)))
      .check(Schema.isMaxProperties(100))
  )
})
export type MappingFile = typeof MappingFile.Type

/** The members that the columns of a file become. */
export interface Mapping {
  readonly about: string
  /** The path of the list of licenses in a document of JSON. */
  readonly rows: string | undefined
  readonly timeZone: string | undefined
  readonly constants: Readonly<Record<string, string | number | boolean>>
  readonly columns: ReadonlyMap<string, ColumnRule>
  readonly ignore: ReadonlySet<string>
  /** `keys`: all other columns are ignored, except license keys and their IDs. */
  readonly others: "refuse" | "ignore" | "metadata" | "keys"
  /** Column values that mark a row that is not a license. */
  readonly skip: ReadonlyMap<string, ReadonlySet<string>>
}

/** Members of a license that a column or a constant can be, besides `metadata.<name>` and `overrides.<rule>`. */
const members = [
  "license_key",
  "product",
  "product_id",
  "policy",
  "policy_id",
  "customer_id",
  "customer_email",
  "customer_name",
  "order_id",
  "subscription_id",
  "status",
  "starts_at",
  "expires_at",
  "maintenance_expires_at",
  "activate_before",
  "follows_subscription",
  "max_activations"
] as const

/** Whether a name is that of a member of a license. */
export const isMember = (name: string): boolean =>
  (members as ReadonlyArray<string>).includes(name) || /^(metadata|overrides)\.[A-Za-z0-9_-]+$/.test(name)

/** The names of all members, for people. */
export const memberNames = `${members.join(", ")}, metadata.<name>, overrides.<rule>`

/** An empty mapping: columns have the names of members. */
export const noMapping: Mapping = {
  about: "",
  rows: undefined,
  timeZone: undefined,
  constants: {},
  columns: new Map(),
  ignore: new Set(),
  others: "refuse",
  skip: new Map()
}

const decode = Schema.decodeUnknownResult(MappingFile, { errors: "first", onExcessProperty: "error" })
const judge = payloadFindings(MappingFile)

/** Reads a mapping, or says what in it is wrong. Throws {@link UnreadableFile}. */
export const readMappingFile = (value: unknown, what: string): MappingFile => {
  const read = decode(value)
  if (Result.isSuccess(read)) return read.success
  const found = judge.of(value).map(({ message, path }) =>
    path === "" ? `the mapping ${message}` : `${path}: ${message}`
  )
  throw new UnreadableFile(`${what} is no mapping: ${found.slice(0, 5).join("; ")}`)
}

const targetsOf = (target: string, said: string): void => {
  if (isMember(target) || target === "metadata") return
  const meant = nearest(target, members)
  throw new UnreadableFile(
    `${said} is mapped to ${JSON.stringify(target)}, which no license has.${
      meant === undefined ? ` There are: ${memberNames}` : ` Did you mean ${meant}?`
    }`
  )
}

/** Overlays a mapping on another: its entries win. Throws {@link UnreadableFile}. */
export const mappingOver = (under: Mapping, over: MappingFile): Mapping => {
  const columns = new Map(under.columns)
  const ignore = new Set(under.ignore)
  for (const [column, rule] of Object.entries(over.columns ?? {})) {
    ignore.delete(column)
    if (rule === null) columns.delete(column)
    else columns.set(column, typeof rule === "string" ? { to: rule } : rule)
  }
  for (const column of over.ignore ?? []) {
    columns.delete(column)
    ignore.add(column)
  }
  for (const [column, rule] of columns) {
    targetsOf(rule.to, JSON.stringify(column))
    if (rule.also !== undefined) targetsOf(rule.also, JSON.stringify(column))
  }
  for (const target of Object.keys(over.constants ?? {})) targetsOf(target, "A constant")
  return {
    about: over.about ?? under.about,
    rows: over.rows ?? under.rows,
    timeZone: over.time_zone ?? under.timeZone,
    constants: { ...under.constants, ...over.constants },
    columns,
    ignore,
    others: over.others ?? under.others,
    skip: new Map([
      ...under.skip,
      ...Object.entries(over.skip ?? {}).map(([column, values]) => [column, new Set(values)] as const)
    ])
  }
}
