import { cursorOf, readCursor } from "../../domain/log/EpochPlace.ts"
import { matches } from "../../domain/log/Subscription.ts"
import type { WebhookTestDelivery } from "../api/types.gen.ts"
import { isCountersignError } from "../transport/CountersignError.ts"
import { DeliveryError, liveSecrets, verifyDelivery } from "../verify/verifyDelivery.ts"
import type { DeliveryErrorCode, DeliveryHeaders } from "../verify/verifyDelivery.ts"
import type { CountersignEvent } from "./CountersignEvent.ts"
import { memoryInbox } from "./Inbox.ts"
import type { Inbox } from "./Inbox.ts"
import type { Feed, FeedPage, ReceiverOptions } from "./ReceiverOptions.ts"

/** The response to a delivery. */
export interface ReceiverAnswer {
  readonly status: 204 | 400 | 405 | 413 | 500
  readonly body: string
}

/** The reason why a delivery was not taken. */
export type RefusalCode = DeliveryErrorCode | "environment_mismatch" | "too_large" | "body_parsed"

/** The cure for a body that was read before. */
export const bodyParsed =
  "The body was parsed before it could be verified: mount the receiver before express.json(), or " +
  "use express.raw(); in an API route of Next.js, export const config = { api: { bodyParser: false } }"

/** The probable cause of each, for readers of the receiver's log. */
const causes: Readonly<Record<RefusalCode, string>> = {
  missing_header: "No signature: it does not come from the service, or a proxy drops headers",
  malformed_header: "The signature cannot be read: it does not come from the service, or a proxy changes headers",
  timestamp_out_of_tolerance:
    "Signed too long ago or in the future: it is a replay, or the clock of this machine is wrong",
  signature_mismatch:
    "No secret matches the signature: use the signing secret of this endpoint, and let nothing change the body",
  malformed_body: "The body is not unambiguous JSON",
  environment_mismatch:
    "Genuine, but of the test environment: give this receiver the secret of an endpoint of the live one, or " +
    "allowTest: true if it is there for tests",
  too_large: "The body is larger than maxBytes",
  body_parsed: bodyParsed
}

/** A delivery that was not taken. Told of to `onError`; it holds neither a secret nor anything of what was sent. */
export class DeliveryRefused extends Error {
  override readonly name = "DeliveryRefused"
  readonly code: RefusalCode
  /** How many were refused with this code since the last report, this one included. */
  readonly count: number
  constructor(code: RefusalCode, count: number, cause?: unknown) {
    super(
      `${count === 1 ? "A delivery was" : `${count} deliveries were`} refused (${code}). ${causes[code]}`,
      cause === undefined ? {} : { cause }
    )
    this.code = code
    this.count = count
  }
}

/** The response to a refused delivery. The service tries again whatever the status. */
const refusalAnswer = (code: RefusalCode): ReceiverAnswer =>
  code === "too_large"
    ? { status: 413, body: code }
    : code === "body_parsed"
    ? { status: 500, body: "failed" }
    : { status: 400, body: code }

/** How often refusals with the same code are reported at most. */
const pauseMs = 60_000

/** Throttles the reports of refusals: anybody can cause one, and must not be able to fill a log. */
export class RefusalReports {
  readonly #of = new Map<RefusalCode, { at: number; unreported: number }>()

  /** Counts a refusal; answers how many to report now: none while another was reported lately. */
  countToReport(code: RefusalCode, now: number = Date.now()): number {
    const { at, unreported } = this.#of.get(code) ?? { at: -Infinity, unreported: 0 }
    const isDue = Math.abs(now - at) >= pauseMs
    this.#of.set(code, isDue ? { at: now, unreported: 0 } : { at, unreported: unreported + 1 })
    return isDue ? unreported + 1 : 0
  }
}

/** An event of the feed that could not be handled, which healing passed over. `cause` is the last error of the handler. */
export class HandlerFailed extends Error {
  override readonly name = "HandlerFailed"
  readonly event: CountersignEvent
  constructor(event: CountersignEvent, cause: unknown) {
    super(`The event ${event.id} (${event.type}, sequence ${event.sequence}) could not be handled`, { cause })
    this.event = event
  }
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
  readonly #refusals = new RefusalReports()
  #timer: ReturnType<typeof setTimeout> | undefined
  #healing: Promise<void> | undefined
  /** Places are read and written one after the other. */
  #placing: Promise<unknown> = Promise.resolve()

  /** Throws a TypeError for a secret that can be none. Of what a function gives, deliveries are answered 500. */
  constructor(options: ReceiverOptions) {
    if (typeof options.secrets !== "function") liveSecrets(options.secrets)
    this.#options = options
    this.#inbox = options.inbox ?? memoryInbox()
    this.maxBytes = options.maxBytes ?? 1_048_576
  }

