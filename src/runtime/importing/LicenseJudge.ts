import { Result } from "effect"
import type { LicenseCreate } from "../../domain/licenses/License.ts"
import { licenseOf } from "../../domain/licenses/LicenseRow.ts"
import { licenseKeyLast4, licenseKeyPrefix } from "../../domain/security/Credential.ts"
import type { ImportRow } from "./ImportFile.ts"

/** What is wrong with one cell of the file. */
export interface ImportFinding {
  readonly line: number
  /** As the file calls it; absent where the line is no row. */
  readonly column?: string
  /** What stands there, a license key but for its ends; absent where nothing does. */
  readonly value?: string
  readonly message: string
}

/** The catalog of the service that rows name by codes. */
export interface Catalog {
  readonly products: ReadonlyMap<string, string>
  /** By the id of the product, and then the code of the policy. */
  readonly policies: ReadonlyMap<string, ReadonlyMap<string, string>>
}

const shortened = (value: string) => value.length > 60 ? `${value.slice(0, 57)}...` : value

const shown = (member: string, value: unknown): { readonly value?: string } => {
  if (value === undefined) return {}
  const text = typeof value === "string" ? value : JSON.stringify(value)
  return {
    value: member === "license_key"
      ? text.length < 12 ? "…" : `${licenseKeyPrefix(text)}…${licenseKeyLast4(text)}`
      : shortened(text)
  }
}

/** A finding about a member of a row. */
export const findingOf = ({ line, nameOf, value }: ImportRow, path: string, message: string): ImportFinding => {
  const cell = path.split(".").reduce<unknown>(
    (at, name) => typeof at === "object" && at !== null ? (at as Readonly<Record<string, unknown>>)[name] : undefined,
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
  return all.length === 0 ? "there is none yet" : `there are: ${all.slice(0, 8).join(", ")}`
}

/**
 * Judges rows one after the other by what the service asks of a license, and by what makes an import repeatable: each row
 * brings its key, and no two bring the same.
 */
export const makeLicenseJudge = ({ policies, products }: Catalog) => {
  const lineOfKey = new Map<string, number>()
  return (row: ImportRow): Result.Result<LicenseCreate, ReadonlyArray<ImportFinding>> => {
    if (row.unread !== undefined) return Result.fail([{ line: row.line, message: row.unread }])
    // What was read in its place must be neither judged nor shown.
    if (row.loss !== undefined) {
      const { message, path } = row.loss
      return Result.fail([{ line: row.line, column: path.join("."), message }])
    }
    const { policy, product, ...rest } = row.value
    const found: Array<ImportFinding> = []
    const against = (path: string, message: string) => found.push(findingOf(row, path, message))
    const product_id = product === undefined ? rest["product_id"] : products.get(String(product))
    if (product !== undefined && rest["product_id"] !== undefined) against("product", "is excluded with product_id")
    if (product !== undefined && product_id === undefined) {
      against("product", `is no product's code; ${named(products.keys())}`)
    }
    const ofProduct = policies.get(String(product_id))
    const policy_id = policy === undefined ? rest["policy_id"] : ofProduct?.get(String(policy))
    if (policy !== undefined && rest["policy_id"] !== undefined) against("policy", "is excluded with policy_id")
    if (policy !== undefined && policy_id === undefined && ofProduct !== undefined) {
      against("policy", `is no code of a policy of the product; ${named(ofProduct.keys())}`)
    }
    if (rest["license_key"] === undefined) {
      against("license_key", "is required: by their keys a second import knows which licenses are there already")
    }
    const missing = {
      ...(product_id === undefined ? {} : { product_id }),
      ...(policy_id === undefined ? {} : { policy_id })
    }
    const read = licenseOf({ defaults: undefined, row: { ...rest, ...missing } as object })
    if (Result.isFailure(read)) {
      for (const { message, path } of read.failure) {
        const isSaid = (path === "product_id" && product !== undefined) ||
          (path === "policy_id" && policy !== undefined)
        if (!isSaid) against(path, message)
      }
      return Result.fail(found)
    }
    const key = read.success.license_key
    const earlier = key === undefined ? undefined : lineOfKey.get(key)
    if (earlier !== undefined) against("license_key", `is that of line ${earlier} too; each license has its own`)
    else if (key !== undefined) lineOfKey.set(key, row.line)
    return found.length > 0 ? Result.fail(found) : Result.succeed(read.success)
  }
}
