import { Clock, Effect, Result, Semaphore } from "effect"
import { Hex } from "effect/encoding"
import { readAddCheckpoint } from "../../domain/transparency/AddCheckpoint.ts"
import type { KnownLog } from "../../domain/transparency/Cosigning.ts"
import { continued, signedCheckpoint } from "../../domain/transparency/Cosigning.ts"
import { readNote, timestampedLine, timestampedText } from "../../domain/transparency/SignedNote.ts"
import { Cryptography } from "../../services/platform/Cryptography.ts"
import type { WitnessKey } from "./WitnessKey.ts"
import type { WitnessState } from "./WitnessState.ts"

/** The answer to a request. */
export interface WitnessAnswer {
  readonly status: number
  readonly type: string
  readonly body: string
}

const plain = (status: number, body: string, type = "text/plain; charset=utf-8"): WitnessAnswer => ({
  status,
  type,
  body
})

/** A witness (C2SP tlog-witness) with its key, what it cosigned, and the logs that it knows. */
export const makeCosigner = Effect.fnUntraced(function*(
  { seed, verifier }: WitnessKey,
  state: WitnessState,
  logs: Effect.Effect<ReadonlyArray<KnownLog>>
) {
  const crypto = yield* Cryptography
  const sign = crypto.ed25519Signer(seed)
  // Two requests at once must not both be judged by the same last checkpoint.
  const turn = Semaphore.makeUnsafe(1)

  /** The line of a cosignature over a text, as of now. */
  const cosign = Effect.fnUntraced(function*(text: string) {
    const time = Math.floor((yield* Clock.currentTimeMillis) / 1000)
    const signature = yield* sign(timestampedText(text, time))
    return timestampedLine({ ...verifier, time, signature }, crypto.sha256)
  })

  /** Answers `add-checkpoint`. What is cosigned is on the disk before the signature is made. */
  const add = Effect.fnUntraced(function*(body: string) {
    const request = readAddCheckpoint(body)
    if (request === undefined) return plain(400, "This is no request to add a checkpoint.\n")
    const signed = signedCheckpoint(request.note, yield* logs, crypto)
    if (Result.isFailure(signed)) return plain(signed.failure.status, `${signed.failure.says}\n`)
    const { checkpoint, note, text } = signed.success
    const judged = continued(request, checkpoint, state.last(checkpoint.origin), crypto.sha256)
    if (Result.isFailure(judged)) {
      const { says, status } = judged.failure
      return plain(status, `${says}\n`, status === 409 ? "text/x.tlog.size" : undefined)
    }
    yield* state.keep(checkpoint.origin, note)
    return plain(200, yield* cosign(text))
  }, (answer) => turn.withPermit(Effect.uninterruptible(answer)))

  /** The latest cosigned checkpoint of the log with this hash of its origin, with a cosignature as of now. */
  const latest = Effect.fnUntraced(function*(hash: string) {
    const origin = state.origins().find((origin) => Hex.encode(crypto.sha256(origin)) === hash)
    const note = origin === undefined ? undefined : state.note(origin)
    const read = note === undefined ? undefined : readNote(note)
    if (note === undefined || read === undefined) {
      return plain(404, "This witness has cosigned nothing of such a log.\n")
    }
    // A state of an earlier release has the lines of whoever sent the checkpoint.
    const signed = signedCheckpoint(note, yield* logs, crypto)
    const shown = Result.isSuccess(signed) ? signed.success.note : `${read.text}\n`
    return plain(200, shown + (yield* cosign(read.text)))
  }, (answer) => turn.withPermit(answer))

  return { add, latest }
})
