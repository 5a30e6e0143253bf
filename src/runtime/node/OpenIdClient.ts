import { Redacted } from "effect"
import type { ClientAuth, Configuration, CustomFetch, ServerMetadata } from "openid-client"
import type { Claims } from "../../domain/people/ClaimRules.ts"
import { callbackPath } from "../../domain/people/SignInFlow.ts"
import type { OpenIdConnectSettings } from "../../services/ground/platform/Settings.ts"
import type { EndedThere, SignInSecrets } from "../../services/people/IdentityProvider.ts"
import { signatureAlgorithms, toleranceSeconds, verifyJwt } from "./JwtSignatures.ts"
import type { Jose, PublishedKeys } from "./JwtSignatures.ts"
import {
  ask,
  askJson,
  clientProblem,
  isClientRefused,
  NotAnswered,
  otherIssuerIn,
  patienceSeconds,
  Unusable,
  unusable
} from "./OpenIdRequests.ts"

type Library = typeof import("openid-client")

/** How long what a provider says of itself is believed, in milliseconds. Its keys are read for each sign-in. */
const keptMillis = 10 * 60_000

/** How soon keys are read again because a logout token names one that is not among them, in milliseconds. */
const newerMillis = 10_000

/** The ways to show a client secret that this service has, the one that is tried first before the other. */
const secretMethods = ["client_secret_basic", "client_secret_post"] as const

const isSigned = (algorithm: string): boolean => signatureAlgorithms.includes(algorithm)

const isSameButSlash = (one: string, other: string): boolean => one.replace(/\/$/, "") === other.replace(/\/$/, "")

/** A description, where a sign-in can be done by it. */
const usable = (issuer: string, metadata: ServerMetadata): ServerMetadata => {
  const algorithms = (metadata.id_token_signing_alg_values_supported ?? ["RS256"]).filter(isSigned)
  if (algorithms.length === 0) throw new Unusable(`${issuer} signs ID tokens by no algorithm that can be verified`)
  for (const endpoint of ["authorization_endpoint", "token_endpoint", "jwks_uri"] as const) {
    if (metadata[endpoint] === undefined) throw new Unusable(`${issuer} names no ${endpoint}`)
  }
  const methods = metadata.token_endpoint_auth_methods_supported
  if (methods !== undefined && !secretMethods.some((method) => methods.includes(method))) {
    throw new Unusable(
      `${issuer} takes a client secret by neither ${
        secretMethods.join(" nor ")
      }: allow one of them for this client there`
    )
  }
  return { ...metadata, id_token_signing_alg_values_supported: algorithms }
}

/** Reads how a provider describes itself, under its issuer with or without the slash at the end. */
const makeDiscovery = (library: Library, issuer: string, clientId: string) => {
  const isInsecure = issuer.startsWith("http:")
  const describe = (named: string) =>
    library.discovery(new URL(named), clientId, undefined, library.None(), {
      timeout: patienceSeconds,
      [library.customFetch]: ask satisfies CustomFetch,
      ...(isInsecure ? { execute: [library.allowInsecureRequests] } : {})
    })
  return async (): Promise<ServerMetadata> => {
    const found = await describe(issuer).catch(async (cause: unknown) => {
      const named = otherIssuerIn(cause)
      if (named !== undefined && isSameButSlash(named, issuer)) return describe(named)
      throw cause
    }).catch((cause: unknown) => {
      const named = otherIssuerIn(cause)
      throw new Unusable(
        unusable(cause) ?? (named === undefined
          ? `${issuer} is not described as an issuer there: ${cause instanceof Error ? cause.message : ""}`
          : `${issuer} names itself ${named}: set COUNTERSIGN_OIDC_ISSUER to that, if it is the one that is meant`),
        { cause }
      )
    })
    const { supportsPKCE: _supportsPkce, ...metadata } = found.serverMetadata()
    // An issuer of many, such as Entra's "common", vouches for tenants that are none of ours.
    if (!isSameButSlash(new URL(metadata.issuer).href, new URL(issuer).href)) {
      throw new Unusable(`${issuer} names itself ${metadata.issuer}`)
    }
    return usable(issuer, metadata)
  }
}

const isKey = (value: unknown): value is PublishedKeys["keys"][number] =>
  typeof value === "object" && value !== null && "kty" in value && typeof value.kty === "string"

/** The keys of a provider, as it publishes them now. */
const readKeys = async ({ jwks_uri = "" }: ServerMetadata): Promise<PublishedKeys> => {
  const set = await askJson(jwks_uri)
  const keys = typeof set === "object" && set !== null && "keys" in set && Array.isArray(set.keys) ? set.keys : []
  return { keys: keys.filter(isKey) }
}

