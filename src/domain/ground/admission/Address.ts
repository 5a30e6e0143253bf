import ipaddr from "ipaddr.js"

type Ip = ipaddr.IPv4 | ipaddr.IPv6

/** A range of addresses: its base and the length of its prefix in bits. */
export type Cidr = readonly [base: Ip, bits: number]

/**
 * What a customer reads about an address that we do not connect to: who may allow it and how, and not which rule it
 * broke, which is our business.
 */
export const addressNotAllowed =
  "leads to an address that is not allowed: only public ones are, and those that the operator lists in " +
  "COUNTERSIGN_WEBHOOK_ALLOWED_CIDRS"

/**
 * IPv6 text with an IPv4 tail written as hexadecimal groups, because ipaddr.js reads `::8.8.8.8` as the mapped
 * address and not as the IPv4-compatible one that it is. Answers undefined for a tail that is no plain IPv4 address.
 */
const withoutDots = (text: string): string | undefined => {
  if (!text.includes(".")) return text
  const [, head, tail] = /^(.*:)([\d.]+)$/.exec(text) ?? []
  if (head === undefined || tail === undefined || !ipaddr.IPv4.isValidFourPartDecimal(tail)) return undefined
  const [a = 0, b = 0, c = 0, d = 0] = ipaddr.IPv4.parse(tail).octets
  return `${head}${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
}

/** An address in its plain form, so that `127.1` or `010.0.0.1` is none. An IPv4-mapped IPv6 address becomes IPv4. */
const parseIp = (text: string): Ip | undefined => {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text)
  const plain = text.includes(":") ? withoutDots(text) : undefined
  if (plain === undefined || !ipaddr.IPv6.isValid(plain)) return undefined
  const ip = ipaddr.IPv6.parse(plain)
  return ip.isIPv4MappedAddress() ? ip.toIPv4Address() : ip
}

/** A hop with a port, as some proxies write it: `192.0.2.1:4711`, `[2001:db8::1]:4711` (RFC 7239 section 6). */
const hopWithPort = /^(?:(\d+\.\d+\.\d+\.\d+)|\[([^\]]*)\])(?::\d{1,5})?$/

/**
 * The address in a hop of `X-Forwarded-For`, in one spelling: without port, brackets and zone, IPv6 in lower case and
 * compressed (RFC 5952). Answers undefined for what is no address, such as `unknown`.
 */
export const hopAddress = (hop: string): string | undefined => {
  const [, v4, v6] = hopWithPort.exec(hop) ?? []
  return parseIp((v4 ?? v6 ?? hop).split("%")[0]!)?.toString()
}

/**
 * Reads a range such as `10.0.0.0/8` or `fd00::/8`; bits beyond the prefix may be set. Answers undefined when the text
 * is none. A range of IPv4-mapped addresses becomes the IPv4 range.
 */
export const parseCidr = (text: string): Cidr | undefined => {
  const [, address, length] = /^([^/%]+)\/(\d{1,3})$/.exec(text) ?? []
  const base = address === undefined ? undefined : parseIp(address)
  if (base === undefined) return undefined
  const isMapped = base instanceof ipaddr.IPv4 && address!.includes(":")
  const bits = Number(length) - (isMapped ? 96 : 0)
  return bits >= 0 && bits <= (base instanceof ipaddr.IPv4 ? 32 : 128) ? [base, bits] : undefined
}

const holds = (cidr: Cidr, ip: Ip): boolean => cidr[0].kind() === ip.kind() && ip.match(cidr[0], cidr[1])

const contains = (cidrs: ReadonlyArray<string>, ip: Ip): boolean =>
  cidrs.some((text) => {
    const cidr = parseCidr(text)
    return cidr !== undefined && holds(cidr, ip)
  })

/** Whether an address lies in one of the ranges. A text that is no address lies in none, a malformed range has none. */
export const inCidrs = (ip: string, cidrs: ReadonlyArray<string>): boolean => {
  const parsed = parseIp(ip)
  return parsed !== undefined && contains(cidrs, parsed)
}

/** Whether every address of a range lies in one of the others. */
export const isWithin = (range: string, cidrs: ReadonlyArray<string>): boolean => {
  const inner = parseCidr(range)
  return inner !== undefined && cidrs.some((text) => {
    const outer = parseCidr(text)
    return outer !== undefined && outer[1] <= inner[1] && holds(outer, inner[0])
  })
}

const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3")
const siit = ipaddr.IPv6.parseCIDR("::ffff:0:0:0/96")
const nat64 = ipaddr.IPv6.parseCIDR("64:ff9b::/96")
const sixToFour = ipaddr.IPv6.parseCIDR("2002::/16")
const teredo = ipaddr.IPv6.parseCIDR("2001::/32")

const ipv4 = (high: number, low: number): ipaddr.IPv4 =>
  new ipaddr.IPv4([high >>> 8, high & 0xff, low >>> 8, low & 0xff])

/**
 * The IPv4 addresses inside an IPv6 address that a translator or tunnel would connect to: SIIT (RFC 7915), NAT64
 * (RFC 6052), 6to4 (RFC 3056), and both ends of Teredo (RFC 4380). Mapped addresses are IPv4 already.
 */
const innerAddresses = (ip: ipaddr.IPv6): ReadonlyArray<ipaddr.IPv4> => {
  const [, p1 = 0, p2 = 0, p3 = 0, , , p6 = 0, p7 = 0] = ip.parts
  if (holds(siit, ip) || holds(nat64, ip)) return [ipv4(p6, p7)]
  if (holds(sixToFour, ip)) return [ipv4(p1, p2)]
  if (holds(teredo, ip)) return [ipv4(p2, p3), ipv4(p6 ^ 0xffff, p7 ^ 0xffff)]
  return []
}

const forbids = (ip: Ip, allowedCidrs: ReadonlyArray<string>): boolean => {
  if (contains(allowedCidrs, ip)) return false
  if (ip instanceof ipaddr.IPv4) return ip.range() !== "unicast"
  const inner = innerAddresses(ip)
  if (inner.length > 0) return inner.some((address) => forbids(address, allowedCidrs))
  // Only 2000::/3 is handed out as global unicast (RFC 4291 section 2.4); the special blocks inside it have names.
  return ip.range() !== "unicast" || !holds(globalUnicast, ip)
}

/**
 * Whether we refuse to connect to an address: anything but public unicast, unless an allowed range holds it. IPv6
 * addresses that carry an IPv4 address are judged by that one. A text that is no address is refused.
 */
export const isForbidden = (ip: string, allowedCidrs: ReadonlyArray<string>): boolean => {
  const parsed = parseIp(ip)
  return parsed === undefined || forbids(parsed, allowedCidrs)
}

/** Whether a delivery may not be sent to an address by this protocol: plain http needs an allowed range. */
export const isRefused = (ip: string, protocol: string, allowedCidrs: ReadonlyArray<string>): boolean =>
  isForbidden(ip, allowedCidrs) || (protocol !== "https:" && !inCidrs(ip, allowedCidrs))

/** The longest webhook URL, in characters. */
export const maximumUrlLength = 2048

const refusals = {
  invalid_url: "must be an absolute URL",
  url_too_long: `must have at most ${maximumUrlLength} characters`,
  https_required: "must start with https://: plain http is for addresses in the ranges that the operator lists in " +
    "COUNTERSIGN_WEBHOOK_ALLOWED_CIDRS, and for names that have such addresses alone",
  credentials_not_allowed: "must not hold a user name or a password",
  fragment_not_allowed: "must not have a fragment",
  address_not_allowed: addressNotAllowed
} as const

/** Why a webhook URL is refused. */
type UrlRefusal = keyof typeof refusals

/** Either the URL as it will be used, or the reason and a text that a customer may read. */
export type UrlVerdict =
  | {
    readonly ok: true
    readonly url: string
    /** Plain http to a name: allowed only if every address that it has lies in an allowed range. */
    readonly isPlainToName: boolean
  }
  | { readonly ok: false; readonly reason: UrlRefusal; readonly message: string }

/** The refusal of a URL for a reason. */
export const refuseUrl = (reason: UrlRefusal): Extract<UrlVerdict, { readonly ok: false }> => ({
  ok: false,
  reason,
  message: refusals[reason]
})

/**
 * Checks where a webhook may be sent, as far as the URL itself tells. https only; plain http for an address in an
 * allowed range, for `localhost` when loopback is allowed, and for other names where any range is. The URL parser (WHATWG)
 * has turned decimal, octal and hexadecimal hosts into plain addresses, which are judged here because no look-up will
 * happen for them. Host names are judged by {@link isRefused} for every address they resolve to, at each connect.
 */
export const checkWebhookUrl = (text: string, allowedCidrs: ReadonlyArray<string>): UrlVerdict => {
  if (text.length > maximumUrlLength) return refuseUrl("url_too_long")
  // The parser drops line breaks and outer spaces without a word; what is stored should be what was written.
  if (/[\s\p{Cc}]/u.test(text) || !URL.canParse(text)) return refuseUrl("invalid_url")
  const url = new URL(text)
  if (url.href.length > maximumUrlLength) return refuseUrl("url_too_long")
  if (url.protocol !== "https:" && url.protocol !== "http:") return refuseUrl("https_required")
  if (url.username !== "" || url.password !== "") return refuseUrl("credentials_not_allowed")
  if (url.href.includes("#")) return refuseUrl("fragment_not_allowed")
  const host = url.hostname.replace(/^\[|\]$/g, "")
  const isAddress = parseIp(host) !== undefined
  const isLocalhost = /^(?:.+\.)?localhost\.?$/.test(host)
  if (isAddress && isForbidden(host, allowedCidrs)) return refuseUrl("address_not_allowed")
  if (isLocalhost && isForbidden("127.0.0.1", allowedCidrs) && isForbidden("::1", allowedCidrs)) {
    return refuseUrl("address_not_allowed")
  }
  const isPlain = url.protocol === "http:" && !isLocalhost
  if (isPlain && (isAddress ? !inCidrs(host, allowedCidrs) : allowedCidrs.length === 0)) {
    return refuseUrl("https_required")
  }
  return { ok: true, url: url.href, isPlainToName: isPlain && !isAddress }
}
