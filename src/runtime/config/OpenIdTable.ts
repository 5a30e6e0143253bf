import { Effect, Redacted, Result } from "effect"
import { emptyClaimsOf, parseClaimRules } from "../../domain/people/ClaimRules.ts"
import type { OpenIdConnectSettings } from "../../services/ground/platform/Settings.ts"
import { setting } from "./Setting.ts"
import type { SettingReading } from "./Setting.ts"
import { isLoopback } from "./SettingParsers.ts"

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

/** Names of claims, separated by commas, or `none`. */
const claimNames = (value: string): Result.Result<ReadonlyArray<string>, string> => {
  const names = value.split(",").map((name) => name.trim()).filter((name) => name !== "")
  return names.length === 0
    ? Result.fail("must be names of claims, separated by commas, or none")
    : Result.succeed(names.length === 1 && names[0] === "none" ? [] : names)
}

const signOutPlace = (value: string): Result.Result<"provider" | "service", string> =>
  value === "provider" || value === "service"
    ? Result.succeed(value)
    : Result.fail(`must be provider or service, not "${value}"`)

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
  }),
  emptyClaims: setting({
    name: "COUNTERSIGN_OIDC_EMPTY_CLAIMS",
    default: undefined,
    shown: "those of the rules at Entra, Keycloak and Okta, none at others",
    meaning:
      "The claims of COUNTERSIGN_OIDC_ROLES that the provider omits where they are empty: an account without one loses its roles. none: an omitted claim takes no role.",
    example: "groups",
    parse: claimNames
  }),
  signOut: setting({
    name: "COUNTERSIGN_OIDC_SIGN_OUT",
    default: "provider" as const,
    meaning:
      "Where a person signs out: at the provider, too, if it takes sign-outs (RP-initiated logout), or at this service alone.",
    example: "service",
    parse: signOutPlace
  })
}

/** Reads the settings of the identity provider; undefined where none is set. Incomplete ones are reported. */
export const readOpenId = Effect.fnUntraced(function*(reading: SettingReading) {
  const { clientId, clientSecret, emptyClaims, issuer, roles, signOut } = yield* reading.readTable(openIdTable)
  if (issuer === undefined) {
    for (
      const [row, value] of [
        [openIdTable.clientId, clientId],
        [openIdTable.roles, roles],
        [openIdTable.emptyClaims, emptyClaims]
      ] as const
    ) {
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
  const rules = roles ?? []
  const unruled = emptyClaims?.find((name) => !rules.some(({ claim }) => claim === name))
  if (unruled !== undefined) reading.report(openIdTable.emptyClaims, `names ${unruled}, which no rule has`)
  return clientId === undefined || clientSecret === undefined
    ? undefined
    : {
      issuer,
      clientId,
      clientSecret,
      rules,
      emptyClaims: emptyClaims ?? emptyClaimsOf(issuer, rules),
      signsOutThere: signOut === "provider"
    } satisfies OpenIdConnectSettings
})
