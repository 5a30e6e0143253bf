import { Schema } from "effect"
import type { FieldFinding, Warning } from "../ground/wire/Errors.ts"
import {
  Code,
  count,
  CreatedAt,
  field,
  Metadata,
  Name,
  optional,
  ShownCode,
  ShownName,
  Timestamp,
  UpdatedAt
} from "../ground/wire/Fields.ts"
import * as Id from "../ground/wire/Id.ts"
import { CountedUpTo } from "../ground/wire/Page.ts"

/** The most codes that a product keeps beside its own. */
const formerCodeLimit = 20

const record = {
  id: Id.text("prod"),
  name: ShownName,
  code: ShownCode,
  former_codes: optional(
    Schema.Array(Schema.String),
    "Former codes of the product, newest first. They are aliases: an app that sends one is accepted. Absent " +
      "if there are no former codes."
  ),
  metadata: Metadata,
  created_at: CreatedAt,
  updated_at: UpdatedAt
}

/** A product as it is stored, and as its events tell of it. */
export const ProductRecord = Schema.Struct(record)
export type ProductRecord = typeof ProductRecord.Type

/** What is known of the apps that ask by a former code. */
export const FormerCodeUse = Schema.Struct({
  code: ShownCode,
  since: field(Timestamp, "When the product got another code."),
  last_asked_at: optional(
    Timestamp,
    "Time when an app last sent the code, accurate to a minute. Absent if no app has sent it since."
  )
}).annotate({ identifier: "FormerCodeUse", description: "When apps last used a former code." })
export type FormerCodeUse = typeof FormerCodeUse.Type

/** How far the counts of a product and a policy go, and how many licenses are looked at for those in use. */
export const catalogCounts = { licenses: 1000, inUseAmong: 5000 } as const

/** The counts of a product, which are made when they are asked for. */
export const ProductCounts = Schema.Struct({
  policies: field(count(0), "Number of policies."),
  licenses: optional(CountedUpTo, "Licenses, counted to 1,000. Absent for callers without `license:read`."),
  licenses_in_use: optional(
    CountedUpTo,
    "Licenses with a device that was seen within the last 30 days, counted to 1,000 among the 5,000 newest. Absent for " +
      "callers without `license:read`."
  ),
  newest_version: optional(Schema.String, "The version that was released last; absent for a product without versions.")
}).annotate({
  identifier: "ProductCounts",
  description: "The counts of a product.",
  examples: [{
    policies: 4,
    licenses: { count: 1000, has_more: true },
    licenses_in_use: { count: 902, has_more: false },
    newest_version: "5.2.0"
  }]
})
export type ProductCounts = typeof ProductCounts.Type

/** What a vendor sells licenses for. */
export const Product = Schema.Struct({
  ...record,
  former_code_uses: optional(
    Schema.Array(FormerCodeUse),
    "When apps last sent each of the `former_codes`. Check it before you retire one. Not in events."
  ),
  counts: Schema.optionalKey(ProductCounts)
}).annotate({
  identifier: "Product",
  description: "A product that you sell licenses for.",
  examples: [{
    id: "prod_06eqpx1trxz3h94vqjm3a6kz7c",
    name: "Acme Studio",
    code: "acme-studio",
    metadata: {},
    created_at: "2026-11-21T10:30:00.000Z",
    updated_at: "2026-11-21T10:30:00.000Z"
  }]
})
export type Product = typeof Product.Type

export const ProductCreate = Schema.Struct({
  name: Name,
  code: Code,
  metadata: Schema.optionalKey(Metadata)
}).annotate({
  identifier: "ProductCreateRequest",
  description: "A product to create.",
  examples: [{ name: "Acme Studio", code: "acme-studio" }]
})
export type ProductCreate = typeof ProductCreate.Type

