import { Context, Data } from "effect"
import type { Effect } from "effect"
import type { TransportError } from "./Transport.ts"

/** An answer that was read whole. Header names are in lower case. */
export interface HttpAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Uint8Array
}

/** There was no answer within the limits of time and size. */
export class NoAnswer extends Data.TaggedError("NoAnswer")<{ readonly reason: TransportError | "too_large" }> {}

/** One GET. */
export interface HttpQuestion {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** How long the whole of it may take, in milliseconds. */
  readonly patienceMillis: number
}

/**
 * Reads from the APIs of payment providers, and from identity providers that licenses trust. Whatever a URL leads to, only addresses are connected to that deliveries may
 * go to as well; redirects are not followed, and bodies are bounded.
 */
export class ProviderHttp extends Context.Service<ProviderHttp, {
  readonly get: (question: HttpQuestion) => Effect.Effect<HttpAnswer, NoAnswer>
}>()("countersign/services/ground/platform/ProviderHttp") {}
