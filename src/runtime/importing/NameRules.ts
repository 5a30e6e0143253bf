import { decidesAccess, saysWhen } from "./AccessColumns.ts"
import { UnreadableFile } from "./FileText.ts"
import { isMember, memberNames } from "./Mapping.ts"
import type { ColumnRule, Mapping } from "./Mapping.ts"

const slugOf = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "_").replaceAll(/^_+|_+$/g, "")

/** The treatment of a name of the file. */
export type NameRule = ColumnRule | "ignored" | "unknown" | "decides"

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
