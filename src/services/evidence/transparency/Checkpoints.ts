import { Context, Effect, Layer, Metric, Schedule } from "effect"
import { Base64, Hex } from "effect/encoding"
import type { Checkpoint } from "../../../domain/evidence/transparency/Checkpoint.ts"
import { checkpointText } from "../../../domain/evidence/transparency/MerkleTree.ts"
import {
  ed25519,
  signatureLines,
  timestampedText,
  writeNote
} from "../../../domain/evidence/transparency/SignedNote.ts"
import { writeVerifierKey } from "../../../domain/evidence/transparency/VerifierKey.ts"
import { failing, NotFound } from "../../../domain/ground/wire/Errors.ts"
import { originOf } from "../../../domain/log/EpochPlace.ts"
import type { LogEpoch } from "../../../domain/log/LogEpoch.ts"
import { Announcements } from "../../ground/agenda/Announcements.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { Cryptography } from "../../ground/platform/Cryptography.ts"
import { fromStart } from "../../ground/platform/SeriesFromStart.ts"
import { periodically, supervised } from "../../ground/platform/Supervised.ts"
import { Signing } from "../../keys/security/Signing.ts"
import { VaultError } from "../../keys/security/Vault.ts"
import { FeedSignal } from "../../log/FeedPosition.ts"
import { logName, makeMerkleLog, readEpochs } from "../../log/MerkleLog.ts"
import type { CheckpointRow, FormerKey } from "./CheckpointSql.ts"
import {
  findCheckpointAge,
  findCheckpointOf,
  findCoveringCheckpoint,
  findLatestCheckpoint,
  findLogKey,
  findUnsignedTree,
  insertCheckpoint,
  listFormerKeys
} from "./CheckpointSql.ts"
import type { Quorum } from "./CosignatureSql.ts"
import { findCoveringQuorumSize, findQuorumAge, findQuorumSize, listCosignatures } from "./CosignatureSql.ts"
import { Witnesses } from "./WitnessKeeper.ts"

/** A checkpoint is signed when this many events have come since the last one, */
const everyEvents = 10_000
/** or this many milliseconds after the first event that it does not cover. */
const every = 1_000
/**
 * The interval at which the feed is checked without a signal, in milliseconds: while the tree grows, for one that is being
 * filled sends none, and otherwise in case that a signal was lost.
 */
const lookWhileItGrows = 5_000
const lookSeldom = 30_000
const retryAfterFailure = Schedule.spaced("5 seconds")

const checkpointAge = fromStart(Metric.gauge("countersign_checkpoint_age_seconds", {
  description: "Age of the newest checkpoint; 0 before the first one. Without new events none is due."
}))

const cosignedAge = fromStart(Metric.gauge("countersign_cosigned_checkpoint_age_seconds", {
  description: "Age of the newest checkpoint that enough witnesses have cosigned; 0 before the first one"
}))

const notFound = (detail: string) => Effect.fail(failing(NotFound, "There is no such checkpoint yet.", { detail }))

/** How checkpoints are shown: with the key that verifies them, and what witnesses have signed. */
const makeShowing = Effect.gen(function*() {
  const sql = yield* Database
  const { sha256 } = yield* Cryptography
  const { all, quorum } = yield* Witnesses
  const witnesses = all.map(({ id }) => id)
  const least: Quorum = { witnesses, least: Math.max(1, quorum) }

  const show = Effect.fnUntraced(function*(row: CheckpointRow): Effect.fn.Return<Checkpoint> {
    const origin = row.note.slice(0, row.note.indexOf("\n"))
    const [key] = yield* findLogKey(sql, row.kid)
    const lines = witnesses.length === 0 ? [] : yield* listCosignatures(sql, Number(row.tree_size), witnesses)
    const [cosigned] = witnesses.length === 0 ? [] : yield* findQuorumSize(sql, least, Number.MAX_SAFE_INTEGER)
    return {
      origin,
      tree_size: Number(row.tree_size),
      root_hash: Hex.encode(row.root_hash),
      created_at: row.created_at.toISOString(),
      kid: row.kid,
      note: row.note + lines.map(({ line }) => line).join(""),
      ...(key === undefined
        ? {}
        : { verifier_key: writeVerifierKey({ name: origin, type: ed25519, publicKey: key.public_key }, sha256) }),
      ...(lines.length === 0 ? {} : {
        cosignatures: lines.map(({ cosigned_at, witness }) => ({ witness, cosigned_at: cosigned_at.toISOString() }))
      }),
      ...(cosigned === undefined ? {} : { cosigned_tree_size: Number(cosigned.tree_size) })
    }
  })

  const found = (rows: ReadonlyArray<CheckpointRow>): Effect.Effect<Checkpoint, NotFound> =>
    rows[0] === undefined ? notFound("A checkpoint is made about a second after new events.") : show(rows[0])

  /** The newest checkpoint that enough witnesses have signed, or the first one of at least a size. */
  const cosigned = Effect.fnUntraced(function*(size: number | undefined) {
    const [of] = witnesses.length === 0
      ? []
      : yield* size === undefined
        ? findQuorumSize(sql, least, Number.MAX_SAFE_INTEGER)
        : findCoveringQuorumSize(sql, least, size)
    if (of === undefined) {
      return yield* notFound("Not enough witnesses have signed one: COUNTERSIGN_WITNESSES names them.")
    }
    return yield* Effect.flatMap(findCheckpointOf(sql, Number(of.tree_size)), found)
  })

  const observe = Effect.gen(function*() {
    const [of] = witnesses.length === 0 ? [] : yield* findQuorumAge(sql, least)
    yield* Metric.update(cosignedAge, of?.age ?? 0)
  })

  return { found, cosigned, observe }
})

