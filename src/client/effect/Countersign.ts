import { Config, Context, Duration, Effect, Layer, Redacted } from "effect"
import { HttpApiClient } from "effect/http-api"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import { Api } from "../../api/composition/Api.ts"
import type { ActionRequest } from "../../domain/ground/wire/Action.ts"
import { checkHeaders, newKey, normalLicenseKey, normalToken } from "../transport/Credentials.ts"
import { defaultRetry, untilDecided } from "./Retry.ts"
import type { RetrySchedule } from "./Retry.ts"

/** Where the service is, and who calls. */
export interface CountersignOptions {
  /** Where the service is, such as `https://licenses.example.com`. */
  readonly baseUrl: string | URL
  /** An API key, for every operation of management. */
  readonly token?: Redacted.Redacted | undefined
  /** A license key, for the operations of an app; {@link withLicenseKey} gives another. */
  readonly licenseKey?: Redacted.Redacted | undefined
  /** A publishable key, for trials. */
  readonly publishableKey?: Redacted.Redacted | undefined
  /** How long one attempt may take, its answer's body included. Default: 30 seconds. */
  readonly timeout?: Duration.Input | undefined
  /** When what was not decided is sent again. Default: {@link defaultRetry}. */
  readonly retry?: RetrySchedule | undefined
}

/** The license key of calls, in place of the client's own. */
const LicenseKey = Context.Reference<Redacted.Redacted | undefined>("@countersign/client/effect/LicenseKey", {
  defaultValue: () => undefined
})

/** The Idempotency-Key of a write, in place of one that is made for it. */
const IdempotencyKey = Context.Reference<string | undefined>("@countersign/client/effect/IdempotencyKey", {
  defaultValue: () => undefined
})

/** Runs an effect with the license key of an app: its runtime operations are that license's. */
export const withLicenseKey = (licenseKey: Redacted.Redacted | string) => <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Effect.provideService(self, LicenseKey, typeof licenseKey === "string" ? Redacted.make(licenseKey) : licenseKey)

/**
 * Runs one write under an Idempotency-Key of yours: the same write under the same key takes effect once, also across
 * restarts of your program, and is answered as the first time.
 */
export const withIdempotencyKey = (key: string) => <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(self, IdempotencyKey, key)

/** The ETag that a resource had when it was read. */
const IfMatch = Context.Reference<string | undefined>("@countersign/client/effect/IfMatch", {
  defaultValue: () => undefined
})

/**
 * Makes a change or a deletion of the state of a resource that you read, told by its `ETag`: `PRECONDITION_FAILED` when
 * somebody else has changed it since. A write that takes none is refused (`INVALID_HEADER`).
 */
export const withIfMatch = (etag: string) => <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(self, IfMatch, etag)

/** The options of a write beside its payload. */
const Action = Context.Reference<ActionRequest>(
  "@countersign/client/effect/Action",
  { defaultValue: () => ({}) }
)

/**
 * Says why an action is taken, for the audit: `client.licenses.revokeLicense({ params }).pipe(withReason("chargeback"))`.
 * Where the payload has a `reason`, that one is said. A write that takes none is refused (`UNKNOWN_FIELD`).
 */
export const withReason = (reason: string) => <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Action, (said) => Effect.provideService(self, Action, { ...said, reason }))

/**
 * Asks what an action would do, where it can be asked: a rotation of a key, another policy, an erasure. A write that cannot
 * be asked about is refused (`UNKNOWN_FIELD`), and does nothing.
 */
export const asDryRun = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Action, (said) => Effect.provideService(self, Action, { ...said, dry_run: true }))

/** The part of the contract that a path belongs to. */
const runtimePath = /\/api\/v1\/license\//
const trialsPath = /\/api\/v1\/license\/trials$/

const authorization = (
  { licenseKey, publishableKey, token }: CountersignOptions,
  url: string,
  own: Redacted.Redacted | undefined
): string | undefined => {
  const isRuntime = runtimePath.test(url)
  const secret = !isRuntime ? token : trialsPath.test(url) ? publishableKey : own ?? licenseKey
  if (secret === undefined) return undefined
  return isRuntime && secret !== publishableKey
    ? `License ${normalLicenseKey(Redacted.value(secret))}`
    : `Bearer ${normalToken(Redacted.value(secret), isRuntime ? "publishable key" : "token")}`
}

/**
 * The request with what is said of its action. A payload is no reason to leave that out: what was meant as a question would
 * be done.
 */
const withSaid = (request: HttpClientRequest.HttpClientRequest, said: ActionRequest) => {
  if (request.method === "GET" || Object.keys(said).length === 0) return request
  const { body } = request
  const payload: unknown = body._tag === "Uint8Array" ? JSON.parse(new TextDecoder().decode(body.body)) : undefined
  return HttpClientRequest.bodyJsonUnsafe(request, typeof payload === "object" ? { ...said, ...payload } : said)
}

