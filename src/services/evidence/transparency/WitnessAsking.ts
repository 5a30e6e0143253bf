import { Effect } from "effect"
import { Hex } from "effect/encoding"
import { readSize } from "../../../domain/evidence/transparency/CheckpointText.ts"
import { discontinuity } from "../../../domain/evidence/transparency/Continuity.ts"
import { consistencyRanges } from "../../../domain/evidence/transparency/MerkleTree.ts"
import { ed25519 } from "../../../domain/evidence/transparency/SignedNote.ts"
import { writeAddCheckpoint } from "../../../domain/evidence/witnessing/AddCheckpoint.ts"
import { cosignatureIn, signedCheckpoint } from "../../../domain/evidence/witnessing/Cosigning.ts"
import { readDropped } from "../../log/DroppedEvents.ts"
import { makeMerkleLog } from "../../log/MerkleLog.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { Cryptography } from "../../ground/platform/Cryptography.ts"
import type { CheckpointRow } from "./CheckpointSql.ts"
import { listLogKeys } from "./CheckpointSql.ts"
import { deleteCosignatures, findCosignedSize, insertCosignature } from "./CosignatureSql.ts"
import { makeLogContinuity } from "./LogContinuity.ts"
import type { WitnessUnavailable } from "./Witness.ts"
import type { CosigningWitness, WitnessReply } from "./Witnesses.ts"

/** Signatures that are kept of each witness, the newest ones; looked at after this many new ones. */
const kept = 100_000
const pruneEvery = 1_000

/** The outcomes of asking a witness. */
export const outcomes = [
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
export type Outcome = typeof outcomes[number]

/** The outcome of asking a witness, and more about it. */
export interface Asked {
  readonly outcome: Outcome
  readonly detail?: string
}

const plainly = (reply: WitnessReply): Outcome =>
  reply.status === 404 ? "unknown_log" : reply.status === 403 ? "unknown_key" : "invalid"

/** How a witness is asked for its signature on a checkpoint. */
export const makeAsking = Effect.gen(function*() {
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
