import type { Event, WebhookTestDelivery } from "../api/types.gen.ts"
import type { CountersignEvent } from "./CountersignEvent.ts"
import type { Inbox } from "./Inbox.ts"

/** Where an event came from. */
export interface Arrival {
  /** `delivery`: a webhook. `feed`: read from the event feed, because no delivery of it came. */
  readonly source: "delivery" | "feed"
  /** The position in the feed. */
  readonly cursor: number
  /** The id of the delivery; the same each time it is repeated. */
  readonly deliveryId?: string
}

/** A page of the feed. */
export interface FeedPage {
  readonly data: ReadonlyArray<Event>
  readonly page_info: { readonly next_cursor: string | null; readonly has_more: boolean }
}

/** The part of the client that fills gaps: `new Countersign({...})` of `@countersign/client` is one. */
export interface Feed {
  readonly events: {
    readonly list: (
      query: { readonly cursor?: number; readonly limit?: number }
    ) => {
      readonly withResponse: () => Promise<FeedPage>
    }
  }
}

export interface ReceiverOptions {
  /** The live secrets of the endpoint, or what gives them: during a rotation there are two. */
  readonly secrets:
    | string
    | ReadonlyArray<string>
    | (() => string | ReadonlyArray<string> | Promise<string | ReadonlyArray<string>>)
  /**
   * Your handler of events. When it rejects, the service delivers again, 13 times over about 76 hours. Healing tries
   * `maxTries` times and then goes on.
   */
  readonly handle: (event: CountersignEvent, arrival: Arrival) => unknown
  /**
   * Called with a test (`webhook.test`), which somebody sends to see whether deliveries arrive: `handle` and the inbox never see
   * one. Default: it is verified and answered 2xx. When this rejects, the test is answered 500.
   */
  readonly onTest?: (test: WebhookTestDelivery) => unknown
  /** Remembers events and the place in the feed. Default: `memoryInbox`. */
  readonly inbox?: Inbox
  /**
   * The cursor after which the feed is read where the inbox has no place yet, as at a first start: 0 for all that ever
   * happened. Default: none, and the first delivery is the beginning. With `memoryInbox`, which forgets, what is read
   * is handled again at each start.
   */
  readonly startAfter?: number
  /** Fills gaps: a client with a token of the scope `event:read`. */
  readonly feed?: Feed
  /**
   * Whether events of the test environment are taken too: only for a receiver that is there for tests. Default: false, and
   * they are refused with `environment_mismatch`, so that nothing real follows from a license that was made to try.
   */
  readonly allowTest?: boolean
  /** The `event_types` of the endpoint, so that what the feed has of other types is passed over. Default: all. */
  readonly types?: ReadonlyArray<string>
  /** How long a missing delivery may come by itself before the feed is asked, in milliseconds. Default: 30 s. */
  readonly patienceMs?: number
  /** How large a body may be, in bytes. Default: 1 MiB. */
  readonly maxBytes?: number
  /** How old or how far ahead a delivery may be, in seconds. Default: 300. */
  readonly tolerance?: number
  /**
   * Called with errors: handlers that reject, healing that fails, secrets that are none, and as a `DeliveryRefused`
   * deliveries that were not taken, as with a wrong secret; the first at once, more like it once a minute. Default:
   * `console.error`.
   */
  readonly onError?: (error: unknown) => void
  /** How often healing tries to handle an event of the feed, one after the other. Default: 3. */
  readonly maxTries?: number
  /** How long healing waits before the second try, in milliseconds; twice as long before each further one. Default: 1 s. */
  readonly retryMs?: number
  /**
   * Called with an event of the feed whose handler rejected `maxTries` times, with the last error. Keep it: the place moves on
   * past it once this has run, so that nothing behind it waits, and only a delivery brings it again. Default: `onError` is
   * told. When this rejects, healing ends, and begins with the same event again: so let it, while a database of yours is away.
   */
  readonly onFailed?: (event: CountersignEvent, error: unknown) => unknown
  /**
   * Called when the feed continues elsewhere than it ended: `restored`, the log was restored to an earlier state, and what you
   * have after the place that `detail` names is lost; `archived`, what is missing is in the vendor's archive only.
   */
  readonly onJump?: (jump: { readonly reason: "restored" | "archived"; readonly detail: string }) => unknown
}