/** The signed checkpoints of the tree over the feed. */
export class Checkpoints extends Context.Service<Checkpoints, {
  /** The newest checkpoint. */
  readonly latest: Effect.Effect<Checkpoint, NotFound>
  /** The first checkpoint that covers the event with this sequence: the one of exactly this size, if it exists. */
  readonly covering: (size: number) => Effect.Effect<Checkpoint, NotFound>
  /** The newest checkpoint that enough witnesses have signed, or the first such one that covers a sequence. */
  readonly cosigned: (size: number | undefined) => Effect.Effect<Checkpoint, NotFound>
  /** The epochs of the log, starting with the first; each has an origin of its own. */
  readonly epochs: Effect.Effect<ReadonlyArray<LogEpoch>>
  /** Signs the current tree; returns its size, or undefined when it is already signed. */
  readonly sign: Effect.Effect<number | undefined>
  /** Signs new trees forever. */
  readonly run: Effect.Effect<never>
  /** Notes the age of the newest checkpoint for metrics. */
  readonly observe: Effect.Effect<void>
}>()("countersign/services/evidence/transparency/Checkpoints") {
  static readonly layer = Layer.effect(
    Checkpoints,
    Effect.gen(function*() {
      const sql = yield* Database
      const crypto = yield* Cryptography
      const announcements = yield* Announcements
      const feed = yield* FeedSignal
      const signing = yield* Signing
      const tree = yield* makeMerkleLog

      const log = yield* logName
      const { found, ...shown } = yield* makeShowing

      const latest = findLatestCheckpoint(sql).pipe(Effect.flatMap(found), Effect.withSpan("Checkpoints.latest"))

      const covering = Effect.fn("Checkpoints.covering")((size: number) =>
        Effect.flatMap(findCoveringCheckpoint(sql, size), found)
      )

      const signatureOf = (kid: string, text: string) =>
        Effect.map(signing.sign(kid, text), ({ value }) => {
          const bytes = Base64.decode(value)
          if (bytes._tag === "Failure") throw new Error("A signature is not base64")
          return bytes.success
        })

      /**
       * The lines of a key before the active one, by which whoever knows that one follows a rotation, as a witness. A key that
       * cannot be opened any more signs nothing, and keeps nobody from it.
       */
      const introduced = Effect.fnUntraced(function*(former: FormerKey, name: string, text: string, time: number) {
        const { kid, public_key: publicKey } = former
        const signature = yield* signatureOf(kid, text)
        const timestampedSignature = yield* signatureOf(kid, timestampedText(text, time))
        return signatureLines({ name, publicKey, signature, time, timestampedSignature }, crypto.sha256)
      }, Effect.catchDefect((defect) => defect instanceof VaultError ? Effect.succeed("") : Effect.die(defect)))

      /** The size that is signed now, and whether this call signed it; undefined when there is no tree yet. */
      const signTree = Effect.gen(function*() {
        const [due] = yield* findUnsignedTree(sql)
        if (due === undefined) return undefined
        if (due.tree_size <= due.signed) return { size: Number(due.signed), isNew: false }
        const size = Number(due.tree_size)
        const [root] = yield* tree.hashes([[0, size]])
        const origin = originOf(log, due.epoch)
        const text = checkpointText({ origin, size, root: root! })
        const note = writeNote({
          text,
          name: origin,
          publicKey: due.public_key,
          signature: yield* signatureOf(due.kid, text),
          time: due.time,
          timestampedSignature: yield* signatureOf(due.kid, timestampedText(text, due.time))
        }, crypto.sha256)
        const formers = yield* listFormerKeys(sql, due.signed)
        const lines = yield* Effect.forEach(formers, (former) => introduced(former, origin, text, due.time))
        yield* insertCheckpoint(sql, { size, root: root!, kid: due.kid, note: note + lines.join(""), time: due.time })
        return { size, isNew: true }
      }).pipe(Effect.withTracerEnabled(false))

      const sign = Effect.map(signTree, (signed) => signed?.isNew === true ? signed.size : undefined)

      const run = Effect.suspend(() => {
        let signed = 0
        let grows = true
        const round = Effect.gen(function*() {
          yield* Effect.timeoutOption(feed.beyond(signed), grows ? lookWhileItGrows : lookSeldom)
          yield* Effect.timeoutOption(feed.beyond(signed + everyEvents), every)
          const made = yield* signTree
          signed = made?.size ?? signed
          grows = made?.isNew === true
          if (grows) yield* announcements.announce("checkpoints")
          // The feed can be far ahead of a tree that is being filled.
          if (made?.isNew !== true) yield* Effect.sleep(every)
        })
        return supervised("Signing a checkpoint", round, Schedule.forever, { retry: retryAfterFailure })
      })

      const observe = Effect.flatMap(
        findCheckpointAge(sql),
        ([checkpoint]) => Effect.andThen(Metric.update(checkpointAge, checkpoint?.age ?? 0), shown.observe)
      )

      return Checkpoints.of({
        latest,
        covering,
        cosigned: shown.cosigned,
        epochs: readEpochs(sql, log),
        sign,
        run,
        observe
      })
    })
  )

  /** Keeps the age of the checkpoint up to date for metrics. */
  static readonly layerMetrics = Layer.effectDiscard(Effect.gen(function*() {
    const { observe } = yield* Checkpoints
    yield* observe
    yield* periodically("Reading the age of the checkpoint", observe, "30 seconds", "Debug")
  }))
}