export const ProductUpdate = Schema.Struct({
  name: Schema.optionalKey(Name),
  code: optional(
    Code,
    "A new code. The previous code stays an alias in `former_codes`, so that installed apps continue to " +
      "work."
  ),
  former_codes: optional(
    Schema.Array(Code).check(Schema.isMaxLength(formerCodeLimit), Schema.isUnique()),
    "The former codes that stay aliases: some of those of the product, or none. Requests with a removed " +
      "code are refused with PRODUCT_MISMATCH. Cannot be combined with a new `code`."
  ),
  metadata: Schema.optionalKey(Metadata)
}).annotate({
  identifier: "ProductUpdateRequest",
  description: "Changes of a product. Omitted fields stay as they are.",
  examples: [{ name: "Acme Studio 2026" }]
})
export type ProductUpdate = typeof ProductUpdate.Type

/** The codes of a product: its own, and those that it had before. */
export interface ProductCodes {
  readonly code: string
  readonly former_codes?: ReadonlyArray<string> | null | undefined
}

/** Whether an app that says it is the product of this code is this product. */
export const hasCode = ({ code, former_codes }: ProductCodes, requested: string | undefined): boolean =>
  requested === code || (requested !== undefined && former_codes?.includes(requested) === true)

/**
 * The code that a product is called by in an answer. An app compares it with the one that it was built with, so it is
 * the one that was asked for, if the product has or had that.
 */
export const codeFor = (product: ProductCodes, requested: string | undefined): string =>
  requested !== undefined && hasCode(product, requested) ? requested : product.code

const isRenamed = ({ code }: ProductCodes, changes: ProductUpdate): boolean =>
  changes.code !== undefined && changes.code !== code

/** The former codes that a change leaves, the newest first; undefined where it leaves them as they are. */
export const formerCodesAfter = (
  { code, former_codes = [] }: ProductRecord,
  changes: ProductUpdate
): ReadonlyArray<string> | undefined =>
  isRenamed({ code }, changes)
    ? [code, ...former_codes.filter((former) => former !== changes.code)]
    : changes.former_codes && former_codes.filter((former) => changes.former_codes!.includes(former))

/** What is wrong with a change of a product's codes. */
export const productFindings = (product: ProductRecord, changes: ProductUpdate): ReadonlyArray<FieldFinding> => {
  const { former_codes = [] } = product
  const strange = changes.former_codes?.filter((code) => !former_codes.includes(code)) ?? []
  if (strange.length > 0) {
    return [{
      path: "former_codes",
      code: "not_a_former_code",
      message: `can only lose codes, and the product has no former code ${strange.join(", ")}`
    }]
  }
  if (!isRenamed(product, changes)) return []
  if (changes.former_codes !== undefined) {
    return [{
      path: "former_codes",
      code: "contradiction",
      message: "must be changed in a separate request: a new code adds the previous one"
    }]
  }
  return formerCodesAfter(product, changes)!.length <= formerCodeLimit ? [] : [{
    path: "code",
    code: "too_many",
    message: `would leave more than ${formerCodeLimit} former codes: take some out of former_codes first`
  }]
}

/** Retiring a code that apps used within this many days is warned about. */
const quietDays = 30

/** Warnings about a change of a product's codes. `retired` are those that are aliases no more, as they were used. */
export const warningsAboutCodes = (
  before: ProductRecord,
  after: ProductRecord,
  retired: ReadonlyArray<FormerCodeUse>
): ReadonlyArray<Warning> => [
  ...(before.code === after.code ? [] : [{
    code: "FORMER_CODE_KEPT",
    message: `Installed apps ask by the code ${before.code}. It stays an alias until you take it out of former_codes.`,
    field: "code"
  }]),
  ...retired.flatMap(({ code, last_asked_at, since }) => {
    if (Date.parse(after.updated_at) - Date.parse(last_asked_at ?? since) > quietDays * 86_400_000) return []
    const known = last_asked_at === undefined
      ? `${code} was the product's code until ${since}, so apps may not have asked again yet`
      : `Apps asked by the code ${code}, most recently at ${last_asked_at}`
    return [{
      code: "FORMER_CODE_IN_USE",
      message: `${known}. Those that do from now on are refused with PRODUCT_MISMATCH.`,
      field: "former_codes"
    }]
  })
]
