import { Effect } from "effect"
import type { Tracer } from "effect"
import { hopAddress, inCidrs } from "../../../domain/ground/admission/Address.ts"
import { formatTraceparent, parseTraceparent } from "../../../domain/ground/parsing/TraceContext.ts"
import type { Origin } from "../../../services/log/Provenance.ts"
import { Identifiers } from "../../../services/ground/persistence/Identifiers.ts"
import { Settings } from "../../../services/ground/platform/Settings.ts"
import type { Exchange } from "./Exchanges.ts"
import { offeredRequestId } from "./Refusal.ts"

/**
 * The client's address: the nearest hop that is not one of our own proxies. What a proxy has written that is no address
 * is nobody's: the address is then the proxy's, because whatever stands before it anybody could have claimed.
 */
export const clientAddress = (
  peer: string,
  forwardedFor: string | undefined,
  trustedProxies: ReadonlyArray<string>
): string => {
  const direct = peer.startsWith("::ffff:") ? peer.slice(7) : peer
  if (trustedProxies.length === 0 || forwardedFor === undefined || !inCidrs(direct, trustedProxies)) return direct
  const hops = forwardedFor.split(",").map((hop) => hop.trim()).filter((hop) => hop !== "")
  let nearest = direct
  for (const hop of hops.toReversed()) {
    const address = hopAddress(hop)
    if (address === undefined) return nearest
    nearest = address
    if (!inCidrs(address, trustedProxies)) return nearest
  }
  return nearest
}

/** Whether a request has a body, by its framing headers (RFC 9112 section 6). */
export const hasBody = (
  { headers }: { readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>> }
): boolean => headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0

/**
 * The steps that every request begins with, hot or not: its id, its place in a trace, and its origin, which the log, its span
 * and the events that it causes name. `own` is its span, where one is made.
 */
export const makeArrivals = Effect.gen(function*() {
  const identifiers = yield* Identifiers
  const { trustedProxies } = yield* Settings
  return (
    headers: Readonly<Record<string, string | undefined>>,
    peer: string | undefined,
    own: Tracer.AnySpan | undefined,
    exchange: Exchange | undefined
  ): Origin & { readonly requestId: string } => {
    const requestId = offeredRequestId(headers["x-request-id"]) ?? identifiers.next("req")
    if (own?._tag === "Span") own.attribute("countersign.request_id", requestId)
    // The span of this request, or its caller's when there is none.
    const place = own ?? parseTraceparent(headers["traceparent"])
    if (exchange !== undefined) {
      exchange.requestId = requestId
      exchange.traceId = place?.traceId
    }
    return {
      requestId,
      ipAddress: peer === undefined ? undefined : clientAddress(peer, headers["x-forwarded-for"], trustedProxies),
      traceparent: place === undefined ? undefined : formatTraceparent(place)
    }
  }
})
