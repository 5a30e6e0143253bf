import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Effect, Layer, Tracer } from "effect"
import { OtlpResource, OtlpSerialization } from "effect/observability"
import { randomUUID } from "node:crypto"
import manifest from "../../../package.json" with { type: "json" }
import type { TraceSettings } from "../config/TraceTable.ts"
import { makeSpanExport } from "./SpanExport.ts"
import { makeTracer } from "./SpanMaking.ts"
import type { TracerOptions } from "./SpanMaking.ts"

/** The tracer of this process, which exports to the configured collector. */
export const layer = (settings: TraceSettings, routeOf: TracerOptions["routeOf"]) =>
  Layer.effect(
    Tracer.Tracer,
    Effect.gen(function*() {
      const resource = OtlpResource.make({
        serviceName: settings.serviceName ?? settings.resource["service.name"] ?? "countersign",
        serviceVersion: settings.resource["service.version"] ?? manifest.version,
        attributes: { "service.instance.id": randomUUID(), ...settings.resource }
      })
      const { push } = yield* makeSpanExport(settings, resource, { name: "countersign", version: manifest.version })
      return makeTracer({ sampler: settings.sampler, routeOf, push })
    })
  ).pipe(
    Layer.provide(
      settings.protocol === "http/json" ? OtlpSerialization.layerJson : OtlpSerialization.layerProtobuf
    ),
    // The undici client loads undici in a way that breaks in a bundle.
    Layer.provide(NodeHttpClient.layerNodeHttp)
  )
