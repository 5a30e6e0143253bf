import { Result } from "effect"
import { membersOf } from "../../domain/ground/parsing/JsonMembers.ts"
import type { JsonMembers } from "../../domain/ground/parsing/JsonMembers.ts"
import { licenseKeyLast4, licenseKeyPrefix, parseLicenseKey } from "../../domain/keys/security/Credential.ts"
import { mangledKey } from "./CellValues.ts"
import type { ImportRow } from "./RowReader.ts"

/** The fault of one cell of the file. */
export interface ImportFinding {
  readonly line: number
  /** As the file calls it; absent where the line is no row. */
  readonly column?: string
  /** The cell's text, of a license key only its ends; absent where it is empty. */
  readonly value?: string
  readonly message: string
}

/** A policy that rows name by its code. */
interface CatalogPolicy {
  readonly id: string
  readonly code?: string
  readonly duration?: string
}

/** The catalog of the service that rows name by codes. */
export interface Catalog {
  readonly products: ReadonlyMap<string, string>
  /** By the id of the product. */
  readonly policies: ReadonlyMap<string, ReadonlyArray<CatalogPolicy>>
}

/** A license as a row asks for it; the service judges it. */
export type RequestedLicense = JsonMembers

const shortened = (value: string) => value.length > 60 ? `${value.slice(0, 57)}...` : value

const shown = (member: string, value: unknown): { readonly value?: string } => {
  if (value === undefined) return {}
  const text = typeof value === "string" ? value : JSON.stringify(value)
  return {
    value: member !== "license_key" || mangledKey(text) !== undefined
      ? shortened(text)
      : text.length < 12
      ? "…"
      : `${licenseKeyPrefix(text)}…${licenseKeyLast4(text)}`
  }
}

/** A finding about a member of a row. */
export const findingOf = ({ line, nameOf, value }: ImportRow, path: string, message: string): ImportFinding => {
  const cell = path.split(".").reduce<unknown>(
    (at, name) => membersOf(at)[name],
    value
  )
  return { line, column: nameOf(path), ...shown(path, cell), message }
}

/** One finding as a line for people. */
export const findingLine = ({ column, line, message, value }: ImportFinding): string =>
  `line ${line}${column === undefined ? "" : `, ${column}`}${
    value === undefined ? "" : ` ${JSON.stringify(value)}`
  }: ${message}`

const named = (codes: Iterable<string>) => {
  const all = [...codes]
  return all.length === 0 ? "none exists yet" : `there are: ${all.slice(0, 8).join(", ")}`
}

/**
 * Converts rows to licenses, in order. The service checks them; here is only what it cannot know: codes become IDs,
 * each row has a key and no two have the same, and the other system's expiration must be kept.
 */
export const makeLicenseJudge = ({ policies, products }: Catalog) => {
  const lineOfKey = new Map<string, number>()
  return (row: ImportRow, now: number): Result.Result<RequestedLicense, ReadonlyArray<ImportFinding>> => {
    if (row.unread !== undefined) return Result.fail([{ line: row.line, message: row.unread }])
    // A value that was lost in reading must be neither checked nor shown.
    if (row.loss !== undefined) {
      const { message, path } = row.loss
      return Result.fail([{ line: row.line, column: path.join("."), message }])
    }
    const { policy, product, ...rest } = row.value
    const found: Array<ImportFinding> = []
    for (const fault of row.faults ?? []) found.push({ line: row.line, ...fault })
    const against = (path: string, message: string) => found.push(findingOf(row, path, message))
    const product_id = product === undefined ? rest["product_id"] : products.get(String(product))
    if (product !== undefined && rest["product_id"] !== undefined) against("product", "is excluded with product_id")
    if (product !== undefined && product_id === undefined) {
      against("product", `is no product's code; ${named(products.keys())}`)
    }
    if (product_id === undefined && product === undefined) {
      against("product", "is required: map a column to it, or say --set product=<code>")
    }
    const ofProduct = policies.get(String(product_id)) ?? []
    const under = ofProduct.find(({ code, id }) =>
      policy === undefined ? id === rest["policy_id"] : code === String(policy)
    )
    const policy_id = policy === undefined ? rest["policy_id"] : under?.id
    if (policy !== undefined && rest["policy_id"] !== undefined) against("policy", "is excluded with policy_id")
    if (policy !== undefined && policy_id === undefined && policies.has(String(product_id))) {
      against("policy", `is no code of a policy of the product; ${named(ofProduct.flatMap(({ code }) => code ?? []))}`)
    }
    if (policy_id === undefined && policy === undefined) {
      against("policy", "is required: map a column to it, or say --set policy=<code>")
    }
    const { expires_at, license_key } = rest
    const isNamed = row.faults?.some(({ column }) => column === row.nameOf("license_key")) === true
    if (license_key === undefined && !isNamed) {
      against("license_key", "is required: by their keys a second import knows which licenses are there already")
    }
    if (row.isEndless === true && expires_at === undefined && under?.duration !== undefined) {
      against(
        "expires_at",
        `is without an end over there, and licenses of the policy ${
          under.code ?? under.id
        } end after ${under.duration}: ` +
          "name a policy without a duration"
      )
    }
    if (row.isOver === true && !(typeof expires_at === "string" && Date.parse(expires_at) <= now)) {
      against(
        "expires_at",
        "would bring a license to life that is expired over there: map the column of its end, or the status to suspended"
      )
    }
    const key = typeof license_key === "string" ? parseLicenseKey(license_key) : undefined
    const earlier = key === undefined ? undefined : lineOfKey.get(key)
    if (earlier !== undefined) against("license_key", `is that of line ${earlier} too; each license has its own`)
    else if (key !== undefined && found.length === 0) lineOfKey.set(key, row.line)
    if (found.length > 0) return Result.fail(found)
    return Result.succeed({ ...rest, product_id, policy_id })
  }
}
