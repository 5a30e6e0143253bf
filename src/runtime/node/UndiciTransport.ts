import { Context, Effect, Layer } from "effect"
import * as Dns from "node:dns/promises"
import { isIP } from "node:net"
import { buildConnector, errors, Pool } from "undici"
import type { Dispatcher } from "undici"
import { inCidrs, isForbidden } from "../../domain/admission/Address.ts"
import { Settings } from "../../services/platform/Settings.ts"
import type { AttemptAnswer, OutgoingRequest, TransportError } from "../../services/platform/Transport.ts"
import { Transport } from "../../services/platform/Transport.ts"
import { ReceiverAddresses } from "../../services/webhooks/ReceiverAddresses.ts"
import type { AddressVerdict } from "../../services/webhooks/ReceiverAddresses.ts"

/** Timeouts of the parts of an attempt and of the whole, in milliseconds. */
const patience = { dns: 2_000, connect: 5_000, headers: 10_000, total: 15_000 } as const

/** Sizes are in bytes. */
const limits = {
  headerBytes: 16 * 1024,
  bodyBytes: 4 * 1024,
  origins: 512,
  targets: 4096,
  addresses: 3
} as const

const kept = ["webhook-delivery", "retry-after"] as const

/** The parts of a URL that a request needs. */
interface Target {
  readonly origin: string
  readonly path: string
}

/** The reason why there is no connection; `kind` is what the attempt reports. */
class Refused extends Error {
  readonly kind: TransportError
  constructor(kind: TransportError, message: string) {
    super(message)
    this.kind = kind
  }
}

/** There is no such name, or it has no address: asking again would be answered the same. */
class Nameless extends Refused {
  constructor() {
    super("dns", "the name does not resolve")
  }
}

/** What the transport needs from its surroundings; tests replace it. */
export const TransportSurroundings = Context.Reference<{
  /** Resolves a host name to all of its addresses. */
  readonly resolve: (hostname: string) => Promise<ReadonlyArray<string>>
  /** Whether this service itself listens on an address and port. */
  readonly isOwnAddress: (address: string, port: number) => boolean
  readonly patience: { readonly [Part in keyof typeof patience]: number }
  /** Certificates (PEM) trusted instead of the system's. */
  readonly trusted?: string | undefined
}>("countersign/runtime/TransportSurroundings", {
  defaultValue: () => ({ resolve: resolveHost, isOwnAddress: () => false, patience })
})

// Names that mean the same everywhere, and that no name server is asked for (RFC 6761 sections 6.3 and 6.4).
const isLocalhost = (hostname: string): boolean => /^(?:.+\.)?localhost\.?$/.test(hostname)
const isInvalid = (hostname: string): boolean => /^(?:.+\.)?invalid\.?$/.test(hostname)

/**
 * Queries the name servers directly, because slow ones would fill the thread pool; names unknown to them are looked up
 * in the hosts file.
 */
const resolveHost = async (hostname: string): Promise<ReadonlyArray<string>> => {
  if (isLocalhost(hostname)) return ["127.0.0.1", "::1"]
  if (isInvalid(hostname)) return []
  const resolver = new Dns.Resolver({ timeout: 900, tries: 2 })
  const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
  const found = answers.flatMap((answer) => answer.status === "fulfilled" ? answer.value : [])
  if (found.length > 0) return found
  const late = answers.find((answer) => answer.status === "rejected" && answer.reason?.code === "ETIMEOUT")
  if (late !== undefined) throw new Refused("dns", "the name servers do not answer")
  const entries = await Dns.lookup(hostname, { all: true, verbatim: true })
  return entries.map(({ address }) => address)
}

const within = <A>(promise: Promise<A>, millis: number, refusal: () => Error): Promise<A> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(refusal()), millis)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

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

/** Classifies an error of the connection. */
const kindOf = (error: unknown): TransportError => {
  if (error instanceof Refused) return error.kind
  if (error instanceof errors.HTTPParserError) return "protocol"
  const code = String((error as { readonly code?: unknown } | null)?.code ?? "")
  if (tlsCode.test(code)) return "tls"
  if (connectCodes.has(code)) return "connect"
  if (code === "UND_ERR_HEADERS_TIMEOUT" || code === "UND_ERR_BODY_TIMEOUT") return "timeout"
  if (code === "UND_ERR_HEADERS_OVERFLOW") return "protocol"
  return "reset"
}

/**
 * Sends deliveries over HTTP/1.1 with keep-alive. Every connection resolves the name again, checks every address, and
 * connects to an address that was checked, so a DNS answer that changes in between (rebinding) has no effect. Redirects
 * are not followed, and certificates are verified.
 */
