import { Context, Effect, Layer } from "effect"
import { Hex } from "effect/encoding"
import { receiptSchema } from "../../../domain/evidence/receipts/ReceiptFormat.ts"
import type { UsageReceipt } from "../../../domain/evidence/receipts/UsageReceipt.ts"
import { inclusionRanges, writeTlogProof } from "../../../domain/evidence/transparency/MerkleTree.ts"
import { failing, InvalidQuery, NotFound, Unavailable } from "../../../domain/ground/wire/Errors.ts"
import type { LicenseKeyInvalid, UserSignInRequired } from "../../../domain/ground/wire/Errors.ts"
import { signInRequired } from "../../../domain/licensing/users/UserRules.ts"
import { leafTextOfRow } from "../../../domain/log/LicenseChain.ts"
import { CurrentEnvironment } from "../../ground/environments/CurrentEnvironment.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { Signing } from "../../keys/security/Signing.ts"
import type { SignedAnswer } from "../../keys/security/Signing.ts"
import { EntitlementState, licenseQuestion } from "../../licensing/entitlements/EntitlementState.ts"
import type { RuntimeCredential } from "../../licensing/entitlements/EntitlementState.ts"
import { readDropped } from "../../log/DroppedEvents.ts"
import { makeMerkleLog } from "../../log/MerkleLog.ts"
import { Checkpoints } from "../transparency/Checkpoints.ts"
import { listLeavesAt } from "../transparency/LicenseEvidenceSql.ts"
import { Witnesses } from "../transparency/WitnessKeeper.ts"
import { listUsesOfApp } from "./ReceiptSql.ts"
import type { UseRow } from "./ReceiptSql.ts"

const archived = failing(NotFound, "The event is in the archive that the operator keeps.", { detail: "archived" })
const notCovered = failing(Unavailable, "No checkpoint covers the usage event yet. Try again in a second.", {
  detail: "no_checkpoint"
})

/** Makes what proves the leaves of uses, up to the newest checkpoint: one that enough witnesses have signed, where they are required. */
const makeLeafProofs = Effect.gen(function*() {
  const sql = yield* Database
  const checkpoints = yield* Checkpoints
  const environment = yield* CurrentEnvironment
  const tree = yield* makeMerkleLog
  const { quorum } = yield* Witnesses
  const newest = quorum === 0 ? checkpoints.latest : checkpoints.cosigned(undefined)

  /** The place of a use in the feed. */
  const placeOf = Effect.fnUntraced(function*({ created_at, sequence }: UseRow) {
    const { sequence: dropped, until } = yield* readDropped(sql)
    if (sequence === null) return yield* until !== undefined && created_at <= until ? archived : notCovered
    return Number(sequence) <= dropped ? yield* archived : Number(sequence)
  })

  /** The leaf at a place, its path, and the note that it leads to. */
  const prove = Effect.fnUntraced(function*(sequence: number) {
    const { note, tree_size } = yield* Effect.catchTag(newest, "NOT_FOUND", () => notCovered)
    if (tree_size < sequence) return yield* notCovered
    const [row] = yield* listLeavesAt(sql, [sequence])
    const hashes = yield* tree.hashes(inclusionRanges(sequence - 1, tree_size))
    const leaf = leafTextOfRow(row!, environment)
    return {
      leaf,
      hashes: hashes.map((hash) => Hex.encode(hash)),
      note,
      tlog_proof: writeTlogProof({ leaf, index: sequence - 1, hashes, note })
    }
  })

  return { placeOf, prove }
})

/** The question of an app for the receipt of a use. */
export interface ReceiptQuestion {
  readonly eventId: string
  readonly featureCode: string | undefined
  readonly userToken: string | undefined
  readonly nonce: string | undefined
}

const unknown = failing(NotFound, "The license has no usage event with this event_id.")
const several = failing(InvalidQuery, "The event_id was counted for several features: name one as feature_code.", {
  detail: "feature_code"
})

/** Receipts of usage: that a use of a license is in the log, for the app that used it. */
export class Receipts extends Context.Service<Receipts, {
  /**
   * The receipt of a use, signed. Whatever the status of the license is: a receipt is about the past. Where the license has users, each
   * sees the uses on their own devices alone, and others are as unknown.
   */
  readonly find: (
    credential: RuntimeCredential,
    question: ReceiptQuestion
  ) => Effect.Effect<SignedAnswer, InvalidQuery | LicenseKeyInvalid | NotFound | Unavailable | UserSignInRequired>
}>()("countersign/services/evidence/receipts/Receipts") {
  static readonly layer = Layer.effect(
    Receipts,
    Effect.gen(function*() {
      const sql = yield* Database
      const signing = yield* Signing
      const states = yield* EntitlementState
      const { placeOf, prove } = yield* makeLeafProofs

      const find = Effect.fn("Receipts.find")(
        function*(credential: RuntimeCredential, { eventId, featureCode, nonce, userToken }: ReceiptQuestion) {
          const { kid, license_id: licenseId, max_users, now, user } = yield* states.read({
            ...licenseQuestion(credential),
            userToken
          })
          const required = max_users === undefined ? undefined : signInRequired(user)
          if (required !== undefined) return yield* required
          const [use, another] = yield* listUsesOfApp(sql, { licenseId, eventId, featureCode, userId: user?.id })
          if (use === undefined) return yield* unknown
          if (another !== undefined) return yield* several
          return yield* signing.signAnswer(
            kid,
            {
              schema: receiptSchema,
              license_id: licenseId,
              feature_code: use.feature_code,
              event_id: eventId,
              ...yield* prove(yield* placeOf(use)),
              issued_at: now.toISOString(),
              ...(nonce === undefined ? {} : { nonce })
            } satisfies UsageReceipt
          )
        }
      )

      return Receipts.of({ find })
    })
  )
}
