import { Schema } from "effect"
import { Entitlement } from "./Entitlement.ts"

/** What opening a trial answers, signed. */
export const TrialEntitlement = Schema.Struct({
  ...Entitlement.fields,
  license_key: Schema.optionalKey(Schema.String.annotate({
    description: "The key of the trial's license, for every other runtime call. Shown again at a repeat; absent once " +
      "management has replaced it.",
    examples: ["CS-7K3Q9-W4TBN-2HX8M-RD5VE-0PM2X"]
  }))
}).annotate({
  identifier: "RuntimeTrialResponseData",
  examples: [{
    license_id: "lic_06eqpx1trxz3h94vqjm3a6kz7c",
    status: "active",
    license_type: "trial",
    entitlement_version: 1,
    product_id: "prod_06eqpx1trxz3h94vqjm3a6kz7c",
    product_code: "acme-studio",
    policy_code: "trial-14",
    device_id: "dev_06eqpx1trxz3h94vqjm3a6kz7c",
    fingerprint_hash: "5f0c4a1f0e2f0bb1dd1f6a6e5d3f0f7e4a0c6e4b9d2a8c7f1e3b5d7f9a1c3e5b",
    issued_at: "2026-11-21T10:30:00.000Z",
    valid_until: "2026-11-23T10:30:00.000Z",
    expires_at: "2026-12-05T10:30:00.000Z",
    nonce: "n-7f3a9c21d0",
    next_check_at: "2026-11-22T10:30:00.000Z",
    features: [],
    license_key: "CS-7K3Q9-W4TBN-2HX8M-RD5VE-0PM2X"
  }]
})
export type TrialEntitlement = typeof TrialEntitlement.Type
