import { Context } from "effect"
import type { Redacted } from "effect"

/** The settings that services need, as plain values. Runtime reads them from the environment; no service does. */
export class Settings extends Context.Service<Settings, {
  /** Where callers reach the service: an absolute http or https URL without a slash at its end. */
  readonly publicUrl: string
  /** Ranges such as `127.0.0.0/8` that webhook receivers may live in although they are not public. */
  readonly webhookAllowedCidrs: ReadonlyArray<string>
  /** Ranges of the proxies whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: ReadonlyArray<string>
  /** 32 bytes. Everything that is encrypted at rest or stored as a keyed hash hangs on it. */
  readonly masterKey: Redacted.Redacted<Uint8Array>
  /** The bootstrap token, which has the scope admin. */
  readonly adminToken: Redacted.Redacted
  /** For how many days a finished report export can be downloaded. */
  readonly exportRetentionDays: number
  /** The name of the vendor on reports; undefined where none is set. */
  readonly vendorName?: string | undefined
  /** What one caller may do: requests per second, and failed authentications per minute. 0 is without a limit. */
  readonly rates: {
    readonly failuresPerMinute: number
    readonly address: number
    readonly key: number
    readonly token: number
  }
  /** How many answers of one credential are kept for its Idempotency-Keys, but those of counted uses. */
  readonly maximumStoredAnswers: number
  /** The version of this program, as in package.json. */
  readonly version: string
}>()("countersign/services/platform/Settings") {}
