import { inCidrs } from "../../domain/admission/Address.ts"

/** The client's address: the nearest hop that is not one of our own proxies. */
export const clientAddress = (
  peer: string,
  forwardedFor: string | undefined,
  trustedProxies: ReadonlyArray<string>
): string => {
  const direct = peer.startsWith("::ffff:") ? peer.slice(7) : peer
  if (trustedProxies.length === 0 || forwardedFor === undefined || !inCidrs(direct, trustedProxies)) return direct
  const hops = forwardedFor.split(",").map((hop) => hop.trim()).filter((hop) => hop !== "")
  return hops.findLast((hop) => !inCidrs(hop, trustedProxies)) ?? hops[0] ?? direct
}

/** The headers that every answer has, beside its own. */
export const exchangeHeaders = (
  requestId: string,
  own: Readonly<Record<string, string>>
): Readonly<Record<string, string>> =>
  own["cache-control"] === undefined
    ? { "x-request-id": requestId, "x-content-type-options": "nosniff", "cache-control": "no-store" }
    : { "x-request-id": requestId, "x-content-type-options": "nosniff" }
