import { Clock, Effect, Layer, Redacted } from "effect"
import type { Configuration, CustomFetch, ServerMetadata } from "openid-client"
import type { Claims } from "../../domain/people/ClaimRules.ts"
import { callbackPath } from "../../domain/people/SignInFlow.ts"
import { AnswerRefused, IdentityProvider, ProviderAway } from "../../services/people/IdentityProvider.ts"
import type { SignInSecrets } from "../../services/people/IdentityProvider.ts"
import { Settings } from "../../services/platform/Settings.ts"
import type { OpenIdConnectSettings } from "../../services/platform/Settings.ts"

/** How long one request to the provider may take, in seconds. */
const patienceSeconds = 10

/** How large one of its answers may be, in bytes. */
const largestAnswer = 1024 * 1024

/** How long what a provider says of itself is believed, in milliseconds. Its keys are read for each sign-in. */
const keptMillis = 10 * 60_000

/** How long a subject may be, in characters (OpenID Connect Core 2). */
const longestSubject = 255

/** By how much the clocks of provider and service may differ, in seconds. */
const toleranceSeconds = 30

/** Signatures that need the provider's private key. `none` needs nothing, and HS256 what several may have. */
const isSigned = (algorithm: string): boolean => /^((RS|PS|ES)(256|384|512)|EdDSA|Ed25519)$/.test(algorithm)

type Library = typeof import("openid-client")

/** A provider that does not answer as one. The library wraps it, as a cause. */
class Unusable extends Error {}

/** The reason why the provider cannot be used; undefined where it was the answer that is not good. */
const unusable = (error: unknown): string | undefined => {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof Unusable) return cause.message
  }
  return undefined
}

const ask: CustomFetch = async (url, options) => {
  const { host } = new URL(url)
  const failed = (problem: string, cause?: unknown) => new Unusable(`${host} ${problem}`, { cause })
  const answer = await fetch(url, options as RequestInit).catch((cause: unknown) => {
    throw failed("does not respond", cause)
  })
  if (answer.status >= 500 || answer.status === 429) throw failed(`answers ${answer.status}`)
  const chunks: Array<Uint8Array> = []
  let size = 0
  try {
    for await (const chunk of answer.body ?? []) {
      size += chunk.length
      if (size > largestAnswer) throw failed("sends too much")
      chunks.push(chunk)
    }
  } catch (cause) {
    throw cause instanceof Unusable ? cause : failed("breaks off its response", cause)
  }
  const isBodiless = [204, 205, 304].includes(answer.status)
  return new Response(isBodiless ? null : Buffer.concat(chunks), { status: answer.status, headers: answer.headers })
}

/** An error of the library as a sentence for the person who signs in. */
const refusalOf = (error: unknown): string => {
  const { code, error: declined } = error as { readonly code?: unknown; readonly error?: unknown }
  if (declined === "access_denied") return "The identity provider says that the sign-in was canceled or denied."
  if (typeof declined === "string" && /^[\x21-\x7e]{1,64}$/.test(declined)) {
    return `The identity provider refuses the sign-in: ${declined}.`
  }
  const why = typeof code === "string" ? ` (${code})` : ""
  return `The response of the identity provider is not valid for this sign-in${why}. Begin again.`
}

/** The address that the provider sends browsers back to. */
const redirectUri = (publicUrl: string): string => publicUrl + callbackPath

const scopesFor = ({ scopes_supported = [] }: ServerMetadata, { rules }: OpenIdConnectSettings): string =>
  ["openid", "profile", "email", ...new Set(rules.map(({ claim }) => claim))]
    .filter((scope, index, all) =>
      all.indexOf(scope) === index && (scope === "openid" || scopes_supported.length === 0
        ? index < 3
        : scopes_supported.includes(scope))
    )
    .join(" ")

