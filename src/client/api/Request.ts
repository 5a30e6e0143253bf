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
