import { familyOf, kinds, wholeLicenseKinds } from "../../log/EventKind.ts"
import type { EventKind, Family } from "../../log/EventKind.ts"

/**
 * Where an event says which product it belongs to.
 * - `resource`: it is about the product itself
 * - a member of its data: the product, or the license or policy whose product it is
 * - `none`: it belongs to no product
 */
export type EventProduct = "resource" | "product_id" | "license_id" | "policy_id" | "none"

const ofFamily: Readonly<Record<Family, EventProduct>> = {
  product: "resource",
  policy: "product_id",
  feature: "product_id",
  version: "product_id",
  customer: "none",
  order: "product_id",
  subscription: "product_id",
  billing_connection: "none",
  purchase: "none",
  custom_field: "product_id",
  job: "none",
  note: "license_id",
  license: "license_id",
  mail: "license_id",
  device: "license_id",
  lease: "license_id",
  offline: "license_id",
  offline_file: "license_id",
  api_key: "none",
  person: "none",
  session: "none",
  passkey: "none",
  role: "none",
  approval: "none",
  settings: "none",
  mail_template: "none",
  mail_suppression: "none",
  publishable_key: "product_id",
  signing_key: "none",
  webhook: "none",
  report_export: "none",
  log: "none"
}

const ofKind: Readonly<Partial<Record<EventKind, EventProduct>>> = {
  "policy.feature_assigned": "policy_id",
  "policy.feature_removed": "policy_id"
}

/** Where the events of a kind say which product they belong to. */
const productOf = (kind: EventKind): EventProduct =>
  ofKind[kind] ?? (wholeLicenseKinds.includes(kind) ? "product_id" : ofFamily[familyOf(kind)])

/** The kinds of event that say it in one way. */
export const kindsSaying = (place: EventProduct): ReadonlyArray<EventKind> =>
  kinds.filter((kind) => productOf(kind) === place)
