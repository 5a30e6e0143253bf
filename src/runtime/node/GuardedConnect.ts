import { Context } from "effect"
import { isIP } from "node:net"
import type { Socket } from "node:net"
import type { buildConnector } from "undici"
import { isRefused as isRefusedAddress } from "../../domain/ground/admission/Address.ts"
import type { TransportError } from "../../services/ground/platform/Transport.ts"
import { raceForConnection } from "./HappyEyeballs.ts"
import { isLocalhost, late, lookUp, Nameless, Refused, resolveHost } from "./HostAddresses.ts"

/** Timeouts of the parts of an attempt and of the whole, in milliseconds. */
const patience = { dns: 2_000, connect: 5_000, headers: 10_000, total: 15_000 } as const

/** The surroundings of the transport; tests replace them. */
export const TransportSurroundings = Context.Reference<{
  /** Looks the addresses of a host name up, each family for itself, the preferred one first. */
  readonly resolve: (hostname: string) => ReadonlyArray<Promise<ReadonlyArray<string>>>
  /** Whether this service itself listens on an address and port. */
  readonly isOwnAddress: (address: string, port: number) => boolean
  readonly patience: { readonly [Part in keyof typeof patience]: number }
  /** Certificates (PEM) trusted instead of the system's. */
  readonly trusted?: string | undefined
}>("countersign/runtime/TransportSurroundings", {
  defaultValue: () => ({ resolve: resolveHost, isOwnAddress: () => false, patience })
})

const tlsCode = /^(?:ERR_TLS|ERR_SSL|CERT_|EPROTO$|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|HOSTNAME_MISMATCH|INVALID_CA)/
const connectCodes = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EHOSTDOWN",
  "ETIMEDOUT",
  "EADDRNOTAVAIL",
  "UND_ERR_CONNECT_TIMEOUT"
])

/**
 * The HTTP client of Node, which is loaded for the first request: with all that it can do it takes 13 MB. It is one value, because
 * a bundle knows no names of what a module in CommonJS exports.
 */
export const loadUndici = async () => (await import("undici")).default

/** {@link loadUndici}, once it is there. */
export type Undici = Awaited<ReturnType<typeof loadUndici>>

/** Classifies an error of the connection. */
export const kindOf = (error: unknown): TransportError => {
  if (error instanceof Refused) return error.kind
  if (error instanceof Error && error.name === "HTTPParserError") return "protocol"
  const code = String((error as { readonly code?: unknown } | null)?.code ?? "")
  if (tlsCode.test(code)) return "tls"
  if (connectCodes.has(code)) return "connect"
  if (code === "UND_ERR_HEADERS_TIMEOUT" || code === "UND_ERR_BODY_TIMEOUT") return "timeout"
  if (code === "UND_ERR_HEADERS_OVERFLOW") return "protocol"
  return "reset"
}

/**
 * Connects for requests to URLs that customers name. Every connection resolves the name again, checks every address that
 * is known, and connects only to addresses that were checked, so that a DNS answer that changes in between (rebinding) has
 * no effect. Certificates are verified.
 */
export const guardedConnect = (
  { isOwnAddress, patience, resolve, trusted }: typeof TransportSurroundings.Service,
  allowedCidrs: ReadonlyArray<string>
) => {
  const isRefused = (address: string, protocol: string, port: number): boolean =>
    isRefusedAddress(address, protocol, allowedCidrs) || isOwnAddress(address, port)

  /** The addresses of a host that may be connected to; refuses all of them where one may not be. */
  const judged = (
    hostname: string,
    protocol: string,
    port: number,
    found: ReadonlyArray<string>
  ): ReadonlyArray<string> => {
    // This machine has both loopback addresses, and the operator may have allowed only one of them.
    const addresses = isLocalhost(hostname) ? found.filter((address) => !isRefused(address, protocol, port)) : found
    if (addresses.length === 0 || addresses.some((address) => isRefused(address, protocol, port))) {
      throw new Refused("address_not_allowed", "address not allowed")
    }
    return addresses
  }

  const lookups = (hostname: string) => isIP(hostname) === 0 ? lookUp(resolve(hostname)) : [Promise.resolve([hostname])]

  const connectorOf = ({ buildConnector }: Undici): buildConnector.connector => {
    const connectTo = buildConnector({
      timeout: patience.connect,
      allowH2: false,
      ...(trusted === undefined ? {} : { ca: trusted })
    })
    return (options, callback) => {
      const { hostname, protocol } = options
      const port = Number(options.port || (protocol === "https:" ? 443 : 80))
      raceForConnection<Socket>({
        lookups: lookups(hostname),
        lookupPatience: patience.dns,
        without: { nameless: () => new Nameless(), late },
        judge: (addresses) => judged(hostname, protocol, port, addresses),
        connect: (address, done) =>
          // The connector answers its socket at once, which its type does not tell.
          connectTo({
            ...options,
            hostname: address,
            // The certificate must match the name, whichever address answers.
            ...(protocol === "https:" && isIP(hostname) === 0 ? { servername: options.servername ?? hostname } : {})
          }, done as buildConnector.Callback) as unknown as Socket
      }, (error, socket) => error === null ? callback(null, socket!) : callback(error, null))
    }
  }

  return { connectorOf, judged, lookups }
}
