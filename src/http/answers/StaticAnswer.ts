import { Effect, Stream } from "effect"
import { Hex } from "effect/encoding"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { matchesEtag } from "../../domain/exports/ByteRange.ts"
import type { Admission } from "../../services/admission/Admission.ts"
import type { Cryptography } from "../../services/platform/Cryptography.ts"
import { takePlace } from "./LargeAnswer.ts"

/** The bytes sent at once; the next slice waits until the peer has taken this one (backpressure). */
const slice = 64 * 1024

/** Answers below this many bytes are not compressed. */
const small = 1024

/** The headers of an answer. */
interface StaticOptions {
  readonly contentType: string
  /** Further headers, computed from the text. */
  readonly headers?: (text: string) => Readonly<Record<string, string>>
}

const encoder = new TextEncoder()

const gzip = (bytes: Uint8Array<ArrayBuffer>) =>
  Effect.promise(async () =>
    new Uint8Array(
      await new Response(new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer()
    )
  )

/**
 * Streams shared bytes slice by slice: no answer copies what its peer has not yet taken, and other work runs between
 * slices.
 */
const slices = (bytes: Uint8Array): Stream.Stream<Uint8Array> =>
  Stream.unfold(0, (at: number) =>
    Effect.as(
      Effect.yieldNow,
      at >= bytes.length ? undefined : [bytes.subarray(at, at + slice), at + slice] as const
    ))

/** Whether the caller accepts gzip (RFC 9110 section 12.5.3). */
const takesGzip = (acceptEncoding: string | undefined): boolean =>
  acceptEncoding !== undefined &&
  /(^|[\s,])(gzip|\*)\s*(;\s*q=(0\.\d*[1-9]\d*|1(\.0*)?)\s*)?(,|$)/i.test(acceptEncoding)

/**
 * An answer that is the same for every caller. It is made and compressed at the first request, with a strong ETag for
 * each encoding and a short lifetime, and answered 304 when the caller has it (RFC 9110 section 13.1.2).
 */
export const staticAnswer = <E, R>(
  { admission, crypto }: { readonly admission: Admission["Service"]; readonly crypto: Cryptography["Service"] },
  text: Effect.Effect<string, E, R>,
  { contentType, headers: more }: StaticOptions
) => {
  const make = Effect.gen(function*() {
    const content = yield* text
    const bytes = encoder.encode(content)
    const compressed = bytes.length < small ? undefined : yield* gzip(bytes)
    const digest = Hex.encode(crypto.sha256(content)).slice(0, 32)
    const headers = { "cache-control": "public, max-age=60", vary: "accept-encoding", ...more?.(content) }
    return {
      plain: { bytes, headers: { ...headers, etag: `"${digest}"` } },
      gzip: compressed === undefined
        ? undefined
        : { bytes: compressed, headers: { ...headers, etag: `"${digest}-gzip"`, "content-encoding": "gzip" } }
    }
  })
  // Uninterruptible, because the first caller may hang up while others wait for the result.
  return Effect.map(Effect.cached(Effect.uninterruptible(make)), (made) =>
    Effect.gen(function*() {
      const request = yield* HttpServerRequest.HttpServerRequest
      const { gzip, plain } = yield* made
      const { bytes, headers } = gzip !== undefined && takesGzip(request.headers["accept-encoding"]) ? gzip : plain
      if (matchesEtag(request.headers["if-none-match"], headers.etag)) {
        const { etag, vary } = headers
        return HttpServerResponse.empty({
          status: 304,
          headers: { etag, vary, "cache-control": headers["cache-control"] }
        })
      }
      if (bytes.length <= slice) return HttpServerResponse.uint8Array(bytes, { contentType, headers })
      yield* takePlace(admission)
      return HttpServerResponse.stream(slices(bytes), { contentType, contentLength: bytes.length, headers })
    }))
}

const scripts = /<script>([\s\S]*?)<\/script>/g

/**
 * The headers of a page: it loads nothing from other hosts, runs only its own inline scripts, by their hashes (CSP
 * level 3), cannot be framed, and sends no Referer.
 */
export const pageHeaders = (crypto: Cryptography["Service"]) => (page: string): Readonly<Record<string, string>> => {
  const hashes = [...page.matchAll(scripts)].map(([, script = ""]) =>
    `'sha256-${btoa(String.fromCharCode(...crypto.sha256(script)))}'`
  )
  return {
    "content-security-policy": [
      "default-src 'none'",
      hashes.length === 0 ? "script-src 'none'" : `script-src ${hashes.join(" ")}`,
      "style-src 'unsafe-inline'",
      "img-src 'self' data: blob:",
      "font-src 'self' data:",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'"
    ].join("; "),
    "referrer-policy": "no-referrer"
  }
}
