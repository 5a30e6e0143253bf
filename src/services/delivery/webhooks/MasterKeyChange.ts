import { Context, Data, Effect, Layer, Redacted } from "effect"
import { Hex } from "effect/encoding"
import { Database, inTransaction } from "../../ground/persistence/Database.ts"
import { Cryptography } from "../../ground/platform/Cryptography.ts"
import { Settings } from "../../ground/platform/Settings.ts"
import { missingKeys, storeDataKeys, unwrapAll } from "../../keys/security/DataKeys.ts"
import type { MasterKeyMismatch } from "../../keys/security/DataKeys.ts"
import { insertWraps, listDataKeys, listMonths, lockDataKeys } from "../../keys/security/DataKeySql.ts"
import { keyWrapping } from "../../keys/security/KeyWrapping.ts"
import { signingKeyPurpose } from "../../keys/security/Signing.ts"
import { Vault } from "../../keys/security/Vault.ts"
import {
  countSealedBefore,
  deleteOtherWraps,
  listOtherMasterKeys,
  lockSecretsBefore,
  lockSigningKeysBefore,
  updateSecretSealed,
  updateSigningKeySealed
} from "./LostMasterKeySql.ts"
import type { SealedRow } from "./LostMasterKeySql.ts"
import { webhookSecretPurpose } from "./WebhookSecrets.ts"

/** The change cannot go on as asked. The message says why and what to do. */
export class MasterKeyChangeRefused extends Data.TaggedError("MasterKeyChangeRefused")<{ readonly message: string }> {}

/**
 * For how many months data keys are made ahead at the beginning of a change. While two master keys are in use, no node
 * could wrap a new one under both.
 */
const monthsOfChange = 24

/** How many rows one transaction seals anew. */
const slice = 200

/**
 * Changes the master key while the service runs. Data keys stay what they are, so that nothing that is sealed or hashed
 * changes: they are wrapped under the new master key too, the nodes are started with it one after the other, and then
 * what the old one wrapped is removed.
 */
export class MasterKeyChange extends Context.Service<MasterKeyChange, {
  /**
   * Makes every data key readable with the new master key (32 bytes) too, in one transaction. What was sealed before
   * there were data keys is sealed anew. Repeating it changes nothing. Answers how many keys and secrets it wrote, of which
   * `progress` hears while it writes: how many are done, of how many.
   */
  readonly begin: (
    newMasterKey: Redacted.Redacted<Uint8Array>,
    progress?: (done: number, total: number) => void
  ) => Effect.Effect<
    { readonly wrapped: number; readonly resealed: number },
    MasterKeyMismatch | MasterKeyChangeRefused
  >
  /** Leaves the configured master key as the only one. Answers how many others there were. */
  readonly finish: Effect.Effect<number, MasterKeyMismatch>
}>()("countersign/services/delivery/webhooks/MasterKeyChange") {
  static readonly layer = Layer.effect(
    MasterKeyChange,
    Effect.gen(function*() {
      const sql = yield* Database
      const crypto = yield* Cryptography
      const vault = yield* Vault
      const mine = keyWrapping(crypto, Redacted.value((yield* Settings).masterKey))

      /** The ids of the other master keys that data keys are wrapped under. */
      const others = Effect.map(
        listOtherMasterKeys(sql, mine.masterKeyId),
        (rows) => rows.map(({ master_key_id }) => Hex.encode(master_key_id))
      )

      /** Seals rows of version 1 again, a slice in a transaction; answers how many there were. */
      const reseal = (
        read: Effect.Effect<ReadonlyArray<SealedRow>>,
        purposeOf: (row: SealedRow) => Parameters<typeof vault.seal>[0],
        write: (id: string, sealed: Uint8Array) => Effect.Effect<unknown>
      ) =>
      (progress: (sealed: number) => void) =>
        Effect.gen(function*() {
          for (let count = 0;;) {
            const done = yield* inTransaction(
              sql,
              Effect.gen(function*() {
                const rows = yield* read
                yield* Effect.forEach(rows, (row) =>
                  Effect.flatMap(
                    vault.open(purposeOf(row), row.sealed),
                    (plain) => write(row.id, vault.seal(purposeOf(row), plain))
                  ), { discard: true })
                return rows.length
              })
            )
            count += done
            progress(done)
            if (done < slice) return count
          }
        })

      const resealSigningKeys = reseal(
        lockSigningKeysBefore(sql, slice),
        () => signingKeyPurpose,
        (id, sealed) => updateSigningKeySealed(sql, id, sealed)
      )

      const resealWebhookSecrets = reseal(
        lockSecretsBefore(sql, slice),
        ({ endpoint }) => webhookSecretPurpose(endpoint),
        (id, sealed) => updateSecretSealed(sql, id, sealed)
      )

      const sealedBefore = Effect.map(countSealedBefore(sql), (rows) => rows[0]!.count)

      const begin = Effect.fn("MasterKeyChange.begin")(function*(
        newMasterKey: Redacted.Redacted<Uint8Array>,
        progress: (done: number, total: number) => void = () => {}
      ) {
        const next = keyWrapping(crypto, Redacted.value(newMasterKey))
        const place = { done: 0, total: yield* sealedBefore }
        const report = (more: number) => progress(place.done += more, place.total)
        const wrapped = yield* inTransaction(
          sql,
          Effect.gen(function*() {
            yield* lockDataKeys(sql)
            const nextId = Hex.encode(next.masterKeyId)
            if (nextId === Hex.encode(mine.masterKeyId)) {
              return yield* new MasterKeyChangeRefused({
                message: "The new master key is the one that is configured. Give another one, or --finish the change."
              })
            }
            if ((yield* others).some((id) => id !== nextId)) {
              return yield* new MasterKeyChangeRefused({
                message:
                  "A change to another master key is under way. Run `countersign keys rewrap --finish` with the " +
                  "key that is to stay: with the new one once every node runs with it, or with this one to give it up."
              })
            }
            const kept = yield* unwrapAll(yield* listDataKeys(sql, mine), mine)
            const months = (yield* listMonths(sql, monthsOfChange)).map(({ month }) => month)
            const made = missingKeys(crypto, kept, months)
            const before = yield* listDataKeys(sql, next)
            const open = new Set(before.flatMap(({ id, wrapped }) => wrapped === null ? [] : [Hex.encode(id)]))
            const missing = kept.filter(({ id }) => !open.has(Hex.encode(id)))
            place.total += made.length + missing.length
            report(0)
            yield* storeDataKeys(sql, made, [mine, next])
            yield* insertWraps(sql, missing, next)
            return made.length + missing.length
          })
        )
        report(wrapped)
        return { wrapped, resealed: (yield* resealSigningKeys(report)) + (yield* resealWebhookSecrets(report)) }
      })

      const finish = inTransaction(
        sql,
        Effect.gen(function*() {
          yield* lockDataKeys(sql)
          yield* unwrapAll(yield* listDataKeys(sql, mine), mine)
          const { length } = yield* others
          yield* deleteOtherWraps(sql, mine.masterKeyId)
          return length
        })
      ).pipe(Effect.withSpan("MasterKeyChange.finish"))

      return MasterKeyChange.of({ begin, finish })
    })
  )
}