/** Makes the readings of a provider: its description of itself, and its keys. */
const makeDescription = (library: Library, issuer: string, clientId: string) => {
  const discover = makeDiscovery(library, issuer, clientId)
  let known: { readonly metadata: ServerMetadata; readonly until: number } | undefined
  let asked: Promise<ServerMetadata> | undefined
  let kept: { readonly keys: PublishedKeys; readonly readAt: number } | undefined

  const keys = async (metadata: ServerMetadata, now: number): Promise<PublishedKeys> => {
    const read = await readKeys(metadata)
    kept = { keys: read, readAt: now }
    return read
  }

  return {
    discover,
    /** The description is forgotten: it may have changed. */
    forget: () => (known = undefined),
    /** The provider's description of itself, which may be a few minutes old. */
    metadata: async (now: number): Promise<ServerMetadata> => {
      if (known !== undefined && known.until >= now) return known.metadata
      // One question for all who begin meanwhile: a provider that is slow is not asked by each of them.
      asked ??= discover().finally(() => (asked = undefined))
      const found = await asked
      known = { metadata: found, until: now + keptMillis }
      return found
    },
    keys,
    /** The keys, some minutes old at most: strangers who send logout tokens do not have the provider asked for each of them. */
    keptKeys: async (metadata: ServerMetadata, now: number): Promise<PublishedKeys> =>
      kept !== undefined && kept.readAt > now - keptMillis ? kept.keys : keys(metadata, now),
    /** The keys, read anew because one is not among them; undefined where they were a moment ago. */
    newerKeys: async (metadata: ServerMetadata, now: number): Promise<PublishedKeys | undefined> =>
      kept !== undefined && kept.readAt > now - newerMillis ? undefined : keys(metadata, now)
  }
}

/** How long a subject, and the name of a session, may be, in characters (OpenID Connect Core 2). */
const longestSubject = 255

/** The longest ID token that is sent along in the address of a sign-out, in characters: servers refuse longer addresses. */
const longestHint = 4000

/** How far ahead a logout token may end, in seconds: it is remembered so long, so that it is good once. */
const longestLogout = 24 * 60 * 60

/** The event that makes a JWT a logout token (OpenID Connect Back-Channel Logout 1.0, 2.4). */
const logoutEvent = "http://schemas.openid.net/event/backchannel-logout"

/** The libraries of a client. */
export interface Libraries {
  readonly library: typeof import("openid-client")
  readonly jose: Jose
}

/** The address that the provider sends browsers back to. */
const redirectUri = (publicUrl: string): string => publicUrl + callbackPath

/** The scopes that claims may come by: the claim itself, and the outer one of a path. */
const scopesFor = ({ scopes_supported = [] }: ServerMetadata, { rules }: OpenIdConnectSettings): string =>
  ["openid", "profile", "email", ...new Set(rules.flatMap(({ claim }) => [claim, claim.split(".")[0]!]))]
    .filter((scope, index, all) =>
      all.indexOf(scope) === index && (scope === "openid" || scopes_supported.length === 0
        ? index < 3
        : scopes_supported.includes(scope))
    )
    .join(" ")

/**
 * How a provider is told to ask which account it is; undefined where it knows no such way. Of those that do not say what they know, each must
 * know `login` (OpenID Connect Core 15.1), and many refuse `select_account`; Google knows this one alone.
 */
export const promptFor = (
  { issuer, prompt_values_supported: known }: { readonly issuer: string; readonly prompt_values_supported?: unknown }
): string | undefined => {
  if (Array.isArray(known)) return ["select_account", "login"].find((prompt) => known.includes(prompt))
  return /^https:\/\/(accounts\.google\.com|login\.microsoftonline\.(com|us))(\/|$)/.test(issuer)
    ? "select_account"
    : "login"
}

const isRecord = (value: unknown): value is Claims =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const textIn = (claims: Claims, name: string): string | undefined => {
  const value = claims[name]
  if (value === undefined) return undefined
  if (typeof value !== "string" || value === "" || value.length > longestSubject) {
    throw new RangeError(`${name} is no text of 1 to ${longestSubject} characters`)
  }
  return value
}

