import { Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { lookup } from "node:dns/promises"
import { networkInterfaces } from "node:os"
import { ClusterAddress } from "../Cluster.ts"
import { TransportSurroundings } from "./GuardedConnect.ts"

const wildcards: ReadonlySet<string> = new Set(["0.0.0.0", "::"])

/** Reduces an IPv4-mapped IPv6 address (RFC 4291 section 2.5.5.2) to its IPv4 address. */
const plain = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, "")

/** Whether a connection to `address` and `port` reaches a server that listens on `bound`. */
export const isListening = (
  bound: { readonly address: string; readonly port: number },
  interfaces: ReadonlyArray<string>,
  address: string,
  port: number
): boolean => {
  if (port !== bound.port) return false
  const target = plain(address)
  if (!wildcards.has(bound.address)) return target === plain(bound.address)
  return wildcards.has(target) || target.startsWith("127.") || target === "::1" || interfaces.includes(target)
}

const addressesOf = (host: string): Effect.Effect<ReadonlyArray<string>> =>
  Effect.promise(() => lookup(host, { all: true }).then((found) => found.map(({ address }) => address), () => [host]))

/** Keeps deliveries away from the service's own ports, including the cluster's, whatever ranges are allowed. */
export const layer = Layer.effect(
  TransportSurroundings,
  Effect.gen(function*() {
    const surroundings = yield* TransportSurroundings
    const { address } = yield* HttpServer.HttpServer
    const cluster = (yield* ClusterAddress).bound
    const listens = [
      ...(address._tag === "UnixPathAddress" ? [] : [{ address: String(address.address), port: address.port }]),
      ...(cluster === undefined
        ? []
        : (yield* addressesOf(cluster.host)).map((address) => ({ address, port: cluster.port })))
    ]
    return {
      ...surroundings,
      isOwnAddress: (target: string, port: number) => {
        if (!listens.some((bound) => bound.port === port)) return false
        const interfaces = Object.values(networkInterfaces()).flatMap((entries) =>
          (entries ?? []).map(({ address }) => address)
        )
        return listens.some((bound) => isListening(bound, interfaces, target, port))
      }
    }
  })
)
