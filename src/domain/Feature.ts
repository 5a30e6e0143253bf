import { Schema } from "effect"
import { bigCount, Code, Metadata, Name, text, Timestamp, TimestampInput } from "./Fields.ts"

/** Something a license can grant, such as a module or a metered quota. */
export const Feature = Schema.Struct({
  id: Schema.String,
  product_id: Schema.String,
  code: Schema.String,
  name: Schema.String,
  metadata: Metadata,
  created_at: Timestamp,
  updated_at: Timestamp
}).annotate({
  identifier: "Feature",
  examples: [{
    id: "feat_06eqpx1trxz3h94vqjm3a6kz7c",
    product_id: "prod_06eqpx1trxz3h94vqjm3a6kz7c",
    code: "export-pdf",
    name: "PDF export",
    metadata: {},
    created_at: "2026-11-21T10:30:00.000Z",
    updated_at: "2026-11-21T10:30:00.000Z"
  }]
})
export type Feature = typeof Feature.Type

export const FeatureCreate = Schema.Struct({
  name: Name,
  code: Code,
  metadata: Schema.optionalKey(Metadata)
}).annotate({
  identifier: "FeatureCreateRequest",
  examples: [{ name: "PDF export", code: "export-pdf" }]
})
export type FeatureCreate = typeof FeatureCreate.Type

export const FeatureUpdate = Schema.Struct({
  name: Schema.optionalKey(Name),
  code: Schema.optionalKey(Code),
  metadata: Schema.optionalKey(Metadata)
}).annotate({
  identifier: "FeatureUpdateRequest",
  examples: [{ name: "Export to PDF" }]
})
export type FeatureUpdate = typeof FeatureUpdate.Type

/** A feature as one license has it. */
export const LicenseFeature = Schema.Struct({
  license_id: Schema.String,
  feature_id: Schema.String,
  feature_code: Schema.String,
  feature_name: Schema.String,
  enabled: Schema.Boolean,
  max_consumptions: Schema.optionalKey(bigCount(0)),
  total_consumptions: bigCount(0),
  remaining: Schema.optionalKey(bigCount(0)),
  expires_at: Schema.optionalKey(Timestamp),
  metadata: Metadata
}).annotate({
  identifier: "LicenseFeature",
  examples: [{
    license_id: "lic_06eqpx1trxz3h94vqjm3a6kz7c",
    feature_id: "feat_06eqpx1trxz3h94vqjm3a6kz7c",
    feature_code: "export-pdf",
    feature_name: "PDF export",
    enabled: true,
    max_consumptions: 1000,
    total_consumptions: 0,
    remaining: 1000,
    metadata: {}
  }]
})
export type LicenseFeature = typeof LicenseFeature.Type

export const LicenseFeatureAssign = Schema.Struct({
  feature_id: text(1, 64),
  enabled: Schema.optionalKey(Schema.Boolean),
  max_consumptions: Schema.optionalKey(bigCount(0)),
  expires_at: Schema.optionalKey(TimestampInput),
  metadata: Schema.optionalKey(Metadata)
}).annotate({
  identifier: "LicenseFeatureAssignRequest",
  examples: [{ feature_id: "feat_06eqpx1trxz3h94vqjm3a6kz7c", max_consumptions: 1000 }]
})
export type LicenseFeatureAssign = typeof LicenseFeatureAssign.Type
