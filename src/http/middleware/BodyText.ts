import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { jsonLoss, lossesByRow } from "../../domain/parsing/JsonText.ts"
import type { JsonLoss } from "../../domain/parsing/JsonText.ts"
import { byteText, strayByte } from "../../domain/parsing/StrictBytes.ts"
import { failing, InvalidJson, UnsupportedMediaType } from "../../domain/wire/Errors.ts"
import type { FieldFinding } from "../../domain/wire/Errors.ts"
import { finding, invalidBody } from "../../domain/wire/FieldFindings.ts"
import type { JudgedRows } from "../api/Operation.ts"

type Headers = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/** What a decoder puts in place of bytes that are no character; it may also have been sent as itself. */
const replacement = "\ufffd"

const charset = /;\s*charset\s*=\s*"?([^\s;"]*)"?/i

/** The charsets of UTF-8 and of its part ASCII, as senders name them (IANA's list of character sets). */
const readCharsets = /^(?:utf-?8|us-ascii|ascii)?$/i

/** Why a body cannot be read as it was sent: it is compressed, or in another charset; undefined where it can. */
const otherCoding = (headers: Headers): UnsupportedMediaType | undefined => {
  const coding = String(headers["content-encoding"] ?? "identity")
  if (!/^(?:identity)?$/i.test(coding.trim())) {
    return failing(UnsupportedMediaType, "Send the body as it is, without Content-Encoding: no compression is read.")
  }
  const [, named = ""] = charset.exec(String(headers["content-type"] ?? "")) ?? []
  return readCharsets.test(named)
    ? undefined
    : failing(UnsupportedMediaType, "Send the body in UTF-8, which JSON is in (RFC 8259): no other charset is read.")
}

/**
 * Whether a text was read from bytes of which all are kept, and no number and no member of it is lost. A request of which
 * this is not so is for {@link checkBody} to refuse.
 */
export const isKept = (text: string): boolean => !text.includes(replacement) && jsonLoss(text) === undefined

/** A text as JSON; undefined where it is none. */
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const findingOf = ({ message, path }: JsonLoss): FieldFinding => finding(path, "invalid_value", message)

const nothingLost: ReadonlyMap<number, FieldFinding> = new Map()

/**
 * Refuses a body that would be read as something else than was sent: another charset, stray bytes, lossy JSON. Answers
 * what would not be kept of rows instead, by their indexes, where the body asks that they be judged one by one.
 */
export const checkBody = Effect.fnUntraced(function*(rows?: JudgedRows) {
  const request = yield* HttpServerRequest.HttpServerRequest
  const unread = otherCoding(request.headers)
  if (unread !== undefined) return yield* unread
  const text = yield* Effect.orDie(request.text)
  if (text.includes(replacement)) {
    const stray = strayByte(new Uint8Array(yield* Effect.orDie(request.arrayBuffer)))
    if (stray !== undefined) {
      return yield* failing(
        InvalidJson,
        `The body is not UTF-8: its byte ${stray.offset}, counted from 0, is ${byteText(stray.byte)}, which is of no ` +
          "character there. Send it in UTF-8."
      )
    }
  }
  const loss = jsonLoss(text)
  if (loss === undefined) return nothingLost
  const body = parsed(text)
  // What is no JSON at all has a better reason, which is told where it is parsed.
  if (body === undefined) return nothingLost
  if (rows?.isAsked(body) !== true) return yield* invalidBody([findingOf(loss)])
  const byRow = lossesByRow(text, rows.list)
  if (byRow.outside !== undefined) return yield* invalidBody([findingOf(byRow.outside)])
  return new Map(Array.from(byRow.rows, ([index, loss]) => [index, findingOf(loss)]))
})