export const layer = Layer.effectContext(
  Effect.gen(function*() {
    const { webhookAllowedCidrs } = yield* Settings
    const { isOwnAddress, patience, resolve, trusted } = yield* TransportSurroundings
    const connectTo = buildConnector({
      timeout: patience.connect,
      allowH2: false,
      ...(trusted === undefined ? {} : { ca: trusted })
    })

    const isRefused = (address: string, protocol: string, port: number): boolean =>
      isForbidden(address, webhookAllowedCidrs) ||
      (protocol !== "https:" && !inCidrs(address, webhookAllowedCidrs)) || isOwnAddress(address, port)

    const judged = async (hostname: string, protocol: string, port: number): Promise<ReadonlyArray<string>> => {
      const found = isIP(hostname) === 0
        ? await within(resolve(hostname), patience.dns, () => new Refused("dns", "the name is not resolved in time"))
          .catch(
            (cause: unknown) => {
              if (cause instanceof Refused) throw cause
              throw (cause as NodeJS.ErrnoException).code === "ENOTFOUND"
                ? new Nameless()
                : new Refused("dns", "the name servers give no answer")
            }
          )
        : [hostname]
      if (found.length === 0) throw new Nameless()
      // This machine has both loopback addresses, and the operator may have allowed only one of them.
      const addresses = isLocalhost(hostname) ? found.filter((address) => !isRefused(address, protocol, port)) : found
      if (addresses.length === 0 || addresses.some((address) => isRefused(address, protocol, port))) {
        throw new Refused("address_not_allowed", "address not allowed")
      }
      return addresses
    }

    const connect: buildConnector.connector = (options, callback) => {
      const port = Number(options.port || (options.protocol === "https:" ? 443 : 80))
      const attempt = (addresses: ReadonlyArray<string>): void => {
        const [address, ...others] = addresses
        connectTo({
          ...options,
          hostname: address!,
          // The certificate must match the name, whichever address answers.
          ...(options.protocol === "https:" && isIP(options.hostname) === 0
            ? { servername: options.servername ?? options.hostname }
            : {})
        }, (error, socket) => {
          if (error === null) return callback(null, socket)
          if (others.length > 0 && kindOf(error) === "connect") return attempt(others)
          callback(error, null)
        })
      }
      const start = async () => {
        try {
          attempt((await judged(options.hostname, options.protocol, port)).slice(0, limits.addresses))
        } catch (error) {
          callback(error as Error, null)
        }
      }
      void start()
    }

    const targets = new Map<string, Target>()
    const targetOf = (url: string): Target => {
      const known = targets.get(url)
      if (known !== undefined) return known
      const { origin, pathname, search } = new URL(url)
      const target = { origin, path: pathname + search }
      if (targets.size >= limits.targets) targets.clear()
      targets.set(url, target)
      return target
    }

    const pools = new Map<string, Pool>()
    const poolOf = (origin: string): Pool => {
      const known = pools.get(origin)
      if (known !== undefined) {
        pools.delete(origin)
        pools.set(origin, known)
        return known
      }
      // The number of attempts in flight bounds the connections, so a hanging endpoint takes none from others of its
      // origin.
      const made = new Pool(origin, {
        connect,
        allowH2: false,
        connections: null,
        pipelining: 1,
        keepAliveTimeout: 4_000,
        keepAliveMaxTimeout: 30_000,
        maxHeaderSize: limits.headerBytes,
        headersTimeout: patience.headers,
        bodyTimeout: patience.headers
      })
      pools.set(origin, made)
      const oldest = pools.keys().next()
      if (pools.size > limits.origins && oldest.done !== true) {
        void pools.get(oldest.value)?.close()
        pools.delete(oldest.value)
      }
      return made
    }
    yield* Effect.addFinalizer(() =>
      Effect.promise(() => Promise.allSettled([...pools.values()].map((pool) => pool.destroy())))
    )

    const post = (request: OutgoingRequest, answer: (answer: AttemptAnswer) => void): () => void => {
      const { origin, path } = targetOf(request.url)
      let controller: Dispatcher.DispatchController | undefined
      let received: AttemptAnswer | undefined
      let bytes = 0
      let isOver = false
      const end = (outcome: AttemptAnswer, isAborted: boolean) => {
        if (isOver) return
        isOver = true
        clearTimeout(timer)
        answer(outcome)
        if (isAborted) controller?.abort(new Refused("reset", "no more is read"))
      }
      const timer = setTimeout(() => end({ error: "timeout" }, true), patience.total)
      poolOf(origin).dispatch({
        method: "POST",
        path,
        headers: request.headers,
        body: request.body
      }, {
        onRequestStart: (started) => {
          controller = started
          if (isOver) started.abort(new Refused("timeout", "the attempt is over"))
        },
        onResponseStart: (_, status, headers) => {
          if (status < 200) return
          received = { status, headers: Object.fromEntries(kept.map((name) => [name, headers[name]])) }
        },
        onResponseData: (_, chunk) => {
          bytes += chunk.length
          if (bytes > limits.bodyBytes && received !== undefined) end(received, true)
        },
        onResponseEnd: () => end(received ?? { error: "protocol" }, false),
        onResponseError: (_, error) => end({ error: kindOf(error) }, false)
      })
      return () => {
        if (isOver) return
        isOver = true
        clearTimeout(timer)
        controller?.abort(new Refused("reset", "the attempt is given up"))
      }
    }

    const judge = (url: string) =>
      Effect.promise(async (): Promise<AddressVerdict> => {
        const { hostname, port, protocol } = new URL(url)
        const host = hostname.replace(/^\[|\]$/g, "")
        try {
          await judged(host, protocol, Number(port || (protocol === "https:" ? 443 : 80)))
          return "allowed"
        } catch (cause) {
          if (cause instanceof Nameless) return "nameless"
          return kindOf(cause) === "dns" ? "allowed" : "refused"
        }
      })

    return Context.make(Transport, { post }).pipe(Context.add(ReceiverAddresses, { judge }))
  })
)
