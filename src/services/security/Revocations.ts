import { Clock, Context, Deferred, Effect, Layer } from "effect"
import { Hex } from "effect/encoding"
import { Database } from "../persistence/Database.ts"
import { Cryptography } from "../platform/Cryptography.ts"
import { Signing } from "./Signing.ts"
import type { SignedAnswer } from "./Signing.ts"

/** For how long a revocation list speaks, in milliseconds. */
const livesFor = 24 * 3_600_000

/** For how long one is handed out again while nothing was revoked, in milliseconds. */
const keptFor = 3_600_000

/** A list that took longer to write than this, in milliseconds, is not written again at every revocation. */
const quick = 50

/** Such lists are written for at most one part in so many of the time. */
const share = 20

/** A list as it is answered, as often as it is asked for. */
export interface PublishedList extends SignedAnswer {
  /** Differs between lists; of 32 hex digits. */
  readonly tag: string
  /** `{"data":...,"signature":...,"meta":` compressed, as a member of a gzip file (RFC 1952). */
  readonly compressedHead: Effect.Effect<Uint8Array>
}

/** Compresses beside the event loop; answers a member of a gzip file. */
export const gzip = (text: string): Effect.Effect<Uint8Array> =>
  Effect.promise(async () => {
    const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"))
    return new Uint8Array(await new Response(stream).arrayBuffer())
  })

interface State {
  readonly number: bigint
  readonly now: Date
  readonly kid: string
}

interface Written extends State {
  readonly list: PublishedList
  /** Milliseconds that it took. */
  readonly took: number
  /** Of this node's clock. */
  readonly writtenAt: number
}

/** The signed list of every revoked license and signing key. */
export class Revocations extends Context.Service<Revocations, {
  /**
   * The list of now. While it is short enough to be written in 50 ms, every revocation that was committed before is on
   * it; a longer one may be as old as 20 times what it takes to write it.
   */
  readonly current: Effect.Effect<PublishedList>
}>()("countersign/services/security/Revocations") {
  static readonly layer = Layer.effect(
    Revocations,
    Effect.gen(function*() {
      const sql = yield* Database
      const crypto = yield* Cryptography
      const signing = yield* Signing
      const scope = yield* Effect.scope

      // Revocations are for good, so how many there were numbers the list: it grows with each, and only then.
      const state = sql<State>`
        SELECT c.number, clock_timestamp() AS now, k.id AS kid
        FROM revocation_count c, signing_keys k WHERE k.status = 'active'`

      // The database writes the names: there may be a million of them, and the event loop is for others.
      const write = Effect.gen(function*() {
        const began = yield* Clock.currentTimeMillis
        const rows = yield* sql<State & { readonly licenses: string | null; readonly kids: string | null }>`
          SELECT s.*, (SELECT string_agg('"' || id || '"', ',' ORDER BY id) FROM licenses WHERE state = 'revoked')
              AS licenses,
            (SELECT string_agg('"' || id || '"', ',' ORDER BY id) FROM signing_keys WHERE status = 'revoked') AS kids
          FROM (${state}) s`
        const { kid, kids, licenses, now, number } = rows[0]!
        const until = new Date(now.getTime() + livesFor).toISOString()
        // Canonical JSON (RFC 8785): members in order, without white space.
        const data = `{"issued_at":"${now.toISOString()}","next_update":"${until}","number":${number},` +
          `"revoked_kids":[${kids ?? ""}],"revoked_license_ids":[${licenses ?? ""}],"valid_until":"${until}"}`
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

      /** One at a time: who asks meanwhile waits for it. It goes on when who asked first is gone. */
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

      const isNew = (list: Written, { kid, now, number }: State, clock: number) =>
        list.kid === kid && now.getTime() - list.now.getTime() < keptFor &&
        (list.number >= number || (list.took > quick && clock - list.writtenAt < list.took * share))

      const current = Effect.gen(function*() {
        const known = (yield* state)[0]!
        const clock = yield* Clock.currentTimeMillis
        // The list that is being written may have been read before a revocation that is known here.
        let list = last
        while (list === undefined || !isNew(list, known, clock)) list = yield* written
        return list.list
      }).pipe(Effect.withSpan("Revocations.current"))

      return Revocations.of({ current })
    })
  )
}