/** The ways to show the client secret that the provider takes, the one that has worked before the other. */
const makeClientAuth = ({ library }: Libraries, { clientSecret }: OpenIdConnectSettings) => {
  let worked: typeof secretMethods[number] | undefined
  const secret = Redacted.value(clientSecret)
  const ways: Readonly<Record<typeof secretMethods[number], () => ClientAuth>> = {
    client_secret_basic: () => library.ClientSecretBasic(secret),
    client_secret_post: () => library.ClientSecretPost(secret)
  }
  /** Does what shows the secret, and once more by the other way where the provider does not take the client by the first. */
  return async <A>(metadata: ServerMetadata, work: (auth: ClientAuth) => Promise<A>): Promise<A> => {
    // A provider that names no ways takes the first (OpenID Connect Discovery 3); those that take both may want one of a client.
    const named = metadata.token_endpoint_auth_methods_supported ?? secretMethods
    const offered = secretMethods.filter((method) => named.includes(method))
    const [first = secretMethods[0], second] = worked === "client_secret_post" ? offered.toReversed() : offered
    const by = async (method: typeof secretMethods[number]): Promise<A> => {
      const done = await work(ways[method]())
      worked = method
      return done
    }
    return by(first).catch((error: unknown) => {
      if (second === undefined || !isClientRefused(error)) throw error
      return by(second)
    })
  }
}

/** The claims of a logout token whose signature is good, as the standard judges them (2.6). */
const endedBy = (payload: Claims, typ: unknown, now: number): EndedThere => {
  if (typ !== undefined && !/^(application\/)?(logout\+)?jwt$/i.test(String(typ))) throw new RangeError("typ")
  const events = payload["events"]
  if (!isRecord(events) || !isRecord(events[logoutEvent])) throw new RangeError("events")
  // With a nonce it is an ID token.
  if (payload["nonce"] !== undefined) throw new RangeError("nonce")
  const [subject, providerSession, tokenId] = [textIn(payload, "sub"), textIn(payload, "sid"), textIn(payload, "jti")]
  if (tokenId === undefined || (subject === undefined && providerSession === undefined)) throw new RangeError("sub")
  const seconds = Number(payload["exp"]) - Math.floor(now / 1000)
  if (seconds > longestLogout || Number(payload["iat"]) > now / 1000 + toleranceSeconds) throw new RangeError("exp")
  return { issuer: String(payload["iss"]), subject, providerSession, tokenId, seconds: Math.max(0, seconds) }
}

/** Asks userinfo of an account, by the access token of its sign-in. A signed answer is verified as an ID token is. */
const makeUserinfo = ({ jose, library }: Libraries, clientId: string) =>
async (
  configuration: Configuration,
  subject: string,
  accessToken: string,
  keys: () => ReturnType<ReturnType<typeof makeDescription>["keys"]>
) => {
  const { issuer, userinfo_endpoint } = configuration.serverMetadata()
  if (userinfo_endpoint === undefined) return {}
  const asked = new Headers({ accept: "application/json, application/jwt" })
  const answer = await library
    .fetchProtectedResource(configuration, accessToken, new URL(userinfo_endpoint), "GET", null, asked)
    .catch((error: unknown) => {
      throw error instanceof library.WWWAuthenticateChallengeError ? unanswered(error.status) : error
    })
  if (answer.status !== 200) throw unanswered(answer.status)
  const isJwt = /^application\/jwt\b/i.test(answer.headers.get("content-type") ?? "")
  const claims: unknown = isJwt
    ? (await verifyJwt(jose, await answer.text(), await keys(), {})).payload
    : await answer.json().catch(() => undefined)
  if (!isRecord(claims)) throw new NotAnswered(`${userinfoWords} sends no JSON and no signed JWT. ${userinfoHelp}`)
  const audiences = [claims["aud"] ?? []].flat()
  if (claims["sub"] !== subject) throw new RangeError("Userinfo is of another account.")
  if (isJwt && ((claims["iss"] ?? issuer) !== issuer || (audiences.length > 0 && !audiences.includes(clientId)))) {
    throw new RangeError("Userinfo is of another issuer or for another client.")
  }
  return claims
}

const userinfoWords = "The user info endpoint of the identity provider, which is asked for claims that give roles,"
const userinfoHelp = "Have the provider send these claims in the ID token."
const unanswered = (status: number) => new NotAnswered(`${userinfoWords} answers ${status}. ${userinfoHelp}`)

