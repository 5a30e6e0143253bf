import { Effect } from "effect"
import { jsonLoss, lossesByRow } from "../../../domain/ground/parsing/JsonText.ts"
import type { JsonLoss } from "../../../domain/ground/parsing/JsonText.ts"
import { byteText, strayByte } from "../../../domain/ground/parsing/StrictBytes.ts"
import { failing, InvalidJson, UnsupportedMediaType } from "../../../domain/ground/wire/Errors.ts"
import type { FieldFinding, UnknownField, ValidationError } from "../../../domain/ground/wire/Errors.ts"
import { finding, invalidBody } from "../../../domain/ground/wire/FieldFindings.ts"
import type { JudgedRows } from "../../../api/ground/Operation.ts"
import type { ReceivedRequest } from "../edge/ReceivedRequest.ts"

/** The character that a decoder puts in place of bytes that are none; it may also have been sent as itself. */
const replacement = "\ufffd"

const charset = /;\s*charset\s*=\s*"?([^\s;"]*)"?/i

/** The charsets of UTF-8 and of its part ASCII, as senders name them (IANA's list of character sets). */
const readCharsets = /^(?:utf-?8|us-ascii|ascii)?$/i

/** The reason why a body cannot be read as it was sent: it is compressed, or in another charset; undefined where it can. */
const otherCoding = ({ headers }: ReceivedRequest): UnsupportedMediaType | undefined => {
  const coding = headers["content-encoding"] ?? "identity"
  if (!/^(?:identity)?$/i.test(coding.trim())) {
    return failing(UnsupportedMediaType, "Send the body as it is, without Content-Encoding: no compression is read.")
  }
  const [, named = ""] = charset.exec(headers["content-type"] ?? "") ?? []
  return readCharsets.test(named)
    ? undefined
    : failing(UnsupportedMediaType, "Send the body in UTF-8, which JSON is in (RFC 8259): no other charset is read.")
}

/** A text as JSON; undefined where it is none. */
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const findingOf = ({ message, path }: JsonLoss): FieldFinding => finding(path, "invalid_value", message)

/** The texts that rows would lose, by the indexes of the rows. */
type Losses = ReadonlyMap<number, FieldFinding>

const nothingLost = Effect.succeed<Losses>(new Map())

/** Refuses bytes of which the decoder has replaced some. */
const refuseStrayByte = Effect.fnUntraced(function*(request: ReceivedRequest) {
  const stray = strayByte(new Uint8Array(yield* Effect.orDie(request.arrayBuffer)))
  if (stray === undefined) return
  return yield* failing(
    InvalidJson,
    `The body is not UTF-8: its byte ${stray.offset}, counted from 0, is ${byteText(stray.byte)}, which is of no ` +
      "character there. Send it in UTF-8."
  )
})

const checkLoss = (
  text: string,
  rows: JudgedRows | undefined
): Effect.Effect<Losses, UnknownField | ValidationError> => {
  const loss = jsonLoss(text)
  if (loss === undefined) return nothingLost
  const body = parsed(text)
  // A text that is not JSON at all has a better reason, which is given where it is parsed.
  if (body === undefined) return nothingLost
  if (rows?.applies(body) !== true) return Effect.fail(invalidBody([findingOf(loss)]))
  const byRow = lossesByRow(text, rows.list)
  if (byRow.outside !== undefined) return Effect.fail(invalidBody([findingOf(byRow.outside)]))
  return Effect.succeed(new Map(Array.from(byRow.rows, ([index, loss]) => [index, findingOf(loss)])))
}

/**
 * Refuses a body that would be read as something else than was sent: another charset, stray bytes, lossy JSON. Answers
 * what would not be kept of rows instead, by their indexes, where the body asks that they be judged one by one.
 */
export const checkBody = (
  request: ReceivedRequest,
  rows?: JudgedRows
): Effect.Effect<Losses, InvalidJson | UnknownField | UnsupportedMediaType | ValidationError> => {
  const unread = otherCoding(request)
  if (unread !== undefined) return Effect.fail(unread)
  return Effect.flatMap(Effect.orDie(request.text), (text) =>
    text.includes(replacement)
      ? Effect.andThen(refuseStrayByte(request), Effect.suspend(() => checkLoss(text, rows)))
      : checkLoss(text, rows))
}
