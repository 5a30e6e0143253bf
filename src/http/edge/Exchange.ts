import { hopAddress, inCidrs } from "../../domain/admission/Address.ts"

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