/** Makes a client of the provider that is configured. */
export const makeClient = (libraries: Libraries, settings: OpenIdConnectSettings, publicUrl: string) => {
  const { jose, library } = libraries
  const { clientId, issuer } = settings
  const description = makeDescription(library, issuer, clientId)
  const withSecret = makeClientAuth(libraries, settings)
  const userinfo = makeUserinfo(libraries, clientId)

  const configured = (metadata: ServerMetadata, auth?: ClientAuth): Configuration => {
    const client = { [library.clockTolerance]: toleranceSeconds }
    const configuration = new library.Configuration(metadata, clientId, client, auth)
    configuration.timeout = patienceSeconds
    configuration[library.customFetch] = ask
    if (issuer.startsWith("http:")) library.allowInsecureRequests(configuration)
    return configuration
  }

  const begin = async (
    { nonce, state, verifier }: SignInSecrets,
    { asksAccount }: { readonly asksAccount: boolean },
    now: number
  ) => {
    const metadata = await description.metadata(now)
    const prompt = asksAccount ? promptFor(metadata) : undefined
    return library.buildAuthorizationUrl(configured(metadata), {
      redirect_uri: redirectUri(publicUrl),
      scope: scopesFor(metadata, settings),
      state,
      nonce,
      code_challenge: await library.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
      ...(prompt === undefined ? {} : { prompt })
    }).href
  }

  const finish = async (query: string, { nonce, state, verifier }: SignInSecrets, now: number) => {
    const metadata = await description.metadata(now)
    const back = new URL(`${redirectUri(publicUrl)}?${query}`)
    const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true }
    const tokens = await withSecret(
      metadata,
      (auth) => library.authorizationCodeGrant(configured(metadata, auth), back, checks)
    )
    const keys = () => description.keys(metadata, now)
    const idToken = tokens.id_token!
    // Also where the token came straight from the provider: the issuer's signature, and no proxy's word.
    await verifyJwt(jose, idToken, await keys(), { issuer: metadata.issuer, audience: clientId })
    const token = tokens.claims()!
    // The library asks for it where there are several audiences, and the specification wherever it is.
    if (token["azp"] !== undefined && token["azp"] !== clientId) throw new RangeError("The token is of another client.")
    if (token.sub === "" || token.sub.length > longestSubject) throw new RangeError("The subject is empty or too long.")
    return {
      issuer: token.iss,
      subject: token.sub,
      claims: token as Claims,
      // A longer one would make an address that servers refuse.
      idToken: idToken.length > longestHint ? "" : idToken,
      providerSession: typeof token["sid"] === "string" ? token["sid"].slice(0, longestSubject) : undefined,
      askUserinfo: () => userinfo(configured(metadata), token.sub, tokens.access_token, keys)
    }
  }

  const logout = async (token: string, now: number): Promise<EndedThere> => {
    const metadata = await description.metadata(now)
    const expected = {
      algorithms: metadata.id_token_signing_alg_values_supported ?? [],
      issuer: metadata.issuer,
      audience: clientId,
      requiredClaims: ["iat", "exp", "jti"]
    }
    const keys = await description.keptKeys(metadata, now)
    const verified = await verifyJwt(jose, token, keys, expected).catch(async (error: unknown) => {
      const newer = error instanceof jose.errors.JWKSNoMatchingKey
        ? await description.newerKeys(metadata, now)
        : undefined
      if (newer === undefined) throw error
      return verifyJwt(jose, token, newer, expected)
    })
    return endedBy(verified.payload, verified.protectedHeader.typ, Date.now())
  }

  /** Shows the client with a code that nobody was given: a provider that takes the client refuses the code alone. */
  const tryClient = async (metadata: ServerMetadata) => {
    const code = { code: "test", redirect_uri: redirectUri(publicUrl), code_verifier: library.randomPKCECodeVerifier() }
    await withSecret(
      metadata,
      (auth) => library.genericGrantRequest(configured(metadata, auth), "authorization_code", code)
    ).catch((error: unknown) => {
      const refused = error instanceof library.ResponseBodyError ? error.error : undefined
      if (isClientRefused(error) || refused === "unauthorized_client") throw new Unusable(clientProblem(issuer))
      if (refused === undefined) throw error
    })
  }

  const test = async (now: number) => {
    const metadata = await description.discover()
    const { keys } = await description.keys(metadata, now).catch((cause: unknown) => {
      throw new Unusable(cause instanceof Error ? cause.message : "", { cause })
    })
    if (keys.length === 0) throw new Unusable(`${String(metadata.jwks_uri)} has no keys`)
    await tryClient(metadata)
  }

  return {
    forget: description.forget,
    begin,
    finish,
    logout,
    test,
    signOutAt: async (idToken: string, returnTo: string, now: number) => {
      const metadata = await description.metadata(now)
      return metadata.end_session_endpoint === undefined
        ? undefined
        : library.buildEndSessionUrl(configured(metadata), {
          post_logout_redirect_uri: returnTo,
          ...(idToken === "" ? {} : { id_token_hint: idToken })
        }).href
    }
  }
}
