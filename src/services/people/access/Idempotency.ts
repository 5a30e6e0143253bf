import { Context, Effect, Exit, Layer } from "effect"
import { failing, IdempotencyConflict, IdempotencyInFlight, RateLimited } from "../../../domain/ground/wire/Errors.ts"
import { Database, inTransaction } from "../../ground/persistence/Database.ts"
import { Cryptography } from "../../ground/platform/Cryptography.ts"
import { Settings } from "../../ground/platform/Settings.ts"
import { periodically } from "../../ground/platform/Supervised.ts"
import { swept } from "../../ground/platform/Sweeps.ts"
import { Vault } from "../../keys/security/Vault.ts"
import {
  countStored,
  deleteOldAnswers,
  deleteOldCounts,
  findStoredAnswer,
  insertAnswer,
  insertAnswers,
  lockKeys
} from "./IdempotencySql.ts"
import type { AnswerRow, Claim, NewAnswer, OwnedKey } from "./IdempotencySql.ts"

/** An answer that can be given again byte for byte. */
export interface StoredAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | undefined
}

/** A fresh answer; `isNoOp` when nothing was changed, so that running the request again does as well as storing it. */
export type FreshAnswer = StoredAnswer & { readonly isNoOp?: boolean }

/** The sender of the request; the fingerprint tells one request from another. */
export interface IdempotentRequest extends OwnedKey {
  /** 32 bytes over method, path, nonce and body. */
  readonly fingerprint: Uint8Array
  /** The fingerprint that a version before stored of the same request, where that was another. */
  readonly formerly?: Uint8Array
}

/** An answer, and whether it is a stored one. */
export interface Repeatable {
  readonly answer: StoredAnswer
  readonly replayed: boolean
}

/** The request in hand, where the operation stores its answer with its last step. */
export const CurrentIdempotentRequest = Context.Reference<IdempotentRequest | undefined>(
  "countersign/services/people/access/CurrentIdempotentRequest",
  { defaultValue: () => undefined }
)

/**
 * A write of several steps: `first` may take its time and use transactions of its own, which a repeat after a crash goes
 * on with; `last` is a short transaction.
 */
export interface Steps<First, Answer, E, E2 = E> {
  /** Judges, where `first` cannot be undone. Whoever must know that it begins is told between the two. */
  readonly judge?: Effect.Effect<unknown, E>
  readonly first: Effect.Effect<First, E>
  readonly last: (first: First) => Effect.Effect<Answer, E2>
}

/** How the requests of a group are answered; see {@link Idempotency}. */
export interface GroupSteps<Item, Held, E> {
  /** Runs beside the look for stored answers, in the same flight: it locks what the requests are about. */
  readonly hold: Effect.Effect<Held>
  /**
   * Decides the requests that were not answered before. `room` takes a place for one more stored answer of a caller; it
   * fails when there is none.
   */
  readonly answer: (
    fresh: ReadonlyArray<Item>,
    held: Held,
    room: (request: IdempotentRequest) => Effect.Effect<void, RateLimited>
  ) => Effect.Effect<{
    /** One for each, in order; `undefined` for a request that is not decided now. */
    readonly exits: ReadonlyArray<Exit.Exit<FreshAnswer, E> | undefined>
    /** The writes of all that was granted. Run beside the storing of their answers. */
    readonly writes: Effect.Effect<void>
  }>
  /**
   * Whether how many answers a caller has stored is limited. It need not be where each write uses up something that is
   * counted elsewhere.
   */
  readonly isLimited: boolean
}

/** Takes both steps, storing no answer. */
export const inOrder = <First, Answer, E, E2>({ first, last }: Steps<First, Answer, E, E2>) =>
  Effect.flatMap(first, last)

/** The refusal of a second request while the first one with its key runs. */
export const stillInFlight = failing(
  IdempotencyInFlight,
  "The first request with this Idempotency-Key is still running."
)

const sealPurpose = "idempotency"

/** Answers that are removed in one transaction. */
const purged = 2_000

const purgeEvery = "10 minutes"

