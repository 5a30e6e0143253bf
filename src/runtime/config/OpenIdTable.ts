import { Effect, Redacted, Result } from "effect"
import { parseClaimRules } from "../../domain/people/ClaimRules.ts"
import type { OpenIdConnectSettings } from "../../services/platform/Settings.ts"
import { setting } from "./Setting.ts"
import { isLoopback } from "./SettingParsers.ts"
import type { SettingReading } from "./SettingReading.ts"

/** An issuer, as it is written: providers compare theirs letter by letter. Without https, anybody on the way could sign in. */
const issuer = (value: string): Result.Result<string, string> => {
  const url = URL.canParse(value) ? new URL(value) : undefined
  return url !== undefined && url.search === "" && url.hash === "" && url.username === "" && url.password === "" &&
      (url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname)))
    ? Result.succeed(value)
    : Result.fail(`must be an absolute https URL without query, fragment or password, not "${value}"`)
}

const clientId = (value: string): Result.Result<string, string> =>
  /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value)
    ? Result.succeed(value)
    : Result.fail("must be printable ASCII")

const clientSecret = (value: string): Result.Result<Redacted.Redacted, string> =>
  /^[\x20-\x7e]+$/.test(value)
    ? Result.succeed(Redacted.make(value, { label: "COUNTERSIGN_OIDC_CLIENT_SECRET" }))
    : Result.fail("must be printable ASCII")

/** The settings of the identity provider, in the order of `--help`. */
export const openIdTable = {
  issuer: setting({
    name: "COUNTERSIGN_OIDC_ISSUER",
    default: undefined,
    shown: "none: people sign in without an identity provider",
    meaning: "The issuer of the identity provider that people sign in at, exactly as it names itself (OpenID Connect).",
    example: "https://login.example.com",
    parse: issuer
  }),
  clientId: setting({
    name: "COUNTERSIGN_OIDC_CLIENT_ID",
    default: undefined,
    shown: "none; required with COUNTERSIGN_OIDC_ISSUER",
    meaning: "The ID of the client that the service is at the identity provider.",
    example: "countersign",
    parse: clientId
  }),
  clientSecret: setting({
    name: "COUNTERSIGN_OIDC_CLIENT_SECRET",
    default: undefined,
    shown: "none; required with COUNTERSIGN_OIDC_ISSUER",
    meaning: "The secret of that client.",
    example: "the secret that the identity provider shows",
    parse: clientSecret,
    isSecret: true
  }),
  roles: setting({
    name: "COUNTERSIGN_OIDC_ROLES",
    default: undefined,
    shown: "none: only people who are known or invited sign in",
    meaning:
      "Roles by claims, as claim=value:role, separated by commas. An account with such a claim comes in as a new person.",
    example: "groups=license-admins:owner,groups=helpdesk:support",
    parse: parseClaimRules
  })
}

/** Reads the settings of the identity provider; undefined where none is set. Incomplete ones are reported. */
export const readOpenId = Effect.fnUntraced(function*(reading: SettingReading) {
  const { clientId, clientSecret, issuer, roles } = yield* reading.readTable(openIdTable)
  if (issuer === undefined) {
    for (const [row, value] of [[openIdTable.clientId, clientId], [openIdTable.roles, roles]] as const) {
      if (value !== undefined && !reading.isReported(openIdTable.issuer)) {
        reading.report(row, `does nothing without ${openIdTable.issuer.name}`)
      }
    }
    return undefined
  }
  for (const [row, value] of [[openIdTable.clientId, clientId], [openIdTable.clientSecret, clientSecret]] as const) {
    if (value === undefined && !reading.isReported(row)) {
      reading.report(row, `is required with ${openIdTable.issuer.name}`)
    }
  }
  return clientId === undefined || clientSecret === undefined
    ? undefined
    : { issuer, clientId, clientSecret, rules: roles ?? [] } satisfies OpenIdConnectSettings
})
