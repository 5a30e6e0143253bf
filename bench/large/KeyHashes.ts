import { Effect, Layer, Logger, Redacted } from "effect"
import { Hex } from "effect/encoding"
import * as NodeCryptography from "../../src/runtime/node/NodeCryptography.ts"
import { DatabaseTarget, layerTarget } from "../../src/runtime/postgres/Database.ts"
import { Settings } from "../../src/services/ground/platform/Settings.ts"
import { Vault } from "../../src/services/keys/security/Vault.ts"
import { licenseKeyPurpose } from "../../src/services/licensing/licenses/Licenses.ts"
import { adminToken, BenchError } from "../harness/ServiceProcess.ts"

const settings = Layer.succeed(Settings, {
  publicUrl: "http://127.0.0.1",
  environments: ["live"],
  webhookAllowedCidrs: ["127.0.0.0/8"],
  trustedProxies: [],
  masterKey: Redacted.make(new Uint8Array(32).fill(7)),
  adminToken: Redacted.make(adminToken),
  exportRetentionDays: 90,
  sessionHours: 12,
  sessionIdleMinutes: 60,
  retainActivityDays: 3660,
  retainBillingBodyDays: 90,
  retainLeaseDays: 0,
  retainUsageDays: 0,
  rates: { failuresPerMinute: 60, address: 0, key: 0, token: 0, trialsPerHour: 0 },
  maximumStoredAnswers: 1_000_000,
  version: "0.0.0-bench"
})

/** How the service that owns this database hashes license keys, as 64 hex digits. */
export const keyHasher = (databaseUrl: string): Effect.Effect<(licenseKey: string) => string, BenchError> =>
  Effect.map(Vault, ({ keyedHash }) => (key: string) => Hex.encode(keyedHash(licenseKeyPurpose, key))).pipe(
    Effect.provide(
      Vault.layer.pipe(
        Layer.provide(layerTarget),
        Layer.provide([NodeCryptography.layer, settings]),
        Layer.provide(Layer.succeed(DatabaseTarget, { url: Redacted.make(databaseUrl) })),
        Layer.provide(Logger.layer([]))
      )
    ),
    Effect.scoped,
    Effect.mapError((cause) => new BenchError({ message: String(cause) }))
  )
