import { Context, Effect, Exit, Layer, Schedule } from "effect"
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

/** An answer, and whether it is a stored one. */
export interface Repeatable {
  readonly answer: StoredAnswer
  readonly replayed: boolean
}

/** The request in hand, where the operation stores its answer itself. */
export const CurrentIdempotentRequest = Context.Reference<IdempotentRequest | undefined>(
  "countersign/services/CurrentIdempotentRequest",
  { defaultValue: () => undefined }
)

interface AnswerRow {
  readonly principal: string
  readonly key: string
  readonly request_hash: Uint8Array
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | null
}

/** What a second request is told while the first one with its key runs. */
export const stillInFlight = failing(
  IdempotencyInFlight,
  "The first request with this Idempotency-Key is still running."
)

const sealPurpose = "idempotency"

/** Answers that one statement deletes. */
const purgedAtOnce = 500

/**
 * Makes writes repeatable. The answer is stored in the transaction of its effect, so that a crash leaves both or
 * neither; a refusal has no effect and is not stored. Bodies are sealed: some hold a secret that is shown once.
 */
export class Idempotency extends Context.Service<Idempotency, {
  /** Runs `answer` once per key; `replayed` tells a stored answer from a fresh one. */
  readonly once: <E, R>(
    request: IdempotentRequest,
    answer: Effect.Effect<StoredAnswer, E, R>
  ) => Effect.Effect<Repeatable, E | IdempotencyConflict | IdempotencyInFlight, R>
  /**
   * {@link once} for many requests with different keys in one transaction: `answers` is given those that were not
   * answered before and answers an exit for each, in order. A refusal of one leaves the others alone; a defect undoes
   * all.
   */
  readonly onceEach: <Item extends { readonly idempotent: IdempotentRequest }, E, R>(
    items: ReadonlyArray<Item>,
    answers: (fresh: ReadonlyArray<Item>) => Effect.Effect<ReadonlyArray<Exit.Exit<StoredAnswer, E>>, never, R>
  ) => Effect.Effect<ReadonlyArray<Exit.Exit<Repeatable, E | IdempotencyConflict | IdempotencyInFlight>>, never, R>
}>()("countersign/services/Idempotency") {
  static readonly layer = Layer.effect(
    Idempotency,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const crypto = yield* Cryptography
      const vault = yield* Vault

      /** Waiting for the first request would tie up a connection, so a second one is told to come back. */
      const lock = Effect.fnUntraced(function*(requests: ReadonlyArray<IdempotentRequest>) {
        const names = requests.map(({ key, principal }) => `${principal}\n${key}`)
        const rows = yield* sql<{ readonly locked: boolean }>`
          SELECT pg_try_advisory_xact_lock(hashtextextended(r.name, 0)) AS locked
          FROM unnest(${names}::text[]) WITH ORDINALITY AS r (name, place) ORDER BY r.place`
        return rows.map(({ locked }) => locked)
      }, Effect.orDie)

      const stored = Effect.fnUntraced(function*(requests: ReadonlyArray<IdempotentRequest>) {
        const rows = yield* sql<AnswerRow>`
          SELECT principal, key, request_hash, status, headers, body FROM idempotency_keys
          WHERE (principal, key) IN (SELECT * FROM unnest(${requests.map(({ principal }) => principal)}::text[],
            ${requests.map(({ key }) => key)}::text[]))`
        return requests.map((request) =>
          rows.find((row) => row.key === request.key && row.principal === request.principal)
        )
      }, Effect.orDie)

      const again = Effect.fnUntraced(function*(request: IdempotentRequest, row: AnswerRow) {
        if (!crypto.timingSafeEqual(row.request_hash, request.fingerprint)) {
          return yield* failing(IdempotencyConflict, "This Idempotency-Key was used before with another request.")
        }
        const body = row.body === null ? undefined : yield* vault.open(sealPurpose, row.body)
        return { answer: { status: row.status, headers: row.headers, body }, replayed: true } satisfies Repeatable
      })

      const store = (answers: ReadonlyArray<readonly [IdempotentRequest, StoredAnswer]>) =>
        answers.length === 0 ? Effect.void : sql`
          INSERT INTO idempotency_keys (principal, key, request_hash, status, headers, body)
          SELECT principal, key, request_hash, status, headers::jsonb, nullif(body, '') FROM unnest(
            ${answers.map(([{ principal }]) => principal)}::text[], ${answers.map(([{ key }]) => key)}::text[],
            ${answers.map(([{ fingerprint }]) => fingerprint)}::bytea[],
            ${answers.map(([, { status }]) => status)}::int[],
            ${answers.map(([, { headers }]) => JSON.stringify(headers))}::text[],
            ${
          answers.map(([, { body }]) => body === undefined ? new Uint8Array(0) : vault.seal(sealPurpose, body))
        }::bytea[]
          ) AS a (principal, key, request_hash, status, headers, body)`.pipe(Effect.asVoid, Effect.orDie)

      const once = <E, R>(request: IdempotentRequest, answer: Effect.Effect<StoredAnswer, E, R>) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const [locked] = yield* lock([request])
            // Whoever holds the lock may be repeating an answer too, so there can be one without it.
            const [before] = yield* stored([request])
            if (before !== undefined) return yield* again(request, before)
            if (locked !== true) return yield* stillInFlight
            const fresh = yield* answer
            yield* store([[request, fresh]])
            return { answer: fresh, replayed: false }
          })
        )

      const onceEach = <Item extends { readonly idempotent: IdempotentRequest }, E, R>(
        items: ReadonlyArray<Item>,
        answers: (fresh: ReadonlyArray<Item>) => Effect.Effect<ReadonlyArray<Exit.Exit<StoredAnswer, E>>, never, R>
      ) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const requests = items.map(({ idempotent }) => idempotent)
            const locked = yield* lock(requests)
            const rows = yield* stored(requests)
            const isFresh = (index: number) => locked[index] === true && rows[index] === undefined
            const fresh = items.filter((_, index) => isFresh(index))
            const exits = fresh.length === 0 ? [] : yield* answers(fresh)
            yield* store(fresh.flatMap(({ idempotent }, index) => {
              const exit = exits[index]!
              return Exit.isSuccess(exit) ? [[idempotent, exit.value] as const] : []
            }))
            let next = 0
            return yield* Effect.forEach(
              requests,
              (
                request,
                index
              ): Effect.Effect<Exit.Exit<Repeatable, E | IdempotencyConflict | IdempotencyInFlight>> => {
                if (isFresh(index)) {
                  return Effect.succeed(Exit.map(exits[next++]!, (answer) => ({ answer, replayed: false })))
                }
                const before = rows[index]
                return before === undefined
                  ? Effect.succeed(Exit.fail(stillInFlight))
                  : Effect.exit(again(request, before))
              }
            )
          })
        )

      // Kept for two days where one is promised; every node sweeps, which is harmless.
      const purge = sql`
        WITH old AS MATERIALIZED (
          SELECT principal, key FROM idempotency_keys WHERE created_at < now() - interval '48 hours'
          ORDER BY created_at LIMIT ${purgedAtOnce} FOR UPDATE SKIP LOCKED
        )
        DELETE FROM idempotency_keys k USING old WHERE k.principal = old.principal AND k.key = old.key
        RETURNING 1`.pipe(
        Effect.repeat({ while: (rows) => rows.length === purgedAtOnce }),
        Effect.catchCause((cause) => Effect.logWarning("Old idempotency keys were not deleted", cause))
      )
      yield* purge.pipe(Effect.schedule(Schedule.spaced("1 hour")), Effect.forkScoped)

      return Idempotency.of({ once, onceEach })
    })
  )
}
