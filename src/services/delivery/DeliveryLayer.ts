import { Effect, Layer } from "effect"
import { Singleton } from "effect/cluster"
import { Sequencer } from "../events/Sequencer.ts"
import { EndpointDirectory } from "../webhooks/EndpointDirectory.ts"
import { WebhookPurge } from "../webhooks/WebhookPurge.ts"
import { WebhookSecrets } from "../webhooks/WebhookSecrets.ts"
import { DeliveryHealth } from "./DeliveryHealth.ts"
import { DeliveryMinutes } from "./DeliveryMinutes.ts"
import { Dispatcher } from "./Dispatcher.ts"
import { EndpointActor } from "./EndpointActor.ts"
import { Lanes } from "./EndpointLane.ts"
import { FeedBuffer } from "./FeedBuffer.ts"
import { LaneJournal } from "./LaneJournal.ts"
import { LaneStore } from "./LaneStore.ts"
import { Sender } from "./Sender.ts"

/** The dispatcher and the actors of this node, and their parts, without the sequencer. */
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

/** One sequencer and one purge in the whole cluster, wherever it places them. */
const layerSingletons = Layer.mergeAll(
  Layer.unwrap(Effect.map(Sequencer, ({ run }) => Singleton.make("sequencer", run))),
  Layer.unwrap(Effect.map(WebhookPurge, ({ run }) => Singleton.make("webhook-purge", run)))
).pipe(Layer.provide(WebhookPurge.layer), Layer.provideMerge(Sequencer.layer))

/**
 * Everything between a committed event and the 2xx of its receivers: sequencer, dispatcher, endpoint actors, sender and
 * the measures of their health.
 */
export const layer = Layer.mergeAll(layerSingletons, layerSending, DeliveryHealth.layerMetrics).pipe(
  Layer.provideMerge(DeliveryHealth.layer)
)
