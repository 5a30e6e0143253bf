import { Clock, Context, Deferred, Effect, Layer } from "effect"
import { Hex } from "effect/encoding"
import { CurrentEnvironment } from "../../ground/environments/CurrentEnvironment.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { Cryptography } from "../../ground/platform/Cryptography.ts"
import { Signing } from "./Signing.ts"
import type { SignedAnswer } from "./Signing.ts"
import { findListState, findRevoked } from "./SigningSql.ts"
import type { ListState } from "./SigningSql.ts"

/** How long a revocation list is valid, in milliseconds. */
const livesFor = 24 * 3_600_000

/** How long a list is served again while nothing new is revoked, in milliseconds. */
const keptFor = 3_600_000

/** A list that took longer than this to write, in milliseconds, is not rewritten at every revocation, if it is long. */
const quick = 50

/** The characters from which a list is long. A shorter one takes its time when the machine is busy, and costs little. */
const long = 65_536

/** Writing such a list may take at most one part in this many of the time. */
const share = 20

/** A list ready to be served any number of times. */
export interface PublishedList extends SignedAnswer {
  /** 32 hex digits that differ between lists. */
  readonly tag: string
  /** `{"data":...,"signature":...,"meta":`, compressed as a member of a gzip file (RFC 1952). */
  readonly compressedHead: Effect.Effect<Uint8Array>
}

/** Compresses off the event loop; returns a member of a gzip file. */
export const gzip = (text: string): Effect.Effect<Uint8Array> =>
  Effect.promise(async () => {
    const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"))
    return new Uint8Array(await new Response(stream).arrayBuffer())
  })

interface Written extends ListState {
  readonly list: PublishedList
  /** The milliseconds that writing took. */
  readonly took: number
  /** The time on this node's clock, in milliseconds. */
  readonly writtenAt: number
}

/** The signed list of every revoked license, signing key and offline file. */
export class Revocations extends Context.Service<Revocations, {
  /**
   * The current list. A list below 64 KiB, or one that can be written within 50 ms, holds every revocation committed
   * before the call; another may be as old as 20 times the time it takes to write.
   */
  readonly current: Effect.Effect<PublishedList>
}>()("countersign/services/keys/security/Revocations") {
  static readonly layer = Layer.effect(
    Revocations,
    Effect.gen(function*() {
      const sql = yield* Database
      const crypto = yield* Cryptography
      const environment = yield* CurrentEnvironment
      const signing = yield* Signing
      const scope = yield* Effect.scope

      const state = findListState(sql)

      const write = Effect.gen(function*() {
        const began = yield* Clock.currentTimeMillis
        const rows = yield* findRevoked(sql)
        const { files, kid, kids, licenses, now, number } = rows[0]!
        const until = new Date(now.getTime() + livesFor).toISOString()
        // Canonical JSON (RFC 8785): members in order, without white space.
        const data =
          `{${
            environment === "live" ? "" : `"environment":"${environment}",`
          }"issued_at":"${now.toISOString()}","next_update":"${until}","number":${number},` +
          `"revoked_kids":[${kids ?? ""}],"revoked_license_ids":[${licenses ?? ""}],` +
          `${files === null ? "" : `"revoked_offline_files":[${files}],`}"valid_until":"${until}"}`
        const signature = yield* signing.sign(kid, data)
        const list: PublishedList = {
          data,
          signature,
          tag: Hex.encode(crypto.sha256(data)).slice(0, 32),
          compressedHead: yield* Effect.cached(
            gzip(`{"data":${data},"signature":${JSON.stringify(signature)},"meta":`)
          )
        }
        const writtenAt = yield* Clock.currentTimeMillis
        return { kid, list, now, number, took: writtenAt - began, writtenAt } satisfies Written
      }).pipe(Effect.withSpan("Revocations.write"))

      let last: Written | undefined
      let writing: Deferred.Deferred<Written> | undefined

      /**
       * Single flight: one list is written at a time, and later callers wait for it. It continues when the first caller
       * is gone.
       */
      const written = Effect.gen(function*() {
        if (writing === undefined) {
          const done = Deferred.makeUnsafe<Written>()
          writing = done
          yield* write.pipe(
            Effect.onExit((exit) =>
              Effect.sync(() => {
                writing = undefined
                if (exit._tag === "Success") last = exit.value
                Deferred.doneUnsafe(done, exit)
              })
            ),
            Effect.forkIn(scope)
          )
        }
        return yield* Deferred.await(writing)
      })

      const isNew = (list: Written, { kid, now, number }: ListState, clock: number) =>
        list.kid === kid && now.getTime() - list.now.getTime() < keptFor &&
        (list.number >= number ||
          (list.list.data.length >= long && list.took > quick && clock - list.writtenAt < list.took * share))

      const current = Effect.gen(function*() {
        const known = (yield* state)[0]!
        const clock = yield* Clock.currentTimeMillis
        // A list being written may have been read before a revocation that this call already knows of.
        let list = last
        while (list === undefined || !isNew(list, known, clock)) list = yield* written
        return list.list
      }).pipe(Effect.withSpan("Revocations.current"))

      return Revocations.of({ current })
    })
  )
}
