import { Context, Data, Effect, Layer, Metric } from "effect"
import type { Credentials } from "../../../domain/sales/billing/ConnectionSecrets.ts"
import type { Provider } from "../../../domain/sales/providers/Provider.ts"
import { mayBeOf, otherMode } from "../../../domain/sales/reconciling/KeyMode.ts"
import type { ReadAnswer } from "../../../domain/sales/reconciling/ProviderApi.ts"
import { providerApis } from "../../../domain/sales/reconciling/ProviderApis.ts"
import { CurrentEnvironment } from "../../ground/environments/CurrentEnvironment.ts"
import { fromStartBy } from "../../ground/platform/SeriesFromStart.ts"
import { Settings } from "../../ground/platform/Settings.ts"
import { parseRetryAfter, ProviderHttp } from "../../ground/platform/Transport.ts"
import type { HttpAnswer } from "../../ground/platform/Transport.ts"

/** The reasons why nothing was read. */
const reasons = ["no_api_key", "api_key_refused", "not_found", "rate_limited", "unavailable", "unreadable"] as const

const outcomes = ["read", ...reasons] as const

const counted = fromStartBy(outcomes, (outcome) =>
  Metric.counter("countersign_billing_reads_total", {
    description: "Requests to the APIs of payment providers, by what came of them.",
    incremental: true,
    attributes: { outcome }
  }))

/** Nothing was read from the API of a provider. */
export class NotRead extends Data.TaggedError("NotRead")<{
  readonly code: typeof reasons[number]
  /** For the vendor. It has nothing of the answer in it but its status. */
  readonly message: string
  /** How long the provider asks to wait, in milliseconds. */
  readonly retryAfter?: number | undefined
}> {
  /** Whether another try could come to something else. */
  get mayPass(): boolean {
    return this.code === "rate_limited" || this.code === "unavailable" || this.code === "unreadable"
  }
}

const notRead = (code: NotRead["code"], message: string, retryAfter?: number): NotRead =>
  new NotRead({ code, message, retryAfter })

const text = new TextDecoder()

const parsed = (body: Uint8Array): unknown => {
  try {
    return JSON.parse(text.decode(body))
  } catch {
    return undefined
  }
}

/** The reason why an answer is none to read from; undefined of one that is. */
const refusalOf = ({ headers, status }: HttpAnswer, now: number): NotRead | undefined => {
  const later = parseRetryAfter(headers["retry-after"], now)
  if (status === 200) return undefined
  if (status === 401 || status === 403) {
    return notRead("api_key_refused", `The provider refused the API key (${status}).`)
  }
  if (status === 404) return notRead("not_found", "The provider does not know it (404).")
  if (status === 429) return notRead("rate_limited", "The provider asks to come again later (429).", later)
  return status >= 500
    ? notRead("unavailable", `The provider failed (${status}).`, later)
    : notRead("unreadable", `The response of the provider was ${status}.`)
}

/** A question to a provider. */
export interface ProviderQuestion {
  readonly provider: Provider
  readonly credentials: Credentials
  readonly path: string
  /** How long it may take, in milliseconds. */
  readonly patienceMillis: number
}

/** Reads the objects of payment providers by their APIs. */
export class ProviderReader extends Context.Service<ProviderReader, {
  /** Reads one path: the events that tell what stands there, and what is to be read next. */
  readonly read: (question: ProviderQuestion) => Effect.Effect<ReadAnswer, NotRead>
}>()("countersign/services/sales/billing/ProviderReader") {
  static readonly layer = Layer.effect(
    ProviderReader,
    Effect.gen(function*() {
      const http = yield* ProviderHttp
      const isLive = (yield* CurrentEnvironment) === "live"
      const { providerApiUrl } = yield* Settings

      /** Where a path of a provider's API is: at the provider, or where the operator says. */
      const urlOf = (provider: Provider, key: string, path: string) => {
        const own = providerApis[provider].origin(key)
        return own === undefined
          ? undefined
          : providerApiUrl === undefined
          ? `${own}${path}`
          : `${providerApiUrl}/${provider}${path}`
      }

      const read = Effect.fnUntraced(function*({ credentials, path, patienceMillis, provider }: ProviderQuestion) {
        const api = providerApis[provider]
        const key = credentials.api_key
        if (key === undefined) return yield* notRead("no_api_key", "The connection has no API key.")
        if (!mayBeOf(isLive, provider, key)) return yield* notRead("api_key_refused", otherMode(isLive))
        const url = urlOf(provider, key, path)
        if (url === undefined) {
          return yield* notRead("api_key_refused", "The API key is not of the form that the provider's has.")
        }
        const answer = yield* http.get({ url, headers: api.headers(key), patienceMillis }).pipe(
          Effect.mapError(({ reason }) => notRead("unavailable", `The provider could not be reached (${reason}).`))
        )
        // oxlint-disable-next-line effect/global-date -- providers tell real time, whatever the clock of the environment says
        const now = Date.now()
        const refusal = refusalOf(answer, now)
        if (refusal !== undefined) return yield* refusal
        const dated = Date.parse(answer.headers["date"] ?? "")
        const json = parsed(answer.body)
        if ((api.isLiveIn(json) ?? isLive) !== isLive) return yield* notRead("api_key_refused", otherMode(isLive))
        const found = api.read(path, json, Number.isNaN(dated) ? now : dated)
        return found ?? (yield* notRead("unreadable", "The response of the provider is not one of its API."))
      })

      return ProviderReader.of({
        read: (question) =>
          read(question).pipe(
            Effect.tap(() => Metric.update(counted.read, 1)),
            Effect.tapError(({ code }) => Metric.update(counted[code], 1)),
            Effect.withTracerEnabled(false)
          )
      })
    })
  )
}
