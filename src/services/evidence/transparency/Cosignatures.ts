import { Clock, Context, Effect, Layer, Metric } from "effect"
import { Hex } from "effect/encoding"
import { discontinuity } from "../../../domain/evidence/transparency/Continuity.ts"
import {
  consistencyRanges,
  inclusionRanges,
  readSize,
  writeTlogProof
} from "../../../domain/evidence/transparency/MerkleTree.ts"
import { ed25519 } from "../../../domain/evidence/transparency/SignedNote.ts"
import { cosignatureIn, signedCheckpoint, writeAddCheckpoint } from "../../../domain/evidence/witnessing/Cosigning.ts"
import { leafTextOfRow } from "../../../domain/log/LicenseChain.ts"
import { Agenda } from "../../ground/agenda/Agenda.ts"
import { CurrentEnvironment } from "../../ground/environments/CurrentEnvironment.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { Cryptography } from "../../ground/platform/Cryptography.ts"
import { fromStartBy } from "../../ground/platform/SeriesFromStart.ts"
import { doublingPauses } from "../../ground/platform/Supervised.ts"
import { readDropped } from "../../log/DroppedEvents.ts"
import { makeMerkleLog } from "../../log/MerkleLog.ts"
import type { CheckpointRow } from "./CheckpointSql.ts"
import {
  checkpointsDue,
  findCheckpointOf,
  findCoveringCheckpoint,
  findLatestCheckpoint,
  listKeyEvents,
  listLogKeys
} from "./CheckpointSql.ts"
import { deleteCosignatures, findCosignedSize, insertCosignature } from "./CosignatureSql.ts"
import { listLeavesAt } from "./LicenseEvidenceSql.ts"
import { makeLogContinuity, Witnesses } from "./WitnessKeeper.ts"
import type { CosigningWitness, WitnessReply, WitnessUnavailable } from "./WitnessKeeper.ts"

/** Signatures that are kept of each witness, the newest ones; looked at after this many new ones. */
const kept = 100_000
const pruneEvery = 1_000

/** The outcomes of asking a witness. */
const outcomes = [
  "cosigned",
  "unavailable",
  "unknown_log",
  "unknown_key",
  "inconsistent",
  "ahead",
  "discontinued",
  "archived",
  "invalid"
] as const
type Outcome = typeof outcomes[number]

/** The outcome of asking a witness, and more about it. */
interface Asked {
  readonly outcome: Outcome
  readonly detail?: string
}

const plainly = (reply: WitnessReply): Outcome =>
  reply.status === 404 ? "unknown_log" : reply.status === 403 ? "unknown_key" : "invalid"

