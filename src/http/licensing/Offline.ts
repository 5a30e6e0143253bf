import { Effect, Layer } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { matchesEtag } from "../../domain/ground/wire/EntityTag.ts"
import { Offline } from "../../services/licensing/offline/Offline.ts"
import { gzip, Revocations } from "../../services/keys/security/Revocations.ts"
import { meta, one, signed } from "../ground/edge/Reply.ts"
import { Api } from "../../api/composition/Api.ts"
import { RuntimeCaller } from "../../api/ground/Middleware.ts"
import { question } from "./Runtime.ts"

const envelopes = HttpApiBuilder.group(
  Api,
  "offline",
  Effect.fn(function*(handlers) {
    const offline = yield* Offline
    return handlers.handleAll({
      issueOfflineLicense: (request) =>
        one(Effect.flatMap(RuntimeCaller, (caller) => offline.issue(caller, question(request))))
    })
  })
)

/** Lists below this many characters are not worth compressing. */
const worthCompressing = 2048

/** Whether an `Accept-Encoding` header (RFC 9110 section 12.5.3) names gzip as acceptable. */
const takesGzip = (header: string | undefined): boolean =>
  (header ?? "").split(",").some((text) => /^\s*gzip\s*(;\s*q=(1|0\.\d*[1-9]\d*)(\.0*)?\s*)?$/i.test(text))

/**
 * Answers a list: 304 when the caller has it, compressed when the caller accepts that. The entity tag is weak (RFC 9110
 * section 8.8.1), because `meta` differs between answers with the same list. The compressed answer consists of two
 * members of one gzip file (RFC 1952), so the list is compressed once for all callers.
 */
const sendList = Effect.fnUntraced(function*(current: Revocations["Service"]["current"]) {
  const list = yield* current
  const { headers: requestHeaders } = yield* HttpServerRequest.HttpServerRequest
  const etag = `"${list.tag}"`
  const headers = { etag: `W/${etag}`, "cache-control": "public, max-age=60", vary: "accept-encoding" }
  if (matchesEtag(requestHeaders["if-none-match"], etag)) return HttpServerResponse.empty({ status: 304, headers })
  if (list.data.length < worthCompressing || !takesGzip(requestHeaders["accept-encoding"])) {
    return HttpServerResponse.setHeaders(yield* signed(Effect.succeed(list)), headers)
  }
  const head = yield* list.compressedHead
  const tail = yield* gzip(`${JSON.stringify(yield* meta)}}`)
  const body = new Uint8Array(head.length + tail.length)
  body.set(head)
  body.set(tail, head.length)
  return HttpServerResponse.uint8Array(body, {
    contentType: "application/json",
    headers: { ...headers, "content-encoding": "gzip" }
  })
})

const revocations = HttpApiBuilder.group(
  Api,
  "revocations",
  Effect.fn(function*(handlers) {
    const revocations = yield* Revocations
    return handlers.handleAll({ getRevocationList: () => sendList(revocations.current) })
  })
)

export const layer = Layer.mergeAll(envelopes, revocations)
