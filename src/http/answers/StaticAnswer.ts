import { Effect, Stream } from "effect"
import { Hex } from "effect/encoding"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { matchesEtag } from "../../domain/exports/ByteRange.ts"
import type { Admission } from "../../services/admission/Admission.ts"
import type { Cryptography } from "../../services/platform/Cryptography.ts"
import { takePlace } from "./LargeAnswer.ts"

/** What is sent at once, in bytes; the next slice waits until the peer has taken this one. */
const slice = 64 * 1024

/** What is not worth compressing, in bytes. */
const small = 1024

/** How an answer is labelled. */
interface StaticOptions {
  readonly contentType: string
  /** Further headers, made from the text. */
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
 * Bytes that many answers share, slice by slice: none of them copies what its peer has not taken yet, and others have
 * their turn between two slices.
 */
const slices = (bytes: Uint8Array): Stream.Stream<Uint8Array> =>
  Stream.unfold(0, (at: number) =>
    Effect.as(
      Effect.yieldNow,
      at >= bytes.length ? undefined : [bytes.subarray(at, at + slice), at + slice] as const
    ))

/** Whether the caller takes gzip (RFC 9110 section 12.5.3). */
const takesGzip = (acceptEncoding: string | undefined): boolean =>
  acceptEncoding !== undefined &&
  /(^|[\s,])(gzip|\*)\s*(;\s*q=(0\.\d*[1-9]\d*|1(\.0*)?)\s*)?(,|$)/i.test(acceptEncoding)

/**
 * An answer that is the same for everybody: made and compressed when somebody first asks for it, with a strong ETag for
 * each form, a short life, and 304 when the caller has it (RFC 9110 section 13.1.2).
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
  // Whoever asks first may hang up: what is made is made for all.
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
 * The headers of a page: it takes nothing from other hosts, runs only the scripts that stand in it, by their hashes
 * (CSP level 3), is framed by nobody and tells nobody where it was left.
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
