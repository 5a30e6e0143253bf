import { Effect } from "effect"
import { Hex } from "effect/encoding"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/composition/Api.ts"
import { includedGuides, llmsFullText, llmsText } from "../../api/composition/docs/LlmsFull.ts"
import { toYaml } from "../../api/composition/docs/OpenApi.ts"
import { matchesEtag } from "../../domain/ground/wire/EntityTag.ts"
import { Cryptography } from "../../services/ground/platform/Cryptography.ts"
import { Guides } from "../../services/ground/platform/Ports.ts"
import { Settings } from "../../services/ground/platform/Settings.ts"
import { Signing } from "../../services/keys/security/Signing.ts"
import { meta, one } from "../ground/edge/Reply.ts"
import {
  metricsAnswer,
  pageHeaders,
  readinessAnswer,
  staticAnswer,
  staticServices
} from "../ground/edge/StaticAnswer.ts"
import { ContractDocument } from "./pages/ContractDocument.ts"
import { errorsPage } from "./pages/ErrorPages.ts"

const alive = one(Effect.succeed({ status: "ok" as const }))

export const layer = HttpApiBuilder.group(
  Api,
  "system",
  Effect.fn(function*(handlers) {
    const services = yield* staticServices
    const guides = yield* Guides
    const { document } = yield* ContractDocument
    const crypto = yield* Cryptography
    const metrics = yield* metricsAnswer
    const { answer: readiness } = yield* readinessAnswer
    const settings = yield* Settings
    const signing = yield* Signing

    /** A cacheable answer: strong ETag, short lifetime, 304 when the caller has it (RFC 9110 section 13.1.2). */
    const cacheable = (contentType: string, text: string) =>
      Effect.gen(function*() {
        const request = yield* HttpServerRequest.HttpServerRequest
        const etag = `"${Hex.encode(crypto.sha256(text)).slice(0, 32)}"`
        const headers = { etag, "cache-control": "public, max-age=60" }
        return matchesEtag(request.headers["if-none-match"], etag)
          ? HttpServerResponse.empty({ status: 304, headers })
          : HttpServerResponse.text(text, { contentType, headers })
      })

    // Each is made at its first request, because few callers ask for them and a start should not wait.
    const fixed = (contentType: string, text: Effect.Effect<string>) => staticAnswer(services, text, { contentType })
    const markdown = "text/markdown; charset=utf-8"
    const openApi = yield* fixed("application/yaml; charset=utf-8", Effect.map(document, toYaml))
    const openApiJson = yield* fixed("application/json", Effect.map(document, (document) => JSON.stringify(document)))
    const llms = yield* fixed(markdown, Effect.sync(() => llmsText(settings.publicUrl)))
    const llmsFull = yield* fixed(
      markdown,
      Effect.zipWith(
        document,
        Effect.forEach(includedGuides.filter((path) => guides.paths.includes(path)), guides.read),
        (document, texts) => llmsFullText(settings.publicUrl, document, texts)
      )
    )
    const errors = yield* staticAnswer(services, Effect.sync(errorsPage), {
      contentType: "text/html; charset=utf-8",
      headers: pageHeaders()
    })

    return handlers.handleAll({
      health: () => alive,
      healthz: () => alive,
      readyz: () =>
        Effect.gen(function*() {
          const { data, status } = yield* readiness
          return HttpServerResponse.jsonUnsafe({ data, meta: yield* meta }, { status })
        }),
      getMetrics: () => metrics,
      listPublicKeys: () =>
        Effect.gen(function*() {
          const { data: { endorsement, keys: data, revoked }, meta } = yield* one(signing.published)
          const keys = { data, ...(revoked.length === 0 ? {} : { revoked }), endorsement }
          // The envelope's meta differs in every answer, so the tag covers only the keys.
          const response = yield* cacheable("application/json", JSON.stringify(keys))
          return response.status === 304
            ? response
            : HttpServerResponse.setBody(response, HttpServerResponse.jsonUnsafe({ ...keys, meta }).body)
        }),
      getJsonWebKeySet: () =>
        Effect.flatMap(signing.jwks, (keys) => cacheable("application/jwk-set+json", JSON.stringify(keys))),
      getOpenApi: () => openApi,
      getOpenApiJson: () => openApiJson,
      getLlmsText: () => llms,
      getLlmsFullText: () => llmsFull,
      getErrorReference: () => errors
    })
  })
)
