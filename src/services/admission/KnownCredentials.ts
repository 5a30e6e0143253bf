import { Clock, Context, Effect, Exit, Layer } from "effect"
import type { RateLimited } from "../../domain/wire/Errors.ts"
import { makeGroupCommit } from "../persistence/GroupCommit.ts"
import { QuestionSql } from "../platform/QuestionSql.ts"
import { RateLimits } from "./RateLimits.ts"

/** Credentials remembered at least; twice as many at most. */
const remembered = 20_000

/** How often credentials of addresses that have failed too often are looked up, in milliseconds. */
const lookUpEvery = 50

/** Credentials looked up at once. */
const lookedUpAtOnce = 1000

/** A credential that may be tried. */
export interface Admission {
  /** Says what came of it: `true` when there is no such credential, so that the failure stays counted. */
  readonly settle: (isUnknown: boolean) => Effect.Effect<void, RateLimited>
}

/** A hash as a short text, one character for each byte. */
const nameOf = (hash: Uint8Array): string => String.fromCharCode(...hash)

/**
 * License keys and management keys that were seen to be right. This never answers for the database, which judges every
 * request: it tells whose share a request is of, and lets right credentials in from an address that has failed too
 * often. There, those that are not known are looked up many at once, so that guessing costs no query for each guess,
 * and a right one is never refused for its neighbours' failures.
 */
export class KnownCredentials extends Context.Service<KnownCredentials, {
  /** The license, or the management key, that a hash was last seen to belong to. */
  readonly ownerOf: (hash: Uint8Array) => string | undefined
  readonly learn: (hash: Uint8Array, owner: string) => void
  /**
   * Asks whether an address may try a credential. A failure is taken in advance of what is not known to be right, and
   * given back by {@link Admission.settle}.
   */
  readonly admit: (hash: Uint8Array, address: string) => Effect.Effect<Admission, RateLimited>
  /** Counts what cannot be a credential. */
  readonly malformed: (address: string) => Effect.Effect<void, RateLimited>
}>()("countersign/services/admission/KnownCredentials") {
  static readonly layer = Layer.effect(
    KnownCredentials,
    Effect.gen(function*() {
      const sql = yield* QuestionSql
      const limits = yield* RateLimits
      let recent = new Map<string, string>()
      let older = new Map<string, string>()

      const remember = (name: string, owner: string) => {
        recent.set(name, owner)
        if (recent.size < remembered) return
        older = recent
        recent = new Map()
      }
      const owner = (name: string): string | undefined => {
        const found = recent.get(name)
        if (found !== undefined) return found
        const before = older.get(name)
        if (before !== undefined) remember(name, before)
        return before
      }
      const forget = (name: string) => {
        recent.delete(name)
        older.delete(name)
      }

      const lookUp = yield* makeGroupCommit<Uint8Array, boolean, never>({
        keyOf: () => "",
        maximum: lookedUpAtOnce,
        concurrency: 1,
        stopped: Exit.succeed(false) as Exit.Exit<never>,
        commit: Effect.fnUntraced(function*(hashes) {
          yield* Effect.sleep(lookUpEvery)
          const rows = yield* sql<{ readonly key_hash: Uint8Array; readonly owner: string }>`
            WITH asked AS (SELECT unnest(${hashes}::bytea[]) AS key_hash)
            SELECT key_hash, license_id AS owner FROM license_keys JOIN asked USING (key_hash)
            WHERE expires_at IS NULL OR expires_at > now()
            UNION ALL SELECT key_hash, id FROM management_keys JOIN asked USING (key_hash)
            UNION ALL SELECT key_hash, 'bootstrap' FROM bootstrap_tokens JOIN asked ON token_hash = key_hash
            WHERE withdrawn_at IS NULL`.pipe(Effect.orDie)
          const found = new Set(rows.map(({ key_hash, owner }) => {
            const name = nameOf(key_hash)
            remember(name, owner)
            return name
          }))
          return hashes.map((hash) => Exit.succeed(found.has(nameOf(hash))))
        })
      })

      const unknown = (address: string) =>
        Effect.flatMap(
          Clock.currentTimeMillis,
          (now) => limits.takeFailure(address, now) ? Effect.void : limits.tooManyFailures(address)
        )

      const admit = Effect.fnUntraced(function*(hash: Uint8Array, address: string) {
        const name = nameOf(hash)
        /** What is known to be right, so that nothing was taken in advance. */
        const known: Admission = {
          settle: (isUnknown) => {
            if (!isUnknown) return Effect.void
            // It was right, and is no more: replaced, or deleted.
            forget(name)
            return unknown(address)
          }
        }
        if (owner(name) !== undefined) return known
        if (limits.takeFailure(address, yield* Clock.currentTimeMillis)) {
          return {
            settle: (isUnknown: boolean) =>
              isUnknown
                ? Effect.void
                : Effect.map(Clock.currentTimeMillis, (now) => limits.returnFailure(address, now))
          }
        }
        if (yield* lookUp(hash)) return known
        yield* unknown(address)
        return { settle: () => Effect.void }
      })

      return KnownCredentials.of({
        ownerOf: (hash) => owner(nameOf(hash)),
        learn: (hash, of) => {
          const name = nameOf(hash)
          if (owner(name) === undefined) remember(name, of)
        },
        admit,
        malformed: unknown
      })
    })
  )
}
