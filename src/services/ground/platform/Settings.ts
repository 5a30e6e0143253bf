import { Context } from "effect"
import type { Redacted } from "effect"
import type { EnvironmentName } from "../../../domain/ground/environments/EnvironmentName.ts"
import type { ClaimRule } from "../../../domain/people/ClaimRules.ts"

/** How people sign in at an identity provider (OpenID Connect). */
export interface OpenIdConnectSettings {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted
  /** Which claims give which roles; none: nobody comes in who is not known. */
  readonly rules: ReadonlyArray<ClaimRule>
  /** The claims of rules that the provider leaves out where they are empty. */
  readonly emptyClaims: ReadonlyArray<string>
  /** Whether signing out ends the session at the provider, too. */
  readonly signsOutThere: boolean
}

/** Through what mails to customers are sent, and by whom. */
export interface MailSending {
  /** smtp or smtps, with user and password. */
  readonly smtpUrl: Redacted.Redacted
  readonly from: { readonly name: string; readonly address: string }
  /** The only addresses that get any, in lower case; undefined: all do. */
  readonly onlyTo?: ReadonlyArray<string> | undefined
}

/** The settings that services need, as plain values. The runtime reads them from the environment; no service does. */
export class Settings extends Context.Service<Settings, {
  /** The URL under which callers reach the service: absolute, http or https, without a trailing slash. */
  readonly publicUrl: string
  /** The environments that the service has, the live one first. */
  readonly environments: ReadonlyArray<EnvironmentName>
  /** Ranges such as `127.0.0.0/8` where webhook receivers are allowed although the addresses are not public. */
  readonly webhookAllowedCidrs: ReadonlyArray<string>
  /** Where the APIs of payment providers are read instead of at their own hosts, without a trailing slash; undefined where nothing is set. */
  readonly providerApiUrl?: string | undefined
  /** Ranges of the proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: ReadonlyArray<string>
  /** 32 bytes. Everything that is encrypted at rest or stored as a keyed hash depends on it. */
  readonly masterKey: Redacted.Redacted<Uint8Array>
  /** The bootstrap token, which has the scope admin. */
  readonly adminToken: Redacted.Redacted
  /** Days for which a finished report export can be downloaded. */
  readonly exportRetentionDays: number
  /** How long a session lasts from its opening, in hours. */
  readonly sessionHours: number
  /** How long a session lasts without a request, in minutes. */
  readonly sessionIdleMinutes: number
  /** Whether customers may sign in at `/portal`; off where nothing is set. */
  readonly portal?: boolean | undefined
  /** The identity provider that people sign in at; undefined where none is set. */
  readonly openIdConnect?: OpenIdConnectSettings | undefined
  /** How mails to customers are sent; undefined where none are, and none is queued. */
  readonly mail?: MailSending | undefined
  /** Days for which an activity is kept; 0: for ever. */
  readonly retainActivityDays: number
  /** Days for which the body of a payment provider's event is kept, and not only what it says of purchases; 0: for ever. */
  readonly retainBillingBodyDays: number
  /** Days for which a lease is kept after its end, and at least as long as its events are; 0: for ever. */
  readonly retainLeaseDays: number
  /** Days for which a single use is kept, rounded up to full days of UTC; 0: for ever. */
  readonly retainUsageDays: number
  /** The name of the vendor on reports; undefined where none is set. */
  readonly vendorName?: string | undefined
  /** The logo of the vendor on reports, a PNG in base64; undefined where none is set. */
  readonly vendorLogo?: string | undefined
  /** Limits of one caller: requests per second, failed authentications per minute, new trials per hour. 0: unlimited. */
  readonly rates: {
    readonly failuresPerMinute: number
    readonly address: number
    readonly key: number
    readonly token: number
    readonly trialsPerHour: number
  }
  /** How many answers are stored for the Idempotency-Keys of one credential, not counting those of metered uses. */
  readonly maximumStoredAnswers: number
  /** The version of this program, as in package.json. */
  readonly version: string
}>()("countersign/services/ground/platform/Settings") {}
