import type { Socket } from "node:net"
import { inCidrs } from "../../domain/ground/admission/Address.ts"
import { networkOf } from "../../domain/ground/admission/DoorLimits.ts"
import type { DoorLimits } from "../../domain/ground/admission/DoorLimits.ts"
import type { DoorKeeper } from "./DoorKeeper.ts"

/** The limit that a connection exceeds. */
export type ConnectionExcess = "connections" | "connections_per_address"

/** Counts connections, in all and of each network. */
export class ConnectionLimits {
  private readonly limits: Pick<DoorLimits, "connections" | "connectionsPerAddress">
  private readonly networks = new Map<string, number>()
  private established = 0

  constructor(limits: Pick<DoorLimits, "connections" | "connectionsPerAddress">) {
    this.limits = limits
  }

  /** Counts a connection until it closes, unless there are too many. Answers the limit that it exceeds. */
  count(socket: Socket, { admission, trustedProxies }: DoorKeeper): ConnectionExcess | undefined {
    if (this.established >= this.limits.connections) return "connections"
    this.established += 1
    admission.connections(1)
    socket.once("close", () => {
      this.established -= 1
      admission.connections(-1)
    })
    const peer = socket.remoteAddress
    // A proxy carries many callers.
    if (peer === undefined || inCidrs(peer, trustedProxies)) return undefined
    const count = this.add(socket, networkOf(peer))
    return count > this.limits.connectionsPerAddress ? "connections_per_address" : undefined
  }

  private add(socket: Socket, network: string): number {
    const { networks } = this
    const count = (networks.get(network) ?? 0) + 1
    networks.set(network, count)
    socket.once("close", () => {
      const left = (networks.get(network) ?? 1) - 1
      if (left === 0) networks.delete(network)
      else networks.set(network, left)
    })
    return count
  }
}
