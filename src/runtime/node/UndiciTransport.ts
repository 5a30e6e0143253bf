import { Context, Effect, Layer } from "effect"
import type { buildConnector, Dispatcher, Pool } from "undici"
import { ReceiverAddresses } from "../../services/delivery/webhooks/WebhookEndpoints.ts"
import type { AddressVerdict } from "../../services/delivery/webhooks/WebhookEndpoints.ts"
import { Settings } from "../../services/ground/platform/Settings.ts"
import type { AttemptAnswer, OutgoingRequest } from "../../services/ground/platform/Transport.ts"
import { Transport } from "../../services/ground/platform/Transport.ts"
import {
  allAddresses,
  guardedConnect,
  kindOf,
  loadUndici,
  Nameless,
  Refused,
  TransportSurroundings
} from "./GuardedConnect.ts"
import type { Undici } from "./GuardedConnect.ts"

/**
 * How long, in milliseconds, an attempt waits for the end of an answer whose status it knows. Most end in the same packet,
 * and their connection is then free for the next attempt.
 */
const bodyPatience = 250

/** Sizes are in bytes. */
const limits = {
  headerBytes: 16 * 1024,
  bodyBytes: 4 * 1024,
  origins: 512,
  targets: 4096,
  draining: 128
} as const

const kept = ["webhook-delivery", "retry-after", "location"] as const

/** The HTTP client, and how all of its connections are made. */
interface Client {
  readonly undici: Undici
  readonly connect: buildConnector.connector
}

/** The parts of a URL that a request needs. */
interface Target {
  readonly origin: string
  readonly path: string
}

/**
 * Sends deliveries over HTTP/1.1 with keep-alive. Every connection resolves the name again, checks every address that is
 * known, and connects only to addresses that were checked, so a DNS answer that changes in between (rebinding) has no effect. Redirects
 * are not followed, and certificates are verified.
 */
export const layer = Layer.effectContext(
  Effect.gen(function*() {
    const { webhookAllowedCidrs } = yield* Settings
    const surroundings = yield* TransportSurroundings
    const { patience } = surroundings
    const { connectorOf, judged, lookups } = guardedConnect(surroundings, webhookAllowedCidrs)

    let client: Client | undefined
    const loadClient = async (): Promise<Client> => {
      const undici = await loadUndici()
      return client ??= { undici, connect: connectorOf(undici) }
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
    const poolOf = ({ connect, undici }: Client, origin: string): Pool => {
      const known = pools.get(origin)
      if (known !== undefined) {
        pools.delete(origin)
        pools.set(origin, known)
        return known
      }
      // The number of attempts in flight bounds the connections, so a hanging endpoint takes none from others of its
      // origin.
      const made = new undici.Pool(origin, {
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

    /** Responses whose body continues after their attempt has ended, oldest first: functions that close them. */
    const draining = new Set<() => void>()
    const drain = (hangUp: () => void) => {
      draining.add(hangUp)
      const [oldest] = draining
      if (draining.size > limits.draining) oldest!()
    }

    const post = (request: OutgoingRequest, answer: (answer: AttemptAnswer) => void): () => void => {
      const { origin, path } = targetOf(request.url)
      const started = performance.now()
      let controller: Dispatcher.DispatchController | undefined
      let received: AttemptAnswer | undefined
      let bytes = 0
      let isOver = false
      /** Settles the outcome, once. */
      const settle = (outcome: AttemptAnswer) => {
        if (isOver) return
        isOver = true
        answer(outcome)
      }
      const abort = () => controller?.abort(new Refused("reset", "no more is read"))
      const hangUp = () => {
        leave()
        abort()
      }
      const leave = () => {
        clearTimeout(timer)
        draining.delete(hangUp)
      }
      let timer = setTimeout(() => {
        settle({ error: "timeout" })
        abort()
      }, patience.total)
      const handler: Dispatcher.DispatchHandler = {
        onRequestStart: (started) => {
          controller = started
          if (isOver) started.abort(new Refused("timeout", "the attempt is over"))
        },
        onResponseStart: (_, status, headers) => {
          if (status < 200) return
          const answered = {
            status,
            headers: Object.fromEntries(kept.flatMap((name) => name in headers ? [[name, headers[name]]] : []))
          }
          received = answered
          // The status and the headers decide the outcome; the rest of the body does not.
          clearTimeout(timer)
          timer = setTimeout(() => {
            timer = setTimeout(hangUp, Math.max(0, started + patience.total - performance.now()))
            drain(hangUp)
            settle(answered)
          }, bodyPatience)
        },
        onResponseData: (_, chunk) => {
          bytes += chunk.length
          if (bytes <= limits.bodyBytes || received === undefined) return
          leave()
          settle(received)
          abort()
        },
        onResponseEnd: () => {
          leave()
          settle(received ?? { error: "protocol" })
        },
        onResponseError: (_, error) => {
          leave()
          settle(received ?? { error: kindOf(error) })
        }
      }
      const dispatch = (client: Client) => {
        if (isOver) return
        const { body, headers } = request
        poolOf(client, origin).dispatch({ method: "POST", path, headers, body }, handler)
      }
      if (client === undefined) loadClient().then(dispatch).catch((error) => settle({ error: kindOf(error) }))
      else dispatch(client)
      return () => {
        if (isOver) return
        isOver = true
        leave()
        controller?.abort(new Refused("reset", "the attempt was canceled"))
      }
    }

    const judge = (url: string) =>
      Effect.promise(async (): Promise<AddressVerdict> => {
        const { hostname, port, protocol } = new URL(url)
        const host = hostname.replace(/^\[|\]$/g, "")
        try {
          const found = await allAddresses(lookups(host), patience.dns)
          judged(host, protocol, Number(port || (protocol === "https:" ? 443 : 80)), found)
          return "allowed"
        } catch (cause) {
          if (cause instanceof Nameless) return "nameless"
          return kindOf(cause) === "dns" ? "unknown" : "refused"
        }
      })

    return Context.make(Transport, { post }).pipe(Context.add(ReceiverAddresses, { judge }))
  })
)