/** How a witness is asked for its signature on a checkpoint. */
const makeAsking = Effect.gen(function*() {
  const sql = yield* Database
  const crypto = yield* Cryptography
  const tree = yield* makeMerkleLog
  const continuityOf = yield* makeLogContinuity
  let inserted = 0

  /**
   * Looks at a witness that refuses to continue. Where it shows a checkpoint that a key of this log signed, the log is
   * compared with that: a restored backup or a forked log is found by it. It is said and counted, and the service goes on,
   * because whoever has got hold of a key can show the same.
   */
  const examined = Effect.fnUntraced(
    function*(witness: CosigningWitness, origin: string, refused: Asked) {
      const note = yield* witness.checkpoint(Hex.encode(crypto.sha256(origin)))
      if (note === undefined) return refused
      const keys = yield* listLogKeys(sql)
      const logs = keys.map(({ public_key }) => ({
        origin,
        key: { name: origin, type: ed25519, publicKey: public_key }
      }))
      if (signedCheckpoint(note, logs, crypto)._tag === "Failure") return refused
      const detail = discontinuity(yield* continuityOf(note), witness.id)
      return detail === undefined ? refused : { outcome: "discontinued", detail } satisfies Asked
    },
    (examining, _witness, _origin, refused) =>
      Effect.catchTag(examining, "WitnessUnavailable", () => Effect.succeed(refused))
  )

  const take = Effect.fnUntraced(function*(witness: CosigningWitness, size: number, note: string, body: string) {
    const cosignature = cosignatureIn(note, body, witness.key, crypto)
    if (cosignature === undefined) return { outcome: "invalid" } satisfies Asked
    yield* insertCosignature(sql, { size, witness: witness.id, ...cosignature })
    inserted += 1
    if (inserted % pruneEvery === 0) yield* deleteCosignatures(sql, witness.id, kept)
    return { outcome: "cosigned" } satisfies Asked
  })

  const send = Effect.fnUntraced(function*(witness: CosigningWitness, old: number, size: number, note: string) {
    const hashes = old === 0 || old === size ? [] : yield* tree.hashes(consistencyRanges(old, size))
    return yield* witness.add(writeAddCheckpoint({ old, hashes, note }))
  })

  return Effect.fnUntraced(
    function*(
      witness: CosigningWitness,
      { note, tree_size }: CheckpointRow
    ): Effect.fn.Return<Asked, WitnessUnavailable> {
      const size = Number(tree_size)
      const origin = note.slice(0, note.indexOf("\n"))
      const dropped = (yield* readDropped(sql)).sequence
      const isArchived = (old: number) => old > 0 && old < Math.min(dropped, size)
      const [known] = yield* findCosignedSize(sql, witness.id)
      let old = Math.min(known!.size, size)
      if (isArchived(old)) old = 0
      let reply = yield* send(witness, old, size, note)
      if (reply.status === 409) {
        const other = readSize(reply.body.trim())
        if (other === undefined) return { outcome: "invalid" } satisfies Asked
        if (other > size) {
          // A checkpoint may have been signed meanwhile; the log itself is compared.
          return yield* examined(witness, origin, { outcome: "ahead" })
        }
        if (isArchived(other)) return { outcome: "archived" } satisfies Asked
        old = other
        reply = yield* send(witness, old, size, note)
      }
      if (reply.status === 200) return yield* take(witness, size, note, reply.body)
      if (reply.status === 422) {
        return yield* examined(witness, origin, { outcome: "inconsistent" })
      }
      return { outcome: plainly(reply), detail: `status ${reply.status}` } satisfies Asked
    },
    Effect.catchTag(
      "WitnessUnavailable",
      ({ message }) => Effect.succeed<Asked>({ outcome: "unavailable", detail: message })
    )
  )
})

/** Events about the keys of the log that a witness is told at most, the newest ones. */
const mostKeyEvents = 16

const originOf = ({ note }: CheckpointRow): string => note.slice(0, note.indexOf("\n"))

/**
 * How witnesses are told which keys the log has: of each event about them the leaf and its proof, in the checkpoint that the witness has
 * just cosigned, and on its way there where it knows no key that signs the newest one. One that takes no such events is told by its
 * operator.
 */
