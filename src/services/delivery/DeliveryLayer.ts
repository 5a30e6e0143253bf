import { Effect, Layer } from "effect"
import { Sequencer } from "../log/Sequencer.ts"
import { DeliveryHealth } from "./DeliveryHealth.ts"
import { Dispatcher } from "./Dispatcher.ts"
import { EndpointActor } from "./EndpointActor.ts"
import { Lanes } from "./EndpointLane.ts"
import { FeedBuffer } from "./FeedBuffer.ts"
import { DeliveryMinutes } from "./LaneAttempts.ts"
import { LaneJournal } from "./LaneJournal.ts"
import { LaneStore } from "./LaneStore.ts"
import { Sender } from "./Sender.ts"
import { EndpointDirectory } from "./webhooks/EndpointDirectory.ts"
import { WebhookPurge } from "./webhooks/WebhookEndpoints.ts"
import { WebhookSecrets } from "./webhooks/WebhookSecrets.ts"

/** The dispatcher and the endpoint actors of this node, and their parts. */
const layerSending = Layer.effectDiscard(
  Effect.gen(function*() {
    const dispatcher = yield* Dispatcher
    yield* Effect.forkScoped(dispatcher.run)
  })
).pipe(
  Layer.provideMerge(Dispatcher.layer),
  Layer.provideMerge(EndpointActor.layer),
  Layer.provideMerge(Lanes.layer),
  Layer.provideMerge(Sender.layer),
  Layer.provideMerge(LaneJournal.layer),
  Layer.provideMerge(LaneStore.layer),
  Layer.provideMerge([
    FeedBuffer.layer,
    EndpointDirectory.layer,
    DeliveryMinutes.layer,
    WebhookSecrets.layer
  ])
)

/**
 * Everything between a committed event and the 2xx of its receivers: sequencer, dispatcher, endpoint actors, sender and
 * the measures of their health.
 */
export const layer = Layer.mergeAll(layerSending, DeliveryHealth.layerMetrics).pipe(
  Layer.provideMerge([DeliveryHealth.layer, WebhookPurge.layer, Sequencer.layer])
)
