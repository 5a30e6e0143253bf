import { notPost } from "./Handlers.ts"
import type { Receiver } from "./Receiver.ts"

/**
 * The part of the event of an HTTP request that is used: of API Gateway with payload format 1.0 (REST) or 2.0 (HTTP APIs), a
 * function URL, or a load balancer. See "Working with AWS Lambda proxy integrations" of API Gateway.
 */
export interface LambdaRequest {
  readonly body?: string | null
  /** Whether `body` is base64 of the bytes: so it is for types that the gateway takes for binary. */
  readonly isBase64Encoded?: boolean
  readonly headers?: Readonly<Record<string, string | undefined>> | null
  /** In place of `headers` where a load balancer is told to send these. */
  readonly multiValueHeaders?: Readonly<Record<string, ReadonlyArray<string> | undefined>> | null
  /** The method in format 1.0 and of load balancers. */
  readonly httpMethod?: string
  readonly requestContext?: { readonly http?: { readonly method?: string } }
}

/** The response of a gateway, in both formats. */
export interface LambdaResponse {
  readonly statusCode: number
  readonly headers: Record<string, string>
  readonly body: string
  readonly isBase64Encoded: false
}

const bytesOf = (base64: string): Uint8Array => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))

/** For AWS Lambda: `export const handler = lambdaHandler(receiver)`, behind API Gateway, a function URL or a load balancer. */
export const lambdaHandler = (receiver: Receiver) => async (event: LambdaRequest): Promise<LambdaResponse> => {
  const text = event.body ?? ""
  const method = event.requestContext?.http?.method ?? event.httpMethod
  const { body, status } = method === undefined || method === "POST"
    ? await receiver.receive(
      event.isBase64Encoded === true ? bytesOf(text) : text,
      event.headers ?? event.multiValueHeaders ?? {}
    )
    : notPost
  const headers = {
    "content-type": "text/plain; charset=utf-8",
    ...(status === 405 ? { allow: "POST" } : {})
  }
  return { statusCode: status, headers, body, isBase64Encoded: false }
}
