import type { ConnectionCode, InputCode } from "../transport/CountersignError.ts"
import { CountersignError } from "../transport/CountersignError.ts"

/** A response beside its data. */
export interface ResponseInfo {
  readonly status: number
  readonly headers: Headers
  /** The body as it arrived: what `verifyEnvelope` takes. Empty where the body was left to you. */
  readonly text: string
}

/** The whole answer: what the body has, and what came with it. */
export type WithResponse<Answer> = Answer & { readonly response: ResponseInfo }

/** The outcome of a call, without an exception. */
export type Result<Data, Code extends string> =
  | { readonly ok: true; readonly data: Data }
  | { readonly ok: false; readonly error: CountersignError<Code | ConnectionCode | InputCode> }

/**
 * A call that was sent. Awaiting it answers `data`, or rejects with a {@link CountersignError}; `Code` are the codes that its
 * operation can answer.
 */
export class Call<Answer extends { readonly data: unknown }, Code extends string> implements Promise<Answer["data"]> {
  readonly [Symbol.toStringTag] = "Call"
  protected readonly answer: Promise<WithResponse<Answer>>
  constructor(answer: Promise<WithResponse<Answer>>) {
    this.answer = answer
  }

  // oxlint-disable-next-line unicorn/no-thenable -- a call is a promise, and more
  then<Fulfilled = Answer["data"], Rejected = never>(
    onFulfilled?: ((data: Answer["data"]) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null
  ): Promise<Fulfilled | Rejected> {
    return this.answer.then(({ data }) => data).then(onFulfilled, onRejected)
  }

  catch<Rejected = never>(
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null
  ): Promise<Answer["data"] | Rejected> {
    return this.then(undefined, onRejected)
  }

  finally(onFinally?: (() => void) | null): Promise<Answer["data"]> {
    return this.then((data) => data).finally(onFinally)
  }

  /** The whole answer, with `meta`, what else its body has, and the status and headers in `response`. */
  withResponse(): Promise<WithResponse<Answer>> {
    return this.answer
  }

  /**
   * The outcome of the call: its data, or its error, whose `code` is narrowed to what the operation can answer. Rejects only
   * with what is no {@link CountersignError}, as the reason of an aborted signal.
   */
  result(): Promise<Result<Answer["data"], Code>> {
    return this.then(
      (data) => ({ ok: true, data }) as const,
      (error: unknown) => {
        if (error instanceof CountersignError) return { ok: false, error } as const
        throw error
      }
    )
  }
}

/** An answer that is one page of a list. */
export interface Paged {
  readonly data: ReadonlyArray<unknown>
  readonly page_info: {
    readonly next_cursor: string | null
    readonly has_more: boolean
    readonly total?: { readonly count: number; readonly has_more: boolean }
  }
}

/**
 * A call for a list. Awaiting it answers the first page's entries; `for await` goes through the entries of all pages, each
 * asked for when it is needed.
 */
export class ListCall<Answer extends Paged, Code extends string> extends Call<Answer, Code>
  implements AsyncIterable<Answer["data"][number]>
{
  readonly #next: (cursor: string) => Promise<WithResponse<Answer>>
  constructor(first: Promise<WithResponse<Answer>>, next: (cursor: string) => Promise<WithResponse<Answer>>) {
    super(first)
    this.#next = next
  }

  /** The pages, each with its `page_info`, asked for one after the other. */
  async *pages(): AsyncGenerator<WithResponse<Answer>, void, undefined> {
    for (let page = await this.answer;;) {
      yield page
      const { has_more, next_cursor } = page.page_info
      if (!has_more || next_cursor === null) return
      page = await this.#next(next_cursor)
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Answer["data"][number], void, undefined> {
    // The compiler widens the entries of a generic page to unknown.
    for await (const { data } of this.pages()) yield* data as ReadonlyArray<Answer["data"][number]>
  }
}
