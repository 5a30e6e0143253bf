import { Context } from "effect"
import * as Dns from "node:dns/promises"
import { isIP } from "node:net"
import type { Socket } from "node:net"
import type { buildConnector } from "undici"
import { isRefused as isRefusedAddress } from "../../domain/ground/admission/Address.ts"
import type { TransportError } from "../../services/ground/platform/Transport.ts"

/** The reason why there is no connection; `kind` is what the attempt reports. */
export class Refused extends Error {
  readonly kind: TransportError
  constructor(kind: TransportError, message: string) {
    super(message)
    this.kind = kind
  }
}

/** The name does not exist, or has no address: another query would have the same answer. */
export class Nameless extends Refused {
  constructor() {
    super("dns", "the name does not resolve")
  }
}

/** No look-up found an address in time. */
const late = (): Refused => new Refused("dns", "the name is not resolved in time")

// Names with a fixed meaning, for which no name server is queried (RFC 6761 sections 6.3 and 6.4).
const isLocalhost = (hostname: string): boolean => /^(?:.+\.)?localhost\.?$/.test(hostname)
const isInvalid = (hostname: string): boolean => /^(?:.+\.)?invalid\.?$/.test(hostname)

/** A silent name server is queried twice, within the timeout of an attempt: 0.6 s and 1.2 s. */
const servers = { timeout: 600, tries: 2 } as const

const codeOf = (cause: unknown): unknown => (cause as { readonly code?: unknown } | null)?.code

/**
 * Looks up the addresses of a host, each family separately, so that a server which never answers for one does not
 * delay the other. Name servers are queried directly, because slow ones would fill the thread pool. A name that they
 * do not know is looked up in the hosts file.
 */
const resolveHost = (hostname: string): ReadonlyArray<Promise<ReadonlyArray<string>>> => {
  if (isLocalhost(hostname)) return [Promise.resolve(["127.0.0.1", "::1"])]
  if (isInvalid(hostname)) return [Promise.resolve([])]
  const resolver = new Dns.Resolver(servers)
  const resolved = (addresses: Promise<ReadonlyArray<string>>) =>
    addresses.catch((cause: unknown) => {
      if (codeOf(cause) === "ETIMEOUT") throw new Refused("dns", "the name servers do not respond")
      return []
    })
  const families = [resolved(resolver.resolve4(hostname)), resolved(resolver.resolve6(hostname))]
  const fromFile = async (): Promise<ReadonlyArray<string>> => {
    const found = await Promise.all(families)
    if (found.flat().length > 0) return []
    const entries = await Dns.lookup(hostname, { all: true, verbatim: true })
    return entries.map(({ address }) => address)
  }
  return [...families, fromFile()]
}

/** Look-ups whose failures say why there is no address. A name that does not exist has none, which is no failure. */
const lookUp = (
  lookups: ReadonlyArray<Promise<ReadonlyArray<string>>>
): ReadonlyArray<Promise<ReadonlyArray<string>>> =>
  lookups.map((lookup) =>
    lookup.catch((cause: unknown) => {
      if (cause instanceof Refused) throw cause
      if (codeOf(cause) === "ENOTFOUND") return []
      throw new Refused("dns", "the name servers do not respond")
    })
  )

/** All addresses that look-ups find within `patience` milliseconds; fails when there are none. */
export const allAddresses = async (
  lookups: ReadonlyArray<Promise<ReadonlyArray<string>>>,
  patience: number
): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  let failure: Refused | undefined
  const all = Promise.all(lookups.map(async (lookup) => {
    try {
      for (const address of await lookup) found.push(address)
    } catch (cause) {
      failure = cause as Refused
    }
  }))
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      failure ??= late()
      resolve()
    }, patience)
  })
  await Promise.race([all, tooLate])
  clearTimeout(timer)
  if (found.length > 0) return found
  throw failure ?? new Nameless()
}

/** A connection that can be destroyed. */
interface Abandonable {
  readonly destroy: (error: Error) => unknown
}

/** The options of a race for a connection. Times are in milliseconds. */
interface Race<Socket extends Abandonable> {
  /**
   * The pending lookups, one for each address family, the preferred one first. A failed lookup gives the reason; one
   * without addresses answers an empty list.
   */
  readonly lookups: ReadonlyArray<Promise<ReadonlyArray<string>>>
  /** How long the look-ups may take. */
  readonly lookupPatience: number
  /** The reason why nothing can be connected to when no look-up finds an address, or none does so in time. */
  readonly without: { readonly nameless: () => Error; readonly late: () => Error }
  /** Checks addresses before any of them is connected to, and answers the allowed ones; throws to refuse all. */
  readonly judge: (addresses: ReadonlyArray<string>) => ReadonlyArray<string>
  readonly connect: (address: string, done: (error: Error | null, socket: Socket | null) => void) => Socket
}

