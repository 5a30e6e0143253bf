import type { CustomFetch, ServerMetadata } from "openid-client"
import { signatureAlgorithms } from "./JwtSignatures.ts"
import type { PublishedKeys } from "./JwtSignatures.ts"
import { ask, askJson, otherIssuerIn, patienceSeconds, Unusable, unusable } from "./OpenIdRequests.ts"

type Library = typeof import("openid-client")

/** How long what a provider says of itself is believed, in milliseconds. Its keys are read for each sign-in. */
const keptMillis = 10 * 60_000

/** How soon keys are read again because a logout token names one that is not among them, in milliseconds. */
const newerMillis = 10_000

/** The ways to show a client secret that this service has, the one that is tried first before the other. */
export const secretMethods = ["client_secret_basic", "client_secret_post"] as const

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
export const makeDescription = (library: Library, issuer: string, clientId: string) => {
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
