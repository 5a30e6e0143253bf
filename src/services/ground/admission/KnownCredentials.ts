import { Clock, Context, Effect, Exit, Layer } from "effect"
import type { FailureLimit } from "../../../domain/ground/admission/RateLimit.ts"
import type { RateLimited } from "../../../domain/ground/wire/Errors.ts"
import { makeGroupCommit } from "../persistence/GroupCommit.ts"
import { QuestionSql } from "../platform/DatabaseHealthSql.ts"
import { listOwners } from "./AdmissionSql.ts"
import { RateLimits } from "./RateLimits.ts"

/** Credentials remembered: at least this many, at most twice as many. */
const remembered = 20_000

/** The interval at which credentials of addresses with too many failures are looked up, in milliseconds. */
const lookUpEvery = 50

/** The maximum of credentials in one look-up. */
const lookedUpAtOnce = 1000

/** Permission to try a credential. */
export interface CredentialTrial {
  /** Reports the outcome: `true` when there is no such credential, so that the failure stays counted. */
  readonly settle: (isUnknown: boolean) => Effect.Effect<void, RateLimited>
}

/** Tries of credentials, whose failures are charged to a limit of the address. */
interface Tries {
  /**
   * Looks for what a credential opens, where an address may try it: finding nothing, which is answered by undefined, is a failure of
   * the address.
   */
  readonly attempt: <A, E, R>(
    hash: Uint8Array,
    address: string,
    find: Effect.Effect<A | undefined, E, R>
  ) => Effect.Effect<A | undefined, E | RateLimited, R>
  /** Counts a failure: a value that cannot be a credential, or one that was found to be wrong. */
  readonly malformed: (address: string) => Effect.Effect<void, RateLimited>
}

/** A hash as a short string, one character for each byte. Spreading the bytes would take six times as long. */
export const nameOf = (hash: Uint8Array): string =>
  Reflect.apply(String.fromCharCode, undefined, hash as ArrayLike<number>)

/**
 * A cache of license keys and API keys that were valid when last seen. It never replaces the database, which
 * judges every request. It tells whose share a request belongs to, and it admits valid credentials from an address that
 * has failed too often. From such an address, unknown credentials are looked up in batches: guessing does not cost one
 * query for each guess, and a valid credential is never refused because others at the address failed.
 */
export class KnownCredentials extends Context.Service<
  KnownCredentials,
  Tries & {
    /** The license or API key that a hash last belonged to. */
    readonly ownerOf: (hash: Uint8Array) => string | undefined
    readonly learn: (hash: Uint8Array, owner: string) => void
    /**
     * Asks whether an address may try a credential. For a credential that is not known, a failure is charged in advance;
     * {@link CredentialTrial.settle} refunds it.
     */
    readonly admit: (hash: Uint8Array, address: string) => Effect.Effect<CredentialTrial, RateLimited>
    /** {@link admit} for a credential that {@link ownerOf} knows, which needs no look-up. */
    readonly admitKnown: (hash: Uint8Array, address: string) => CredentialTrial
    /**
     * The tries of people who sign in. They are counted apart: a program with a wrong API key in the same office keeps nobody from signing
     * in, and nobody who signs in keeps a program out.
     */
    readonly signIns: Tries
  }
>()("countersign/services/ground/admission/KnownCredentials") {
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
          const rows = yield* Effect.orDie(listOwners(sql, hashes))
          const found = new Set(rows.map(({ key_hash, owner }) => {
            const name = nameOf(key_hash)
            remember(name, owner)
            return name
          }))
          return hashes.map((hash) => Exit.succeed(found.has(nameOf(hash))))
        })
      })

      const triesOf = (limit: FailureLimit) => {
        const unknown = (address: string) =>
          Effect.flatMap(
            Clock.currentTimeMillis,
            (now) => limits.takeFailure(limit, address, now) ? Effect.void : limits.tooManyFailures(limit, address)
          )

        // Nothing is charged in advance for it.
        const admitKnown = (hash: Uint8Array, address: string): CredentialTrial => ({
          settle: (isUnknown) => {
            if (!isUnknown) return Effect.void
            // The credential was valid and has since been replaced or deleted.
            forget(nameOf(hash))
            return unknown(address)
          }
        })

        const admit = Effect.fnUntraced(function*(hash: Uint8Array, address: string) {
          if (owner(nameOf(hash)) !== undefined) return admitKnown(hash, address)
          if (limits.takeFailure(limit, address, yield* Clock.currentTimeMillis)) {
            return {
              settle: (isUnknown: boolean) =>
                isUnknown
                  ? Effect.void
                  : Effect.map(Clock.currentTimeMillis, (now) => limits.returnFailure(limit, address, now))
            }
          }
          if (yield* lookUp(hash)) return admitKnown(hash, address)
          yield* unknown(address)
          return { settle: () => Effect.void }
        })

        const attempt = Effect.fnUntraced(function*<A, E, R>(
          hash: Uint8Array,
          address: string,
          find: Effect.Effect<A | undefined, E, R>
        ) {
          const admission = yield* admit(hash, address)
          const found = yield* find
          yield* admission.settle(found === undefined)
          return found
        })

        return { admit, admitKnown, attempt, malformed: unknown }
      }

      return KnownCredentials.of({
        ownerOf: (hash) => owner(nameOf(hash)),
        learn: (hash, of) => {
          const name = nameOf(hash)
          if (owner(name) === undefined) remember(name, of)
        },
        ...triesOf("authentication"),
        signIns: triesOf("sign_in_failures")
      })
    })
  )
}
