import { CountersignError } from "../transport/CountersignError.ts"
import type { ConnectionCode, InputCode } from "../transport/CountersignError.ts"
import type { CallOptions as SendOptions } from "../transport/Transport.ts"

/** The options of one call. */
export interface CallOptions extends SendOptions {
  /**
   * A key that makes it safe to repeat a write across restarts of your program: the first answer is kept with its effect and
   * given again. One is made for every write that is given none, and kept over its retries.
   */
  readonly idempotencyKey?: string
  /**
   * The `ETag` of the resource when it was read, for its change or deletion: refused with `PRECONDITION_FAILED` when somebody
   * else has changed it since. `.withResponse()` of a read has it in `response.headers`.
   */
  readonly ifMatch?: string
  /** The license key of this call, for operations of an app; otherwise that of the client. */
  readonly licenseKey?: string
  /** The publishable key of this call, for trials; otherwise that of the client. */
  readonly publishableKey?: string
  /** Comes back inside the signed data of a runtime answer, so that an old answer cannot be given again. */
  readonly nonce?: string
  /** The `user_token` of a person, for self-service of a license with users. */
  readonly userToken?: string
}

/** An answer that may have no data: what was asked for is cleared. */
export type Perhaps<Answer extends { readonly data: unknown }> =
  & Omit<Answer, "data">
  & { readonly data: Answer["data"] | undefined }

/** The caller's credentials. */
export type Credential = "token" | "licenseKey" | "publishableKey" | "none"

/** One operation, as its line in the table says. */
export interface Operation {
  readonly method: string
  readonly path: string
  readonly credential: Credential
  readonly kind: "data" | "page" | "none" | "whole" | "text" | "file"
  readonly input: "body" | "query" | "options" | "-"
  readonly isIdempotent: boolean
}

/** Reads a line of the table. */
export const readOperation = (line: string): Operation => {
  const [method, path, credential, kind, input, key] = line.split(" ") as [
    string,
    string,
    Credential,
    Operation["kind"],
    Operation["input"],
    string
  ]
  return { method, path, credential, kind, input, isIdempotent: key === "key" }
}

/**
 * The path with its parameters. A value that a URL would read as another path throws a TypeError: empty text, `.` and `..`
 * (RFC 3986, 5.2.4).
 */
export const pathOf = (template: string, values: ReadonlyArray<unknown>): string => {
  let index = 0
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[index++]
    if (typeof value !== "string" || /^\.{0,2}$/.test(value)) {
      throw new TypeError(`${name} must be the id of a resource, not ${JSON.stringify(value) ?? String(value)}`)
    }
    return encodeURIComponent(value)
  })
}

/** A query string with its question mark; empty when nothing is asked. Members that are undefined are left out. */
export const queryOf = (query: Readonly<Record<string, unknown>>): string => {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.append(name, String(value))
  return parameters.size === 0 ? "" : `?${parameters}`
}

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