/** The request of an input; a request that it cannot be sent with fails as one that cannot be encoded. */
const orUnsent = <A>(request: HttpClientRequest.HttpClientRequest, make: () => A) =>
  Effect.try({
    try: make,
    catch: (cause) =>
      new HttpClientError.HttpClientError({
        reason: new HttpClientError.EncodeError({ request, cause, description: (cause as Error).message })
      })
  })

/** The headers that name the caller, and make it safe to repeat a write. */
const prepare = (options: CountersignOptions) =>
  HttpClient.mapRequestEffect(Effect.fnUntraced(function*(request: HttpClientRequest.HttpClientRequest) {
    const own = yield* LicenseKey
    const named = yield* orUnsent(request, () => authorization(options, request.url, own))
    const key = request.method === "GET" ? undefined : (yield* IdempotencyKey) ?? newKey()
    const ifMatch = request.method === "GET" ? undefined : yield* IfMatch
    const prepared = HttpClientRequest.setHeaders(withSaid(request, yield* Action), {
      ...(named === undefined ? {} : { authorization: named }),
      ...(key === undefined || request.headers["idempotency-key"] !== undefined ? {} : { "idempotency-key": key }),
      ...(ifMatch === undefined ? {} : { "if-match": ifMatch })
    })
    yield* orUnsent(request, () => checkHeaders(prepared.headers))
    return prepared
  }))

type CamelCase<Name> = Name extends `${infer Before}-${infer After}` ? `${Before}${Capitalize<CamelCase<After>>}` : Name

type Groups = HttpApiClient.ForApi<typeof Api>

/** Every operation of the contract by its group and its operationId, as `client.licenses.createLicense`. */
export type CountersignClient = { readonly [Group in keyof Groups as CamelCase<Group>]: Groups[Group] }

const camelCase = (name: string): string => name.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** The client of an HttpClient. */
export const make = (options: CountersignOptions): Effect.Effect<CountersignClient, never, HttpClient.HttpClient> =>
  HttpApiClient.make(Api, {
    baseUrl: options.baseUrl,
    transformClient: (client) =>
      client.pipe(
        prepare(options),
        untilDecided(options.retry ?? defaultRetry, Duration.toMillis(options.timeout ?? "30 seconds"))
      )
  }).pipe(Effect.map((groups) =>
    // The entries forget which group has which name.
    Object.fromEntries(
      Object.entries(groups).map(([name, group]) => [camelCase(name), group])
    ) as unknown as CountersignClient
  ))

/**
 * The service's API as effects. Each operation is `client.<group>.<operationId>({ params, query, payload, headers })`, and
 * its error channel the union of the errors that the contract declares for it, by the tag that is their code, beside
 * `HttpClientError` (no answer came, or an `EncodeError`: what was given cannot be sent) and `SchemaError` (what came is not the service's). Writes carry an Idempotency-Key,
 * and what was not decided is sent again. Answers are whole: `{ data, meta }`, with `signature` and `page_info` where there
 * are any.
 */
export class Countersign extends Context.Service<Countersign, CountersignClient>()(
  "@countersign/client/effect/Countersign"
) {
  /** The client over an HttpClient that you give. */
  static layerHttpClient(options: CountersignOptions): Layer.Layer<Countersign, never, HttpClient.HttpClient> {
    return Layer.effect(Countersign, make(options))
  }

  /** The client over the platform's `fetch`. */
  static layer(options: CountersignOptions): Layer.Layer<Countersign> {
    return Countersign.layerHttpClient(options).pipe(Layer.provide(FetchHttpClient.layer))
  }

  /**
   * The client as the environment configures it: COUNTERSIGN_URL, and COUNTERSIGN_TOKEN, COUNTERSIGN_LICENSE_KEY and
   * COUNTERSIGN_PUBLISHABLE_KEY where they are set.
   */
  static readonly layerConfig: Layer.Layer<Countersign, Config.ConfigError> = Layer.unwrap(
    Effect.gen(function*() {
      return Countersign.layer(
        yield* Config.all({
          baseUrl: Config.String("COUNTERSIGN_URL"),
          token: Config.Redacted("COUNTERSIGN_TOKEN").pipe(Config.withDefault(undefined)),
          licenseKey: Config.Redacted("COUNTERSIGN_LICENSE_KEY").pipe(Config.withDefault(undefined)),
          publishableKey: Config.Redacted("COUNTERSIGN_PUBLISHABLE_KEY").pipe(Config.withDefault(undefined))
        })
      )
    })
  )
}
