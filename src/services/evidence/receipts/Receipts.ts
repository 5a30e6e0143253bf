import { Context, Effect, Layer } from "effect"
import { receiptSchema } from "../../../domain/evidence/receipts/ReceiptFormat.ts"
import type { UsageReceipt } from "../../../domain/evidence/receipts/UsageReceipt.ts"
import { signInRequired } from "../../../domain/licensing/users/UserRules.ts"
import { failing, InvalidQuery, NotFound } from "../../../domain/ground/wire/Errors.ts"
import type { LicenseKeyInvalid, Unavailable, UserSignInRequired } from "../../../domain/ground/wire/Errors.ts"
import { EntitlementState, licenseQuestion } from "../../licensing/entitlements/EntitlementState.ts"
import type { RuntimeCredential } from "../../licensing/entitlements/EntitlementState.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { Signing } from "../../keys/security/Signing.ts"
import type { SignedAnswer } from "../../keys/security/Signing.ts"
import { makeLeafProofs } from "./LeafProofs.ts"
import { listUsesOfApp } from "./ReceiptSql.ts"

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
