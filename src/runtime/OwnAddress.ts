import { Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { networkInterfaces } from "node:os"
import { TransportSurroundings } from "./UndiciTransport.ts"

const wildcards: ReadonlySet<string> = new Set(["0.0.0.0", "::"])

/** IPv4 in IPv6 (RFC 4291 section 2.5.5.2) is the IPv4 address it carries. */
const plain = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, "")

/** Whether a socket to `address` and `port` ends at a server that listens on `bound`. */
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

/** Keeps deliveries from being sent to the service's own port, whatever ranges are allowed. */
export const layer = Layer.effect(
  TransportSurroundings,
  Effect.gen(function*() {
    const surroundings = yield* TransportSurroundings
    const { address } = yield* HttpServer.HttpServer
    if (address._tag === "UnixPathAddress") return surroundings
    const bound = { address: String(address.address), port: address.port }
    return {
      ...surroundings,
      isOwnAddress: (target: string, port: number) =>
        isListening(
          bound,
          Object.values(networkInterfaces()).flatMap((entries) => (entries ?? []).map(({ address }) => address)),
          target,
          port
        )
    }
  })
)
