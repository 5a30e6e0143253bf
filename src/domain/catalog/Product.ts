import { Schema } from "effect"
import { Code, Metadata, Name, Timestamp } from "../wire/Fields.ts"

/** What a vendor sells licenses for. */
export const Product = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  code: Schema.String,
  metadata: Metadata,
  created_at: Timestamp,
  updated_at: Timestamp
}).annotate({
  identifier: "Product",
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
  examples: [{ name: "Acme Studio", code: "acme-studio" }]
})
export type ProductCreate = typeof ProductCreate.Type

export const ProductUpdate = Schema.Struct({
  name: Schema.optionalKey(Name),
  code: Schema.optionalKey(Code),
  metadata: Schema.optionalKey(Metadata)
}).annotate({
  identifier: "ProductUpdateRequest",
  examples: [{ name: "Acme Studio 2026" }]
})
export type ProductUpdate = typeof ProductUpdate.Type
