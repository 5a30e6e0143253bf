import type { EpochStart } from "../../domain/log/EpochPlace.ts"
import type { ChainFault } from "../../domain/log/EventChain.ts"
import type { NoteFault, VerifiedCheckpoint } from "../notes/checkpoint.ts"

/**
 * The faults of an export, beside those of the chain.
 * - `truncated`: the checkpoint covers events that are not there
 * - `rewritten`: the events are chained, but they are not those that were signed
 * - `no_checkpoint`, `checkpoint_malformed`, `unknown_key`, `signature_mismatch`: nothing vouches for the events
 * - `revoked_key`: the key of a checkpoint was revoked (`revokedAt` of the verdict), and the checkpoint is not given as kept from before
 * - `other_log`: a checkpoint is of another log
 * - `lost_part`: all is well with the events, but a checkpoint covers others, which were lost when the log was restored
 */
export type EventsFault =
  | ChainFault
  | "truncated"
  | "rewritten"
  | "no_checkpoint"
  | NoteFault
  | "other_log"
  | "lost_part"

/** Either what was verified, or the first thing that is wrong. */
export type EventsVerdict =
  | {
    readonly ok: true
    readonly events: number
    /** Personal values that were erased; their commitments are what is left of them. */
    readonly erased: number
    /** In order of size; the last one covers all events. */
    readonly checkpoints: ReadonlyArray<VerifiedCheckpoint>
    /** The epochs after the first that the log has begun, each where it was restored to an earlier state. */
    readonly epochs: ReadonlyArray<EpochStart>
    /** `test` where the events are of the test environment, in which no license is sold; absent for the live one. */
    readonly environment?: string
  }
  | {
    readonly ok: false
    /** The first bad event; of `rewritten`, the first that may be; absent when no event is to blame. */
    readonly sequence?: number
    readonly fault: EventsFault
    readonly detail: string
    /** When the key that signed was revoked, ISO 8601; absent unless that is why. */
    readonly revokedAt?: string
  }

/** The first thing that is wrong. */
export type EventsFailure = Extract<EventsVerdict, { ok: false }>

/** A failure, with the event and the revocation where there are some. */
export const failure = (fault: EventsFault, detail: string, sequence?: number, revokedAt?: string): EventsFailure => ({
  ok: false,
  fault,
  detail,
  ...(revokedAt === undefined ? {} : { revokedAt }),
  ...(sequence === undefined ? {} : { sequence })
})
