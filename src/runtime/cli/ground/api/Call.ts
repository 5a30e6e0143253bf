import type { Call, CallOptions, Countersign, Paged } from "../../../../client/api/index.ts"
import { ListCall } from "../../../../client/api/index.ts"
import type { Operation } from "./Contract.ts"

/** A request to the service. */
export interface Request {
  readonly operation: Operation
  /** The parameters of the path. */
  readonly ids: ReadonlyArray<string>
  /** The members of the body or the query. */
  readonly body: Readonly<Record<string, unknown>>
}

/** The answer of an operation, before it is decoded. */
export interface Answer {
  readonly data: unknown
  readonly meta?: Readonly<Record<string, unknown>>
  readonly page_info?: Paged["page_info"]
}

type Method = (...given: ReadonlyArray<unknown>) => Call<Answer, string>

/** Calls the client's method of an operation, whatever it takes. */
export const callOf = ({ body, ids, operation }: Request, options: CallOptions = {}) => (client: Countersign) => {
  const { group, input, name } = operation.client
  const method: Method = Reflect.get(Reflect.get(client, group), name)
  return input === "options"
    ? method(...ids, { ...options, ...body })
    : input === "-"
    ? method(...ids, options)
    : method(...ids, body, options)
}

/** The answer of a read; with `isAll` the entries of all pages of a list. */
export const read = async (request: Request, isAll: boolean, client: Countersign) => {
  const call = callOf(request)(client)
  const first = await call.withResponse()
  if (!isAll || !(call instanceof ListCall)) return first
  const data: Array<unknown> = []
  for await (const entry of call) data.push(entry)
  return { ...first, data, page_info: { next_cursor: null, has_more: false } }
}
