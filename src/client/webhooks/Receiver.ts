import { cursorOf, readCursor } from "../../domain/events/EpochPlace.ts"
import type { Event } from "../api/types.gen.ts"
import { isCountersignError } from "../transport/CountersignError.ts"
import { DeliveryError, verifyDelivery } from "../verify/verifyDelivery.ts"
import type { DeliveryHeaders } from "../verify/verifyDelivery.ts"
import type { CountersignEvent } from "./CountersignEvent.ts"
import { memoryInbox } from "./Inbox.ts"
import type { Inbox } from "./Inbox.ts"

/** Where an event came from. */
export interface Arrival {
  /** `delivery`: a webhook. `feed`: read from the event feed, because no delivery of it came. */
  readonly source: "delivery" | "feed"
  /** The position in the feed. */
  readonly cursor: number
  /** Of a delivery; the same each time it is repeated. */
  readonly deliveryId?: string
}

/** A page of the feed. */
interface FeedPage {
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
  readonly secrets: string | ReadonlyArray<string> | (() => Promise<string | ReadonlyArray<string>>)
  /** What an event means to you. When it rejects, the service delivers again. */
  readonly handle: (event: CountersignEvent, arrival: Arrival) => unknown
  /** What is remembered. Default: {@link memoryInbox}. */
  readonly inbox?: Inbox
  /** What fills gaps: a client with a token of the scope `event:read`. */
  readonly feed?: Feed
  /** The `event_types` of the endpoint, so that what the feed has of other types is passed over. Default: all. */
  readonly types?: ReadonlyArray<string>
  /** How long a missing delivery may come by itself before the feed is asked, in milliseconds. Default: 30 s. */
  readonly patienceMs?: number
  /** How large a body may be, in bytes. Default: 1 MiB. */
  readonly maxBytes?: number
  /** How old or how far ahead a delivery may be, in seconds. Default: 300. */
  readonly tolerance?: number
  /** Told of what goes wrong: handlers that reject, and healing that fails. */
  readonly onError?: (error: unknown) => void
  /**
   * Told when the feed goes on elsewhere than it ended: `restored`, the log was restored to an earlier state, and what you
   * have after the place that `detail` names is lost; `archived`, what is missing is in the vendor's archive only.
   */
  readonly onJump?: (jump: { readonly reason: "restored" | "archived"; readonly detail: string }) => unknown
}

/** What to answer a delivery. */
export interface ReceiverAnswer {
  readonly status: 204 | 400 | 405 | 413 | 500
  readonly body: string
}

const jumps = {
  CURSOR_AHEAD: "restored",
  CURSOR_BEHIND: "archived"
} as const

/** A receiver of webhooks, for any server; see `fetchHandler`, `expressHandler` and `fastifyPlugin`. */
export class Receiver {
  readonly maxBytes: number
  readonly #options: ReceiverOptions
  readonly #inbox: Inbox
  #timer: ReturnType<typeof setTimeout> | undefined
  #healing: Promise<void> | undefined
  /** Places are read and written one after the other. */
  #placing: Promise<unknown> = Promise.resolve()

  constructor(options: ReceiverOptions) {
    this.#options = options
    this.#inbox = options.inbox ?? memoryInbox()
    this.maxBytes = options.maxBytes ?? 1_048_576
  }