/** How long an address may take, in milliseconds, before the next one is tried beside it (RFC 8305 section 5). */
const attemptDelay = 250

/** How long addresses of another family wait, in milliseconds, for those of the preferred one (RFC 8305 section 3). */
const resolutionDelay = 50

/** The most addresses that are tried: a name may have hundreds, none of which is a receiver. */
const maximumAddresses = 16

const alternating = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): Array<string> =>
  Array.from({ length: Math.max(one.length, other.length) }, (_, index) => [one[index], other[index]]).flat()
    .filter((address) => address !== undefined)

/** Runs one race, and calls `done` once. */
class Runner<Socket extends Abandonable> {
  readonly #race: Race<Socket>
  readonly #done: (error: Error | null, socket: Socket | null) => void
  readonly #underWay = new Set<Socket>()
  readonly #known = new Set<string>()
  #waiting: ReadonlyArray<string> = []
  #tried = 0
  #pending: number
  #isPreferredPending = true
  #failure: Error | undefined
  #isOver = false
  #next: NodeJS.Timeout | undefined
  #lookupEnd: NodeJS.Timeout | undefined

  constructor(race: Race<Socket>, done: (error: Error | null, socket: Socket | null) => void) {
    this.#race = race
    this.#done = done
    this.#pending = race.lookups.length
  }

  start(): void {
    this.#lookupEnd = setTimeout(() => {
      this.#pending = 0
      this.#isPreferredPending = false
      if (this.#known.size === 0) this.#end(this.#failure ?? this.#race.without.late(), null)
      else if (this.#underWay.size === 0) this.#go()
    }, this.#race.lookupPatience)
    for (const [index, lookup] of this.#race.lookups.entries()) {
      lookup.then(
        (addresses) => this.#found(index, addresses),
        (cause: Error) => {
          this.#failure ??= cause
          this.#found(index, [])
        }
      )
    }
  }

  #found(index: number, addresses: ReadonlyArray<string>): void {
    // The result of a late lookup is ignored: its addresses were not checked with the others.
    if (this.#isOver || this.#pending === 0) return
    this.#pending -= 1
    if (index === 0) this.#isPreferredPending = false
    const fresh = addresses.filter((address) => !this.#known.has(address))
    try {
      const allowed = fresh.length === 0 ? [] : this.#race.judge(fresh)
      for (const address of allowed) this.#known.add(address)
      // The preferred family comes first, even if its lookup ended later.
      this.#waiting = index === 0 ? alternating(allowed, this.#waiting) : alternating(this.#waiting, allowed)
    } catch (refusal) {
      return this.#end(refusal as Error, null)
    }
    if (this.#underWay.size > 0) {
      if (this.#waiting.length > 0 && this.#next === undefined) this.#goAfter(attemptDelay)
    } else if (this.#isPreferredPending && this.#waiting.length > 0) this.#goAfter(resolutionDelay)
    else this.#go()
  }

  #goAfter(delay: number): void {
    clearTimeout(this.#next)
    this.#next = setTimeout(() => this.#go(), delay)
  }

  /** Tries the next address, or ends the race when there is nothing left to wait for. */
  #go(): void {
    clearTimeout(this.#next)
    this.#next = undefined
    if (this.#isOver) return
    const [address, ...others] = this.#tried < maximumAddresses ? this.#waiting : []
    if (address === undefined) {
      if (this.#underWay.size === 0 && this.#pending === 0) {
        this.#end(this.#failure ?? this.#race.without.nameless(), null)
      }
      return
    }
    this.#waiting = others
    this.#tried += 1
    const socket = this.#race.connect(address, (error, made) => {
      this.#underWay.delete(socket)
      if (this.#isOver) return
      if (error === null) return this.#end(null, made)
      this.#failure = error
      this.#go()
    })
    this.#underWay.add(socket)
    if (this.#waiting.length > 0) this.#goAfter(attemptDelay)
  }

  #end(error: Error | null, socket: Socket | null): void {
    if (this.#isOver) return
    this.#isOver = true
    clearTimeout(this.#next)
    clearTimeout(this.#lookupEnd)
    for (const other of this.#underWay) other.destroy(new Error("another address connected first"))
    this.#done(error, socket)
  }
}

/**
 * Connects to the first address of a name that answers (Happy Eyeballs, RFC 8305): starts with the known addresses,
 * tries the next one in parallel after 250 ms without an answer, and at once after a failure. Addresses are checked
 * as they become known, and before they are connected to. A refused one ends the race.
 */
export const raceForConnection = <Socket extends Abandonable>(
  race: Race<Socket>,
  done: (error: Error | null, socket: Socket | null) => void
): void => new Runner(race, done).start()

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