/** Makes a client of the provider that is configured. */
const makeClient = (library: Library, settings: OpenIdConnectSettings, publicUrl: string) => {
  const { clientId, clientSecret, issuer, rules } = settings
  const isInsecure = issuer.startsWith("http:")
  let known: { readonly metadata: ServerMetadata; readonly until: number } | undefined
  let asked: Promise<ServerMetadata> | undefined

  const prepare = (configuration: Configuration): Configuration => {
    configuration.timeout = patienceSeconds
    configuration[library.customFetch] = ask
    if (isInsecure) library.allowInsecureRequests(configuration)
    // Also where the token came straight from the provider: the issuer's signature, and no proxy's word.
    library.enableNonRepudiationChecks(configuration)
    return configuration
  }

  const discover = async (): Promise<ServerMetadata> => {
    const found = await library.discovery(new URL(issuer), clientId, undefined, library.None(), {
      timeout: patienceSeconds,
      [library.customFetch]: ask,
      ...(isInsecure ? { execute: [library.allowInsecureRequests] } : {})
    }).catch((cause: unknown) => {
      throw new Unusable(
        unusable(cause) ??
          `${issuer} is not described as an issuer there: ${cause instanceof Error ? cause.message : ""}`,
        { cause }
      )
    })
    const { supportsPKCE: _supportsPkce, ...metadata } = found.serverMetadata()
    // An issuer of many, such as Entra's "common", vouches for tenants that are none of ours.
    if (new URL(metadata.issuer).href !== new URL(issuer).href) {
      throw new Unusable(`${issuer} names itself ${metadata.issuer}`)
    }
    const algorithms = (metadata.id_token_signing_alg_values_supported ?? ["RS256"]).filter(isSigned)
    if (algorithms.length === 0) throw new Unusable(`${issuer} signs ID tokens by no algorithm that can be verified`)
    return { ...metadata, id_token_signing_alg_values_supported: algorithms }
  }

  /** The provider's description of itself, which may be a few minutes old. */
  const metadata = async (now: number): Promise<ServerMetadata> => {
    if (known !== undefined && known.until >= now) return known.metadata
    // One question for all who begin meanwhile: a provider that is slow is not asked by each of them.
    asked ??= discover().finally(() => (asked = undefined))
    const found = await asked
    known = { metadata: found, until: now + keptMillis }
    return found
  }

  /** A configuration for one sign-in, so that keys that the provider has changed are read again. */
  const configured = async (now: number): Promise<Configuration> => {
    const server = await metadata(now)
    const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"]
    const secret = Redacted.value(clientSecret)
    return prepare(
      new library.Configuration(
        server,
        clientId,
        { [library.clockTolerance]: toleranceSeconds },
        methods.includes("client_secret_basic") ? library.ClientSecretBasic(secret) : library.ClientSecretPost(secret)
      )
    )
  }

  /** The claims of the ID token, and what it leaves out of those that are asked for. */
  const claimsOf = async (configuration: Configuration, token: Claims, accessToken: string): Promise<Claims> => {
    const wanted = [...(token["name"] === undefined ? ["name"] : []), ...rules.map(({ claim }) => claim)]
    if (configuration.serverMetadata().userinfo_endpoint === undefined || wanted.every((claim) => claim in token)) {
      return token
    }
    return { ...await library.fetchUserInfo(configuration, accessToken, String(token["sub"])), ...token }
  }

  return {
    discover,
    forget: () => (known = undefined),
    begin: async ({ nonce, state, verifier }: SignInSecrets, now: number) => {
      const configuration = await configured(now)
      return library.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri(publicUrl),
        scope: scopesFor(configuration.serverMetadata(), settings),
        state,
        nonce,
        code_challenge: await library.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256"
      }).href
    },
    finish: async (query: string, { nonce, state, verifier }: SignInSecrets, now: number) => {
      const configuration = await configured(now)
      const tokens = await library.authorizationCodeGrant(
        configuration,
        new URL(`${redirectUri(publicUrl)}?${query}`),
        {
          pkceCodeVerifier: verifier,
          expectedState: state,
          expectedNonce: nonce,
          idTokenExpected: true
        }
      )
      const token = tokens.claims()!
      // The library asks for it where there are several audiences, and the specification wherever it is.
      if (token["azp"] !== undefined && token["azp"] !== clientId) {
        throw new RangeError("The token is of another client.")
      }
      if (token.sub.length > longestSubject) throw new RangeError("The subject is longer than OpenID Connect allows.")
      return {
        issuer: token.iss,
        subject: token.sub,
        claims: await claimsOf(configuration, token, tokens.access_token)
      }
    }
  }
}

/** The identity provider that is configured. The library is loaded with the first sign-in, and the provider asked then. */
export const layer = Layer.effect(
  IdentityProvider,
  Effect.gen(function*() {
    const { openIdConnect, publicUrl } = yield* Settings
    if (openIdConnect === undefined) {
      const none = Effect.fail(new ProviderAway({ problem: "none is configured" }))
      return IdentityProvider.of({ begin: () => none, finish: () => none, discover: none })
    }
    const client = yield* Effect.cached(
      Effect.map(
        Effect.promise(() => import("openid-client")),
        (library) => makeClient(library, openIdConnect, publicUrl)
      )
    )
    const asked = <A>(work: (client: ReturnType<typeof makeClient>, now: number) => Promise<A>) =>
      Effect.gen(function*() {
        const made = yield* client
        const now = yield* Clock.currentTimeMillis
        return yield* Effect.tryPromise({
          try: () => work(made, now),
          catch: (error) => {
            // Its description of itself may have changed; not where it has answered by it that it refuses.
            if ((error as { readonly error?: unknown }).error === undefined) made.forget()
            const problem = unusable(error)
            return problem === undefined
              ? new AnswerRefused({ problem: refusalOf(error) })
              : new ProviderAway({ problem })
          }
        })
      })
    const away = ({ problem }: AnswerRefused | ProviderAway) => new ProviderAway({ problem })
    return IdentityProvider.of({
      begin: (secrets) => Effect.mapError(asked((client, now) => client.begin(secrets, now)), away),
      finish: (query, secrets) => asked((client, now) => client.finish(query, secrets, now)),
      discover: Effect.asVoid(Effect.mapError(asked((client) => client.discover()), away))
    })
  })
)