const makeTelling = Effect.gen(function*() {
  const sql = yield* Database
  const environment = yield* CurrentEnvironment
  const tree = yield* makeMerkleLog
  const ask = yield* makeAsking
  /** The last event that each witness was told, and the last one that it was led to since it cosigned the newest checkpoint. */
  const told = new Map<string, number>()
  const led = new Map<string, number>()

  /** The proof of an event in a checkpoint, with its leaf; undefined where the event was dropped meanwhile. */
  const proofOf = Effect.fnUntraced(function*(sequence: number, { note, tree_size }: CheckpointRow) {
    const [row] = yield* listLeavesAt(sql, [sequence])
    if (row === undefined) return undefined
    const hashes = yield* tree.hashes(inclusionRanges(sequence - 1, Number(tree_size)))
    return writeTlogProof({ leaf: leafTextOfRow(row, environment), index: sequence - 1, hashes, note })
  })

  /** The places of the newest events about the keys after one. */
  const newsAfter = Effect.fnUntraced(function*(after: number | undefined) {
    const { sequence: dropped } = yield* readDropped(sql)
    const rows = yield* listKeyEvents(sql, Math.max(dropped, after ?? 0), mostKeyEvents)
    return rows.map(({ sequence }) => Number(sequence))
  })

  /**
   * Tells a witness what it was not told yet and the checkpoint covers. It is told the rest the next time, where it has cosigned another
   * checkpoint meanwhile or fails; a witness of another maker is told no more.
   */
  const tell = Effect.fnUntraced(
    function*(witness: CosigningWitness, checkpoint: CheckpointRow) {
      for (const sequence of yield* newsAfter(told.get(witness.id))) {
        if (sequence > checkpoint.tree_size) return
        const proof = yield* proofOf(sequence, checkpoint)
        const status = proof === undefined ? 0 : (yield* witness.addKeyEvent(proof)).status
        if (status === 409 || status >= 500) return
        told.set(witness.id, status === 404 || status === 405 ? Number(checkpoint.tree_size) : sequence)
        if (status === 404 || status === 405) return
      }
    },
    Effect.catchTag("WitnessUnavailable", () => Effect.void)
  )

  const cosigned = (witness: CosigningWitness, checkpoint: CheckpointRow) =>
    Effect.tap(
      ask(witness, checkpoint),
      ({ outcome }) => outcome === "cosigned" ? tell(witness, checkpoint) : Effect.void
    )

  /**
   * The checkpoints before the newest one by which a witness may follow the keys to it: the one that it cosigned last, and the first after
   * each event about them, which the key before has signed.
   */
  const waysTo = Effect.fnUntraced(
    function*(witness: CosigningWitness, newest: CheckpointRow, news: ReadonlyArray<number>) {
      const [known] = yield* findCosignedSize(sql, witness.id)
      const last = yield* findCheckpointOf(sql, known!.size)
      const first = yield* Effect.forEach(news, (sequence) => findCoveringCheckpoint(sql, sequence))
      const ways = new Map([...last, ...first.flat()].map((way) => [way.tree_size, way]))
      return [...ways.values()]
        .filter((way) => way.tree_size < newest.tree_size && originOf(way) === originOf(newest))
        .toSorted((a, b) => Number(a.tree_size - b.tree_size))
    }
  )

  /** Leads a witness that knows no key of the newest checkpoint to one. Whether there is news for it. */
  const lead = Effect.fnUntraced(function*(witness: CosigningWitness, newest: CheckpointRow) {
    const news = yield* newsAfter(led.get(witness.id))
    if (news.length === 0) return false
    // It may have been restored from an old disk, and have forgotten what it was told.
    told.delete(witness.id)
    for (const way of yield* waysTo(witness, newest, news)) {
      if ((yield* cosigned(witness, way)).outcome === "unavailable") return false
    }
    led.set(witness.id, news.at(-1)!)
    return true
  })

  return Effect.fnUntraced(function*(witness: CosigningWitness, checkpoint: CheckpointRow) {
    let asked = yield* cosigned(witness, checkpoint)
    if (asked.outcome === "unknown_key" && (yield* lead(witness, checkpoint))) {
      asked = yield* cosigned(witness, checkpoint)
    }
    if (asked.outcome === "cosigned") led.delete(witness.id)
    return asked
  })
})

/** The least pause between checks for a newer checkpoint. */
const rest = "1 second"
/** The pauses after an answer that was no cosignature. */
const retryAway = doublingPauses("1 second", "30 seconds")
/** All witnesses sign the same checkpoint: one that has no quorum is given up for a newer one after this time. */
const targetMillis = 10_000
/** Milliseconds after which the same failure of a witness is logged again. */
const remindAfterMillis = 600_000

const requests = fromStartBy(outcomes, (outcome) =>
  Metric.withAttributes(
    Metric.counter("countersign_witness_requests_total", {
      description: "Checkpoints that witnesses were asked to cosign, by what came of it",
      incremental: true
    }),
    { outcome }
  ))

