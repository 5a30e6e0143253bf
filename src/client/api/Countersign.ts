import { CountersignError } from "../transport/CountersignError.ts"
import { newKey, normalLicenseKey, normalToken } from "../transport/Credentials.ts"
import type { TransportOptions } from "../transport/Transport.ts"
import { Transport } from "../transport/Transport.ts"
import { Call, ListCall, pathOf, queryOf, readOperation } from "./Call.ts"
import type { CallOptions, Credential, Operation, Paged, WithResponse } from "./Call.ts"
import { operations } from "./operations.gen.ts"
import type { Resources } from "./resources.gen.ts"
import type { ActionRequest } from "./types.gen.ts"

/** A secret, or what gives it at each attempt to call, so that it may be replaced while the program runs. */
export type Secret = string | (() => string | Promise<string>)

/** Where the service is, and who calls. */
export interface CountersignOptions extends TransportOptions {
  /** An API key, for every operation of management. */
  readonly token?: Secret
  /** A license key, for the operations of an app (`client.runtime`); a call may name another. */
  readonly licenseKey?: Secret
  /** A publishable key, for trials. */
  readonly publishableKey?: Secret
}

type Anything = Readonly<Record<string, unknown>>
type AnyAnswer = WithResponse<{ readonly data: unknown }>

/** The headers of every call of an operation that names its caller. */
const authorization = async (
  credential: Credential,
  secrets: Readonly<Partial<Record<Credential, Secret | undefined>>>
): Promise<Readonly<Record<string, string>>> => {
  if (credential === "none") return {}
  const given = secrets[credential]
  const secret = typeof given === "function" ? await given() : given
  if (secret === undefined || secret === "") throw new TypeError(`This operation needs a ${credential}`)
  return {
    authorization: credential === "licenseKey"
      ? `License ${normalLicenseKey(secret)}`
      : `Bearer ${normalToken(secret, credential === "token" ? "token" : "publishable key")}`
  }
}

/** The data of a body. */
const readAnswer = ({ kind }: Operation, response: Response, text: string): AnyAnswer => {
  const info = { response: { status: response.status, headers: response.headers, text } }
  if (kind === "file") return { data: response, ...info }
  if (kind === "text") return { data: text, ...info }
  if (response.status === 204 || response.status === 304) return { data: undefined, ...info }
  try {
    const body = JSON.parse(text)
    if (kind === "whole") return { data: body, ...info }
    if (typeof body === "object" && body !== null && "data" in body) return { ...body, ...info }
  } catch {
    // As what follows: it is not the service's.
  }
  throw new CountersignError({
    code: "INVALID_ANSWER",
    message: "The response is not from the service",
    status: response.status
  })
}

/** The body of a request: the input, or the options of an operation that needs none. */
const bodyOf = ({ input: place }: Operation, input: Anything | undefined, said: Anything): Anything | undefined =>
  place === "body"
    ? input ?? {}
    : place === "options" && Object.values(said).some((value) => value !== undefined)
    ? said
    : undefined

/** The methods of the client, made from the table of operations. */
const makeResources = (transport: Transport, options: CountersignOptions): Resources => {
  const send = async (
    operation: Operation,
    path: string,
    input: Anything | undefined,
    { dry_run, idempotencyKey, ifMatch, licenseKey, nonce, publishableKey, reason, userToken, ...sending }:
      & CallOptions
      & ActionRequest
  ): Promise<AnyAnswer> => {
    const body = bodyOf(operation, input, { reason, dry_run })
    const key = idempotencyKey ?? (operation.isIdempotent ? newKey() : undefined)
    const { response, text } = await transport.send({
      method: operation.method,
      path: operation.input === "query" && input !== undefined ? path + queryOf(input) : path,
      headers: {
        ...await authorization(operation.credential, {
          token: options.token,
          licenseKey: licenseKey ?? options.licenseKey,
          publishableKey: publishableKey ?? options.publishableKey
        }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(key === undefined ? {} : { "idempotency-key": key }),
        ...(ifMatch === undefined ? {} : { "if-match": ifMatch }),
        ...(nonce === undefined ? {} : { "x-nonce": nonce }),
        ...(userToken === undefined ? {} : { "x-user-token": userToken })
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      unread: operation.kind === "file"
    }, sending)
    return readAnswer(operation, response, text)
  }

  const methodOf = (line: string) => {
    const operation = readOperation(line)
    const parameters = operation.path.split("{").length - 1
    const hasInput = operation.input === "body" || operation.input === "query"
    return (...given: ReadonlyArray<unknown>) => {
      const path = pathOf(operation.path, given)
      const input = hasInput ? given[parameters] as Anything | undefined : undefined
      const calling = (given[parameters + (hasInput ? 1 : 0)] ?? {}) as CallOptions
      const first = send(operation, path, input, calling)
      if (operation.kind !== "page") return new Call(first)
      const next = (cursor: string) => send(operation, path, { ...input, cursor }, calling)
      return new ListCall(
        first as Promise<WithResponse<Paged>>,
        next as (cursor: string) => Promise<WithResponse<Paged>>
      )
    }
  }

  const groups = Object.entries(operations).map(([group, lines]) => [
    group,
    Object.fromEntries(Object.entries(lines).map(([name, line]) => [name, methodOf(line)]))
  ])
  return Object.fromEntries(groups) as Resources
}

// The methods are typed by what is generated from the contract, and made from a table of the same origin.
const Base = function(this: object, options: CountersignOptions) {
  Object.assign(this, makeResources(new Transport(options), options))
} as unknown as new(options: CountersignOptions) => Resources

/**
 * The service's API: one method an operation, by its noun and its verb, such as `client.licenses.create({...})`. Path
 * parameters come first, then the body or the query, then {@link CallOptions}. A call answers `data`; its
 * `.withResponse()` the whole answer, its `.result()` no exception but a typed error. Lists are gone through with
 * `for await`. Writes carry an Idempotency-Key, and what was not decided is sent again (see {@link TransportOptions}).
 */
export class Countersign extends Base {}
