/** What one caller may take of a node before anything is known about who it is. Operators set them. */
export interface DoorLimits {
  /** Connections open at once. */
  readonly connections: number
  /** Connections open at once from one address, or from one /64 of IPv6; trusted proxies have no such limit. */
  readonly connectionsPerAddress: number
  /** Management requests answered at once; apps have room beyond it, see `LoadControl`. */
  readonly inFlight: number
  /** How long requests may stand in line before load is shed, in milliseconds. */
  readonly delayMillis: number
  /** How long a request may take to arrive, in seconds: its headers, and after them its body. */
  readonly arrivalSeconds: number
  /** How fast a body must arrive, in bytes a second, once it has been under way for half of that time. */
  readonly bodyRate: number
  /** How long a client may read nothing of its response before the connection is closed, in seconds. */
  readonly stallSeconds: number
  /** Large answers under way at once: downloads and documents that are sent piece by piece. */
  readonly largeAnswers: number
  /** The same for one address, or for one /64 of IPv6. */
  readonly largeAnswersPerAddress: number
}

/** What holds where nothing is set. */
export const defaultDoorLimits: DoorLimits = {
  connections: 10_000,
  connectionsPerAddress: 1_000,
  inFlight: 1_000,
  delayMillis: 100,
  arrivalSeconds: 10,
  bodyRate: 512,
  stallSeconds: 30,
  largeAnswers: 128,
  largeAnswersPerAddress: 16
}

/** The largest request body of most operations, in bytes. */
export const bodyLimit = 256 * 1024

/** The largest body of a runtime operation, in bytes. Anybody may send one who can write down a license key. */
export const runtimeBodyLimit = 16 * 1024

/** The largest request line with its headers, in bytes. */
export const headerLimit = 16 * 1024

/** The largest body that a request for this path may have, in bytes. */
export const bodyLimitOf = (path: string): number => path.startsWith("/api/v1/license/") ? runtimeBodyLimit : bodyLimit

/**
 * What an address counts as when connections are counted: IPv4 alone, IPv6 by its /64, because that is what one
 * customer of a provider is given (RFC 6177). A mapped address is IPv4.
 */
export const networkOf = (address: string): string => {
  if (address.startsWith("::ffff:") && address.includes(".")) return address.slice(7)
  if (!address.includes(":")) return address
  const [head = "", tail] = address.split("%")[0]!.split("::")
  const before = head === "" ? [] : head.split(":")
  const after = tail === undefined || tail === "" ? [] : tail.split(":")
  const middle = tail === undefined
    ? []
    : Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => "0")
  return `${[...before, ...middle, ...after].slice(0, 4).map((group) => group.replace(/^0+(?=.)/, "")).join(":")}::/64`
}
