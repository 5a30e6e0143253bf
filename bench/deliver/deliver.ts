import { Console, Effect } from "effect"
import type { BenchOptions } from "../harness/Options.ts"
import { measureBacklog, printBacklog } from "./deliverBacklog.ts"
import type { PeerResult } from "./deliverPeers.ts"
import { measureDisturbed, measureInTurns } from "./deliverPeers.ts"
import { measureService, printService } from "./deliverService.ts"
import { openStage } from "./DeliveryStage.ts"
import { printPeers } from "./PeerTables.ts"
import { sendersOf } from "./Senders.ts"

/**
 * Webhook delivery: the service beside a bare loop, the delivery of a node beside job queues that do the same work on
 * the same server, and what a backlog does.
 */
export const deliver = ({ json, profile, scenarios, senders: chosen }: BenchOptions) =>
  Effect.gen(function*() {
    const wanted = new Set(scenarios)
    const compared = yield* sendersOf(chosen)
    const service = wanted.has("service") && chosen.includes("countersign")
      ? yield* Effect.scoped(measureService({ profile }))
      : undefined
    if (service !== undefined && !json) yield* printService(service)

    const stage = yield* openStage
    const turns = wanted.has("steady") || wanted.has("burst")
      ? yield* Effect.scoped(measureInTurns(stage, compared, wanted))
      : []
    const peers: Array<PeerResult> = []
    for (const [index, choice] of compared.entries()) {
      peers.push({
        name: choice.name,
        isInstalled: choice.store === "postgres" || stage.redis !== undefined,
        ...turns[index],
        ...yield* measureDisturbed(stage, choice, wanted)
      })
    }
    if (!json) yield* printPeers(peers)

    const backlog = wanted.has("backlog") && chosen.includes("countersign")
      ? yield* Effect.scoped(measureBacklog(stage))
      : undefined
    if (backlog !== undefined && !json) yield* printBacklog(backlog)
    if (json) {
      const withoutSamples = (name: string, value: unknown) => name === "samples" ? undefined : value
      yield* Console.log(JSON.stringify({ service, peers, backlog }, withoutSamples))
    }
    return { service, peers, backlog }
  })