  /** Takes one delivery: its body exactly as it arrived, and its headers. Answers the response to send; never rejects. */
  async receive(rawBody: string | Uint8Array, headers: DeliveryHeaders): Promise<ReceiverAnswer> {
    const { handle, secrets, tolerance } = this.#options
    // A parser that came first gives an object, whatever the types say. A view may be of another realm.
    if (typeof rawBody !== "string" && !ArrayBuffer.isView(rawBody)) return this.refuse("body_parsed")
    if ((typeof rawBody === "string" ? rawBody.length : rawBody.byteLength) > this.maxBytes) {
      return this.refuse("too_large")
    }
    try {
      const live = typeof secrets === "function" ? await secrets() : secrets
      const verified = await verifyDelivery(rawBody, headers, live, tolerance === undefined ? {} : { tolerance })
      const delivered = verified.event as CountersignEvent | WebhookTestDelivery
      if (this.#isElsewhere(delivered)) return this.refuse("environment_mismatch")
      if (delivered.type === "webhook.test") {
        await this.#options.onTest?.(delivered)
        return { status: 204, body: "" }
      }
      const event = delivered
      const cursor = cursorOf({ epoch: event.epoch ?? epochOf(headers), sequence: event.sequence })
      await this.#inbox.once(event, async () => {
        await handle(event, { source: "delivery", cursor, deliveryId: verified.deliveryId })
      })
      await this.#note(cursor)
      return { status: 204, body: "" }
    } catch (error) {
      if (error instanceof DeliveryError) return this.refuse(error.code, error)
      this.#report(error)
      return { status: 500, body: "failed" }
    }
  }

  /** The response to a delivery that is not taken, which is reported to `onError`: for handlers of other servers. */
  refuse(code: RefusalCode, cause?: unknown): ReceiverAnswer {
    const count = this.#refusals.countToReport(code)
    if (count > 0) this.#report(new DeliveryRefused(code, count, cause))
    return refusalAnswer(code)
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

  /** Whether something is of another environment than this receiver is for. The live one names itself nowhere. */
  #isElsewhere({ environment }: { readonly environment?: unknown }): boolean {
    return environment !== undefined && !(environment === "test" && this.#options.allowTest === true)
  }

  /** Reports an error. The report may fail; the response to a delivery does not. */
  #report(error: unknown): void {
    // Nobody waits for it, and it may fail at once or later.
    const run = async () => {
      try {
        await (this.#options.onError ?? console.error)(error)
      } catch (failure) {
        console.error(failure)
      }
    }
    void run()
  }

  /** Cancels the planned reading of the feed. */
  close(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  async #readPlace(): Promise<number | undefined> {
    return (await this.#inbox.readPlace()) ?? this.#options.startAfter
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
      const place = await this.#readPlace()
      if (place !== undefined && cursor <= place) return false
      if (place !== undefined && cursor !== place + 1) return true
      await this.#inbox.writePlace(cursor)
      return false
    })
    if (!isGap || this.#options.feed === undefined || this.#timer !== undefined) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.heal().catch((error: unknown) => {
        this.#report(error)
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

  /** Handles an event of the feed. If the handler keeps rejecting, the event is reported, and those behind it go on. */
  async #recover(event: CountersignEvent, cursor: number): Promise<void> {
    const { handle, maxTries = 3, onFailed, retryMs = 1_000 } = this.#options
    for (let tries = 1;; tries++) {
      let failure: { readonly error: unknown } | undefined
      try {
        await this.#inbox.once(event, async () => {
          try {
            await handle(event, { source: "feed", cursor })
          } catch (error) {
            failure = { error }
            throw error
          }
        })
        return
      } catch (error) {
        // The inbox itself failed: nothing is known of the event, and it is not passed over.
        if (failure === undefined) throw error
        if (tries < maxTries) {
          await new Promise((resolve) => setTimeout(resolve, retryMs * 2 ** (tries - 1)))
          continue
        }
        if (onFailed === undefined) this.#report(new HandlerFailed(event, failure.error))
        else await onFailed(event, failure.error)
        return
      }
    }
  }

  async #read(): Promise<void> {
    const { feed, types = [] } = this.#options
    if (feed === undefined) return
    let place = await this.#readPlace()
    // Nothing was ever delivered here, and nothing says where to begin: there is no gap.
    if (place === undefined) return
    for (;;) {
      const page: FeedPage | number = await this.#ask(feed, place)
      if (typeof page === "number") {
        place = page
        continue
      }
      const next: number = Number(page.page_info.next_cursor ?? place)
      const { epoch } = readCursor(next)
      for (const { created_at, data, environment, event_type, id, sequence } of page.data) {
        if (this.#isElsewhere({ environment })) throw new DeliveryRefused("environment_mismatch", 1)
        if (!matches(types, event_type)) continue
        const event = {
          ...(environment === undefined ? {} : { environment }),
          id,
          type: event_type,
          event_type,
          sequence,
          created_at,
          data
        } as CountersignEvent
        const cursor = cursorOf({ epoch, sequence })
        await this.#recover(event, cursor)
      }
      await this.#place(() => this.#inbox.writePlace(next))
      place = next
      if (!page.page_info.has_more) return
    }
  }
}

/**
 * The epoch of a delivery by its header, which is not signed: of a service that signs none. One that does has it in every
 * body, so that nobody can have this header believed.
 */
const epochOf = (headers: DeliveryHeaders): number => {
  const name = "x-service-event-epoch"
  const found = headers instanceof Headers
    ? headers.get(name)
    : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  const epoch = Number(found ?? 1)
  return Number.isSafeInteger(epoch) && epoch >= 1 ? epoch : 1
}
