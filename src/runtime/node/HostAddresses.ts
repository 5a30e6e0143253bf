import * as Dns from "node:dns/promises"
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
export const late = (): Refused => new Refused("dns", "the name is not resolved in time")

// Names with a fixed meaning, for which no name server is queried (RFC 6761 sections 6.3 and 6.4).
export const isLocalhost = (hostname: string): boolean => /^(?:.+\.)?localhost\.?$/.test(hostname)
const isInvalid = (hostname: string): boolean => /^(?:.+\.)?invalid\.?$/.test(hostname)

/** A silent name server is queried twice, within the timeout of an attempt: 0.6 s and 1.2 s. */
const servers = { timeout: 600, tries: 2 } as const

const codeOf = (cause: unknown): unknown => (cause as { readonly code?: unknown } | null)?.code

/**
 * Looks up the addresses of a host, each family separately, so that a server which never answers for one does not
 * delay the other. Name servers are queried directly, because slow ones would fill the thread pool. A name that they
 * do not know is looked up in the hosts file.
 */
export const resolveHost = (hostname: string): ReadonlyArray<Promise<ReadonlyArray<string>>> => {
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
export const lookUp = (
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
