import { Context, Effect, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { failing, IdempotencyConflict, IdempotencyInFlight } from "../domain/Errors.ts"
import { Cryptography } from "./Cryptography.ts"
import { inTransaction } from "./Transaction.ts"
import { Vault } from "./Vault.ts"

/** An answer that can be given again byte for byte. */
export interface StoredAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | undefined
}

/** Whose request it is: a key is unique per principal; the fingerprint tells one request from another. */
export interface IdempotentRequest {
  readonly principal: string
  readonly key: string
  /** 32 bytes over method, path and body. */
  readonly fingerprint: Uint8Array
}

interface AnswerRow {
  readonly request_hash: Uint8Array
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | null
}

const sealPurpose = "idempotency"

/**
 * Makes writes repeatable. The answer is stored in the transaction of its effect, so that a crash leaves both or
 * neither; a refusal has no effect and is not stored. Bodies are sealed: some hold a secret that is shown once.
 */
export class Idempotency extends Context.Service<Idempotency, {
  /** Runs `answer` once per key; `replayed` tells a stored answer from a fresh one. */
  readonly once: <E, R>(
    request: IdempotentRequest,
    answer: Effect.Effect<StoredAnswer, E, R>
  ) => Effect.Effect<
    { readonly answer: StoredAnswer; readonly replayed: boolean },
    E | IdempotencyConflict | IdempotencyInFlight,
    R
  >
}>()("countersign/services/Idempotency") {
  static readonly layer = Layer.effect(
    Idempotency,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const crypto = yield* Cryptography
      const vault = yield* Vault

      /** Waiting for the first request would tie up a connection, so a second one is told to come back. */
      const lock = ({ key, principal }: IdempotentRequest) =>
        sql<{ readonly locked: boolean }>`
          SELECT pg_try_advisory_xact_lock(hashtextextended(${`${principal}\n${key}`}, 0)) AS locked`.pipe(
          Effect.orDie,
          Effect.flatMap(([row]) =>
            row?.locked === true
              ? Effect.void
              : Effect.fail(
                failing(IdempotencyInFlight, "The first request with this Idempotency-Key is still running.")
              )
          )
        )

      const stored = Effect.fnUntraced(function*({ fingerprint, key, principal }: IdempotentRequest) {
        const rows = yield* sql<AnswerRow>`
          SELECT request_hash, status, headers, body FROM idempotency_keys
          WHERE principal = ${principal} AND key = ${key}`.pipe(Effect.orDie)
        const row = rows[0]
        if (row === undefined) return undefined
        if (!crypto.timingSafeEqual(row.request_hash, fingerprint)) {
          return yield* failing(IdempotencyConflict, "This Idempotency-Key was used before with another request.")
        }
        const body = row.body === null ? undefined : yield* vault.open(sealPurpose, row.body)
        return { status: row.status, headers: row.headers, body } satisfies StoredAnswer
      })

      const once = <E, R>(request: IdempotentRequest, answer: Effect.Effect<StoredAnswer, E, R>) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            yield* lock(request)
            const before = yield* stored(request)
            if (before !== undefined) return { answer: before, replayed: true }
            const fresh = yield* answer
            yield* sql`
              INSERT INTO idempotency_keys (principal, key, request_hash, status, headers, body)
              VALUES (${request.principal}, ${request.key}, ${request.fingerprint}, ${fresh.status},
                ${JSON.stringify(fresh.headers)}::jsonb,
                ${fresh.body === undefined ? null : vault.seal(sealPurpose, fresh.body)})`.pipe(Effect.orDie)
            return { answer: fresh, replayed: false }
          })
        )

      // Kept for two days where one is promised; every node sweeps, which is harmless.
      const purge = sql`
        DELETE FROM idempotency_keys WHERE created_at < now() - interval '48 hours'`.pipe(
        Effect.catchCause((cause) => Effect.logWarning("Old idempotency keys were not deleted", cause))
      )
      yield* purge.pipe(Effect.schedule(Schedule.spaced("1 hour")), Effect.forkScoped)

      return Idempotency.of({ once })
    })
  )
}