/**
 * Which shard of the caller's hourly counter a request adds to. The writes of a license wait for its row anyway; those
 * of an API key are spread over 16 shards, so that they rarely wait for each other.
 */
const shardOf = (principal: string, fingerprint: Uint8Array): number =>
  principal.startsWith("license:") ? 0 : fingerprint[0]! % 16

const full = failing(
  RateLimited,
  "Too many responses are stored for the Idempotency-Keys of this credential.",
  { detail: "Responses are stored for a day; COUNTERSIGN_LIMIT_STORED_ANSWERS sets the limit." }
)

/**
 * Makes writes repeatable. The answer is stored in the transaction of its effect, so that a crash leaves both or
 * neither; a refusal has no effect and is not stored, nor is the answer of a write in a group that changed nothing. Bodies are
 * sealed: some hold a secret that is shown once.
 */
export class Idempotency extends Context.Service<Idempotency, {
  /** The stored answer to a request, if there is one: one statement, and no transaction. */
  readonly find: (request: IdempotentRequest) => Effect.Effect<Repeatable | undefined, IdempotencyConflict>
  /**
   * Runs `answer` once per key, in one transaction with its answer; `replayed` tells a stored answer from a fresh one.
   * Call {@link find} first, so that a repeat opens no transaction. RateLimited: the caller has stored too many.
   */
  readonly once: <E, R>(
    request: IdempotentRequest,
    answer: Effect.Effect<StoredAnswer, E, R>
  ) => Effect.Effect<Repeatable, E | IdempotencyConflict | IdempotencyInFlight | RateLimited, R>
  /** The same for a write of several steps, of which the last one stores the answer. Looks for one itself. */
  readonly inSteps: <First, E, E2>(
    request: IdempotentRequest,
    steps: Steps<First, StoredAnswer, E, E2>
  ) => Effect.Effect<Repeatable, E | E2 | IdempotencyConflict | IdempotencyInFlight | RateLimited>
  /**
   * {@link once} for many requests with different keys in one transaction. Answers an exit for each, in order, or
   * `undefined` for one that was not decided. A refusal of one leaves the others alone; a defect undoes all.
   */
  readonly onceEach: <Item extends { readonly idempotent: IdempotentRequest }, Held, E>(
    items: ReadonlyArray<Item>,
    steps: GroupSteps<Item, Held, E>
  ) => Effect.Effect<
    ReadonlyArray<Exit.Exit<Repeatable, E | IdempotencyConflict | IdempotencyInFlight | RateLimited> | undefined>
  >
}>()("countersign/services/people/access/Idempotency") {
  static readonly layer = Layer.effect(
    Idempotency,
    Effect.gen(function*() {
      const sql = yield* Database
      const crypto = yield* Cryptography
      const vault = yield* Vault
      const { maximumStoredAnswers } = yield* Settings

      const isAnswered = (row: Claim): row is Claim & AnswerRow => row.request_hash !== null

      const again = Effect.fnUntraced(function*(request: IdempotentRequest, row: AnswerRow) {
        const known = [request.fingerprint, ...(request.formerly === undefined ? [] : [request.formerly])]
        if (!known.some((fingerprint) => crypto.timingSafeEqual(row.request_hash, fingerprint))) {
          return yield* failing(IdempotencyConflict, "This Idempotency-Key was used before with another request.")
        }
        const body = row.body === null ? undefined : yield* vault.open(sealPurpose, row.body)
        return { answer: { status: row.status, headers: row.headers, body }, replayed: true } satisfies Repeatable
      })

      const sealedOf = (
        { fingerprint, key, principal }: IdempotentRequest,
        { body, headers, status }: StoredAnswer
      ): NewAnswer => ({
        principal,
        key,
        fingerprint,
        status,
        headers,
        sealed: body === undefined ? undefined : vault.seal(sealPurpose, body),
        shard: shardOf(principal, fingerprint)
      })

      const find = Effect.fnUntraced(function*(request: IdempotentRequest) {
        const [row] = yield* findStoredAnswer(sql, request)
        return row === undefined ? undefined : yield* again(request, row)
      })

      const once = <E, R>(request: IdempotentRequest, answer: Effect.Effect<StoredAnswer, E, R>) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const [before] = yield* lockKeys(sql, [request])
            if (isAnswered(before!)) return yield* again(request, before)
            if (!before!.locked) return yield* stillInFlight
            const fresh = yield* answer
            const [stored] = yield* insertAnswer(sql, sealedOf(request, fresh))
            if (stored!.before >= maximumStoredAnswers) return yield* full
            return { answer: fresh, replayed: false }
          })
        )

      /** Requests whose steps run on this node. A repeat on another node is found by the lock of the last step. */
      const running = new Set<string>()

      const inSteps = <First, E, E2>(request: IdempotentRequest, steps: Steps<First, StoredAnswer, E, E2>) =>
        Effect.gen(function*() {
          const before = yield* find(request)
          if (before !== undefined) return before
          const name = `${request.principal}\n${request.key}`
          if (running.has(name)) return yield* stillInFlight
          running.add(name)
          return yield* steps.first.pipe(
            Effect.flatMap((first) => once(request, steps.last(first))),
            Effect.ensuring(Effect.sync(() => running.delete(name)))
          )
        })

      const onceEach = <Item extends { readonly idempotent: IdempotentRequest }, Held, E>(
        items: ReadonlyArray<Item>,
        { answer, hold, isLimited }: GroupSteps<Item, Held, E>
      ) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const requests = items.map(({ idempotent }) => idempotent)
            const [rows, held, counts] = yield* Effect.all([
              lockKeys(sql, requests),
              hold,
              isLimited ? countStored(sql, requests.map(({ principal }) => principal)) : Effect.succeed([])
            ], { concurrency: "unbounded" })
            const stored = new Map(counts.map(({ answers, principal }) => [principal, answers]))
            const room = ({ principal }: IdempotentRequest) =>
              Effect.suspend(() => {
                const before = stored.get(principal) ?? 0
                if (isLimited && before >= maximumStoredAnswers) return Effect.fail(full)
                stored.set(principal, before + 1)
                return Effect.void
              })
            const isFresh = (index: number) => rows[index]!.locked && !isAnswered(rows[index]!)
            const fresh = items.filter((_, index) => isFresh(index))
            const { exits, writes } = fresh.length === 0
              ? { exits: [], writes: Effect.void }
              : yield* answer(fresh, held, room)
            const kept = fresh.flatMap(({ idempotent }, index) => {
              const exit = exits[index]
              return exit !== undefined && Exit.isSuccess(exit) && exit.value.isNoOp !== true
                ? [sealedOf(idempotent, exit.value)]
                : []
            })
            const store = kept.length === 0 ? Effect.void : insertAnswers(sql, kept, isLimited)
            yield* Effect.all([writes, store], { concurrency: "unbounded", discard: true })
            let next = 0
            return yield* Effect.forEach(requests, (
              request,
              index
            ): Effect.Effect<
              Exit.Exit<Repeatable, E | IdempotencyConflict | IdempotencyInFlight | RateLimited> | undefined
            > => {
              if (isFresh(index)) {
                const exit = exits[next++]
                return Effect.succeed(exit && Exit.map(exit, (answer) => ({ answer, replayed: false })))
              }
              const before = rows[index]!
              return isAnswered(before)
                ? Effect.exit(again(request, before))
                : Effect.succeed(Exit.fail(stillInFlight))
            })
          })
        )

      // Every node purges, and skips the rows that another one has locked.
      const slice = Effect.map(deleteOldAnswers(sql, purged), ({ length }) => length)
      const purge = slice.pipe(
        Effect.repeat({ while: (length) => length === purged }),
        Effect.andThen(deleteOldCounts(sql))
      )
      yield* periodically("Deleting old idempotency keys", swept("idempotency_keys", purge), purgeEvery)

      return Idempotency.of({ find, once, inSteps, onceEach })
    })
  )
}
