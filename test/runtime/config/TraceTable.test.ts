import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Redacted } from "effect"
import { load } from "../../../src/runtime/config/Config.ts"

/** The settings of traces in this environment. */
const traces = (environment: Readonly<Record<string, string>>) =>
  load({ cwd: "/nonexistent", isRoot: false, isTerminal: false, variables: [] }).pipe(
    Effect.map(({ traces }) => traces),
    Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord({
      COUNTERSIGN_MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
      COUNTERSIGN_ADMIN_TOKEN: "Zk3vQ9mT1xWs7LbR5nHdYc2P",
      ...environment
    })))
  )

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318/base/" }

describe("the settings of traces", () => {
  it.effect("are off without an endpoint, and as the specification says with one", () =>
    Effect.gen(function*() {
      assert.isUndefined(yield* traces({}))
      // What is for other programs of the same environment keeps nothing from starting.
      assert.isUndefined(yield* traces({ OTEL_EXPORTER_OTLP_PROTOCOL: "grpc", OTEL_SDK_DISABLED: "TRUE", ...endpoint }))
      assert.isUndefined(yield* traces({ OTEL_TRACES_EXPORTER: "none", ...endpoint }))
      assert.strictEqual((yield* traces({ OTEL_TRACES_EXPORTER: "otlp" }))?.url, "http://localhost:4318/v1/traces")
      const found = yield* traces(endpoint)
      assert.deepInclude(found, {
        url: "http://127.0.0.1:4318/base/v1/traces",
        protocol: "http/protobuf",
        compression: "none",
        timeout: 10_000,
        delay: 5_000,
        queue: 2048,
        batch: 512
      })
      assert.deepStrictEqual(Redacted.value(found!.headers), {})
    }))

  it.effect("of traces come before those of everything", () =>
    Effect.gen(function*() {
      const found = yield* traces({
        ...endpoint,
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://collector.example.com/as/it/is/?tenant=1",
        OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20general",
        OTEL_EXPORTER_OTLP_TRACES_HEADERS: " x-api-key = sesame%2C1 , x-tenant=2",
        OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf",
        OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/json",
        OTEL_RESOURCE_ATTRIBUTES: "service.namespace=shop,deployment.environment.name=a%20b",
        OTEL_SERVICE_NAME: "licenses",
        OTEL_BSP_MAX_QUEUE_SIZE: "100"
      })
      assert.deepInclude(found, {
        url: "https://collector.example.com/as/it/is/?tenant=1",
        protocol: "http/json",
        serviceName: "licenses",
        resource: { "service.namespace": "shop", "deployment.environment.name": "a b" },
        queue: 100,
        batch: 100
      })
      assert.deepStrictEqual(Redacted.value(found!.headers), { "x-api-key": "sesame,1", "x-tenant": "2" })
      assert.notInclude(JSON.stringify(found), "sesame")
    }))

  it.effect("that are wrong are told together, and none of their secrets", () =>
    Effect.gen(function*() {
      const wrong = {
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://user:hush@collector",
        OTEL_EXPORTER_OTLP_HEADERS: "hush",
        OTEL_EXPORTER_OTLP_TRACES_HEADERS: "x-key=hush%zz",
        OTEL_EXPORTER_OTLP_PROTOCOL: "grpc",
        OTEL_EXPORTER_OTLP_COMPRESSION: "zstd",
        OTEL_EXPORTER_OTLP_TIMEOUT: "soon",
        OTEL_RESOURCE_ATTRIBUTES: "shop",
        OTEL_TRACES_SAMPLER: "xray",
        OTEL_TRACES_SAMPLER_ARG: "1.5",
        OTEL_BSP_SCHEDULE_DELAY: "0",
        OTEL_BSP_MAX_QUEUE_SIZE: "0",
        OTEL_BSP_MAX_EXPORT_BATCH_SIZE: "2049"
      }
      const { message } = yield* Effect.flip(traces({ ...endpoint, ...wrong }))
      for (const name of Object.keys(wrong)) assert.include(message, `\n  ${name} must `)
      assert.strictEqual(message.match(/Example:/g)?.length, Object.keys(wrong).length)
      assert.include(message, "must be http/protobuf or http/json, not \"grpc\"; collectors take those at port 4318")
      assert.include(message, "must be at most OTEL_BSP_MAX_QUEUE_SIZE, which is 2048")
      assert.notInclude(message, "hush")

      const early = {
        OTEL_SDK_DISABLED: "yes",
        OTEL_TRACES_EXPORTER: "zipkin",
        OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector?x=1"
      }
      const { message: more } = yield* Effect.flip(traces(early))
      for (const name of Object.keys(early)) assert.include(more, `\n  ${name} must `)
    }))
})