  /** Takes one delivery: its body exactly as it arrived, and its headers. Answers what to answer; never rejects. */
  async receive(rawBody: string | Uint8Array, headers: DeliveryHeaders): Promise<ReceiverAnswer> {
    const { handle, onError, secrets, tolerance } = this.#options
    if ((typeof rawBody === "string" ? rawBody.length : rawBody.byteLength) > this.maxBytes) {
      return { status: 413, body: "too_large" }
    }
    try {
      const live = typeof secrets === "function" ? await secrets() : secrets
      const verified = await verifyDelivery(rawBody, headers, live, tolerance === undefined ? {} : { tolerance })
      const event = verified.event as CountersignEvent
      const cursor = cursorOf({ epoch: epochOf(headers), sequence: event.sequence })
      await this.#inbox.once(event, async () => {
        await handle(event, { source: "delivery", cursor, deliveryId: verified.deliveryId })
      })
      await this.#note(cursor)
      return { status: 204, body: "" }
    } catch (error) {
      if (error instanceof DeliveryError) return { status: 400, body: error.code }
      onError?.(error)
      return { status: 500, body: "failed" }
    }
  }

  /**
   * Reads the feed from the place up to which nothing is missing to its end, and handles what was not. Call it when your
   * program starts; a gap in what is delivered calls it by itself. Does nothing without a feed.
   */
  heal(): Promise<void> {
    this.#healing ??= this.#read().finally(() => {
      this.#healing = undefined
    })
    return this.#healing
  }

  /** Forgets what was planned. */
  close(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  /** One change of the place after the other. */
  #place<A>(change: () => Promise<A>): Promise<A> {
    const changed = this.#placing.then(change)
    this.#placing = changed.catch(() => undefined)
    return changed
  }

  /** Moves the place on where nothing is between; otherwise the feed will be asked. */
  async #note(cursor: number): Promise<void> {
    const isGap = await this.#place(async () => {
      const place = await this.#inbox.readPlace()
      if (place !== undefined && cursor <= place) return false
      if (place !== undefined && cursor !== place + 1) return true
      await this.#inbox.writePlace(cursor)
      return false
    })
    if (!isGap || this.#options.feed === undefined || this.#timer !== undefined) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.heal().catch((error: unknown) => {
        this.#options.onError?.(error)
        // The next gap tries again.
      })
    }, this.#options.patienceMs ?? 30_000)
    // A program that has nothing else to do may end.
    if (typeof this.#timer === "object" && "unref" in this.#timer) (this.#timer as { unref: () => void }).unref()
  }

  /** The page after a place, or the place where the feed goes on instead. */
  async #ask(feed: Feed, cursor: number): Promise<FeedPage | number> {
    try {
      return await feed.events.list({ cursor, limit: 200 }).withResponse()
    } catch (error) {
      if (!isCountersignError(error, "CURSOR_AHEAD", "CURSOR_BEHIND")) throw error
      const [, onward] = /cursor=(\d+)/.exec(error.detail ?? "") ?? []
      if (onward === undefined) throw error
      await this.#options.onJump?.({ reason: jumps[error.code], detail: error.detail ?? "" })
      return Number(onward)
    }
  }

  async #read(): Promise<void> {
    const { feed, handle, types } = this.#options
    if (feed === undefined) return
    let place = await this.#inbox.readPlace()
    // Nothing was ever delivered here: there is no gap.
    if (place === undefined) return
    for (;;) {
      const page: FeedPage | number = await this.#ask(feed, place)
      if (typeof page === "number") {
        place = page
        continue
      }
      const next: number = Number(page.page_info.next_cursor ?? place)
      const { epoch } = readCursor(next)
      for (const { created_at, data, event_type, id, sequence } of page.data) {
        if (types !== undefined && types.length > 0 && !types.includes(event_type)) continue
        const event = { id, type: event_type, event_type, sequence, created_at, data } as CountersignEvent
        const cursor = cursorOf({ epoch, sequence })
        await this.#inbox.once(event, async () => {
          await handle(event, { source: "feed", cursor })
        })
      }
      await this.#place(() => this.#inbox.writePlace(next))
      place = next
      if (!page.page_info.has_more) return
    }
  }
}

/** The epoch of a delivery; 1 until the log is restored. */
const epochOf = (headers: DeliveryHeaders): number => {
  const name = "x-service-event-epoch"
  const found = headers instanceof Headers
    ? headers.get(name)
    : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  const epoch = Number(found ?? 1)
  return Number.isSafeInteger(epoch) && epoch >= 1 ? epoch : 1
}
