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
