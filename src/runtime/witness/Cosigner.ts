import { Clock, Effect, Result, Semaphore } from "effect"
import { Hex } from "effect/encoding"
import { readNote, timestampedLine, timestampedText } from "../../domain/evidence/transparency/SignedNote.ts"
import { readAddCheckpoint } from "../../domain/evidence/witnessing/AddCheckpoint.ts"
import type { KnownLog, NotCosigned } from "../../domain/evidence/witnessing/Cosigning.ts"
import { continued, signedCheckpoint } from "../../domain/evidence/witnessing/Cosigning.ts"
import { followedLogs, judgeKeyEvent } from "../../domain/evidence/witnessing/FollowedLogs.ts"
import { Cryptography } from "../../services/ground/platform/Cryptography.ts"
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

const refusal = ({ says, status }: NotCosigned): WitnessAnswer =>
  plain(status, `${says}\n`, status === 409 ? "text/x.tlog.size" : undefined)

/** A witness (C2SP tlog-witness) with its key, what it cosigned, and the logs that it knows. */
export const makeCosigner = Effect.fnUntraced(function*(
  { seed, verifier }: WitnessKey,
  state: WitnessState,
  logs: Effect.Effect<ReadonlyArray<KnownLog>>
) {
  const crypto = yield* Cryptography
  /** The logs with the keys that were introduced in them. */
  const followed = Effect.map(logs, (known) => followedLogs(known, state.changes, crypto.sha256))
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
    const signed = signedCheckpoint(request.note, yield* followed, crypto)
    if (Result.isFailure(signed)) return plain(signed.failure.status, `${signed.failure.says}\n`)
    const { checkpoint, note, text } = signed.success
    const judged = continued(request, checkpoint, state.last(checkpoint.origin), crypto.sha256)
    if (Result.isFailure(judged)) return refusal(judged.failure)
    yield* state.keep(checkpoint.origin, note)
    return plain(200, yield* cosign(text))
  }, (answer) => turn.withPermit(Effect.uninterruptible(answer)))

  /** Answers `add-key-event`, of this project: the log introduces a key, or revokes one. What is accepted is on the disk before. */
  const follow = Effect.fnUntraced(function*(body: string) {
    const judged = judgeKeyEvent(body, yield* logs, state, crypto)
    if (Result.isFailure(judged)) return refusal(judged.failure)
    const { change, origin } = judged.success
    if (change === undefined) return plain(200, "This is known.\n")
    yield* state.learn(origin, change)
    const told = "revoked" in change
      ? `${change.revoked} is revoked`
      : `${change.introduced} was introduced by ${change.by}`
    yield* Effect.logInfo(`The log ${origin} says in event ${change.sequence}: ${told}`)
    return plain(200, "This is known from now on.\n")
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
    const signed = signedCheckpoint(note, yield* followed, crypto)
    const shown = Result.isSuccess(signed) ? signed.success.note : `${read.text}\n`
    return plain(200, shown + (yield* cosign(read.text)))
  }, (answer) => turn.withPermit(answer))

  return { add, follow, latest }
})
