import { Effect } from "effect"
import { BenchError } from "./ServiceProcess.ts"
import type { ServiceProcess } from "./ServiceProcess.ts"

/** A license with a device on it. */
export interface IssuedLicense {
  readonly id: string
  readonly licenseKey: string
  readonly fingerprint: string
}

const concurrency = 16

/**
 * Issues licenses of one product, each with two features and an activated device, through the API: by assignments of each
 * license, or by terms: the policy grants the features with a quota that starts again, and each license has overrides.
 */
export const issueLicenses = (
  { call }: ServiceProcess,
  count: number,
  { by = "assignments" }: { readonly by?: "assignments" | "terms" } = {}
): Effect.Effect<ReadonlyArray<IssuedLicense>, BenchError> =>
  Effect.gen(function*() {
    const ask = (...parameters: Parameters<typeof call>) =>
      Effect.tryPromise({
        try: () => call(...parameters),
        catch: (cause) => new BenchError({ message: String(cause) })
      })
    const code = `bench-${by}-${Date.now().toString(36)}`
    const product = yield* ask("POST", "/api/v1/products", { name: "Bench", code })
    const policy = yield* ask("POST", `/api/v1/products/${product.id}/policies`, {
      name: "Annual",
      code: "annual",
      license_type: "subscription",
      max_floating_users: 1_000_000,
      floating_timeout_minutes: 60
    })
    const features = yield* Effect.forEach(["export", "render"], (name) =>
      ask("POST", `/api/v1/products/${product.id}/features`, { name, code: name }))
    if (by === "terms") {
      for (const feature of features) {
        yield* ask("POST", `/api/v1/products/${product.id}/policies/${policy.id}/features`, {
          feature_id: feature.id,
          max_consumptions: 1_000_000_000,
          period: "month"
        })
      }
    }
    const expires_at = new Date(Date.now() + 365 * 86_400_000).toISOString()
    return yield* Effect.forEach(
      Array.from({ length: count }, (_, index) =>
        `machine-${code}-${index}`),
      (fingerprint) =>
        Effect.gen(function*() {
          const { license, license_key } = yield* ask("POST", "/api/v1/licenses", {
            policy_id: policy.id,
            product_id: product.id,
            expires_at,
            ...(by === "terms" ? { overrides: { max_activations: 25, grace_period_days: 3 } } : {})
          })
          for (const feature of by === "terms" ? [] : features) {
            yield* ask("POST", `/api/v1/licenses/${license.id}/features`, {
              feature_id: feature.id,
              max_consumptions: 1_000_000_000
            })
          }
          yield* ask("POST", "/api/v1/license/activate", { fingerprint }, {
            authorization: `License ${license_key}`,
            "idempotency-key": fingerprint
          })
          return { id: String(license.id), licenseKey: String(license_key), fingerprint }
        }),
      { concurrency }
    )
  })