const says: Readonly<Record<Exclude<Outcome, "cosigned" | "unavailable">, string>> = {
  unknown_log: "it does not know this log. Give it the verifier key of the latest checkpoint",
  unknown_key: "it knows no key that signed the checkpoint. Give it the verifier key of the latest checkpoint",
  inconsistent:
    "it says that the log does not continue what it cosigned before, and shows nothing that this log signed",
  ahead: "it says that it cosigned more events than this log has, and shows nothing that this log signed",
  discontinued: "it shows a checkpoint that this log signed and does not continue",
  archived: "it cosigned last what was archived and dropped since, from where nothing can be proven",
  invalid: "its response is no cosignature by its key"
}

/**
 * Asks witnesses to cosign checkpoints. Each is asked by a fiber of its own, and appending waits for none: one that is
 * slow, away or wrong costs the others nothing. All are asked for the same checkpoint, so that signatures of several meet
 * on one; a newer one is taken once a quorum has signed, or after some seconds.
 */
export class Cosignatures extends Context.Service<Cosignatures, {
  /** Asks one witness for the checkpoint that is due, unless it has signed that; answers what came of it. */
  readonly step: (witness: CosigningWitness) => Effect.Effect<Outcome | undefined>
  readonly run: Effect.Effect<void>
}>()("countersign/services/evidence/transparency/Cosignatures") {
  static readonly layer = Layer.effect(
    Cosignatures,
    Effect.gen(function*() {
      const sql = yield* Database
      const agenda = yield* Agenda
      const { all, quorum } = yield* Witnesses
      const ask = yield* makeTelling
      const said = new Map<string, { readonly outcome: Outcome; readonly at: number }>()
      let target: CheckpointRow | undefined
      let since = 0
      const signers = new Set<string>()

      const due = Effect.gen(function*() {
        const now = yield* Clock.currentTimeMillis
        const isOpen = target !== undefined && signers.size < Math.max(1, quorum) && now - since < targetMillis
        if (isOpen) return target
        const [latest] = yield* findLatestCheckpoint(sql)
        if (latest !== undefined && latest.tree_size !== target?.tree_size) {
          target = latest
          since = now
          signers.clear()
        }
        return target
      })

      /** Says what a witness answered when it changes, and now and then while it does not. */
      const tell = Effect.fnUntraced(function*(witness: CosigningWitness, { detail, outcome }: Asked) {
        yield* Metric.update(requests[outcome], 1)
        const now = yield* Clock.currentTimeMillis
        const before = said.get(witness.id)
        if (before?.outcome === outcome && (outcome === "cosigned" || now - before.at < remindAfterMillis)) return
        said.set(witness.id, { outcome, at: now })
        if (outcome === "cosigned") return yield* Effect.logInfo(`The witness ${witness.id} cosigns the checkpoints`)
        const why = outcome === "unavailable"
          ? detail
          : detail === undefined
          ? says[outcome]
          : `${says[outcome]} (${detail})`
        const log = outcome === "discontinued" ? Effect.logError : Effect.logWarning
        yield* log(`The witness ${witness.id} does not cosign: ${why}. The service keeps running and asks again`)
      })

      const step = Effect.fnUntraced(function*(witness: CosigningWitness) {
        const checkpoint = yield* due
        if (checkpoint === undefined || signers.has(witness.id)) return undefined
        const asked = yield* ask(witness, checkpoint)
        if (asked.outcome === "cosigned" && checkpoint === target) signers.add(witness.id)
        yield* tell(witness, asked)
        return asked.outcome
      })

      const isFailure = (outcome: Outcome | undefined) => outcome !== undefined && outcome !== "cosigned"
      const asking = (witness: CosigningWitness) =>
        agenda.follow({
          name: `Asking the witness ${witness.id}`,
          topic: "checkpoints",
          due: () => checkpointsDue(sql),
          look: Effect.repeat(step(witness), { schedule: retryAway, while: isFailure }),
          rest,
          retry: rest
        })

      return Cosignatures.of({
        step,
        run: Effect.forEach(all, asking, { concurrency: "unbounded", discard: true })
      })
    })
  )
}
