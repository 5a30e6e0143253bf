import { Context, Effect, Layer } from "effect"
import * as Id from "../../domain/wire/Id.ts"
import { Cryptography } from "../platform/Cryptography.ts"

/** Makes ids: time-sortable, unique across nodes, ascending within this process. */
export class Identifiers extends Context.Service<Identifiers, {
  readonly next: (type: Id.IdType) => string
  /**
   * Lets ids carry another clock from now on: it showed `millis` (Unix time) when `performance.now()` was `at`. Between
   * two calls it goes on with the monotonic clock, so that a node's wall clock that is set does not matter.
   */
  readonly follow: (millis: number, at: number) => void
}>()("countersign/services/persistence/Identifiers") {
  static readonly layer = Layer.effect(
    Identifiers,
    Effect.gen(function*() {
      const crypto = yield* Cryptography
      // Until there is a database to follow, nothing but requests that are refused gets an id.
      // oxlint-disable-next-line effect/global-date -- the node's own clock is all there is
      let next = Id.generator(() => Date.now(), crypto.randomBytes)
      let followed: { millis: number; at: number } | undefined
      return Identifiers.of({
        next: (type) => next(type),
        follow: (millis, at) => {
          const clock = { millis, at }
          if (followed === undefined) {
            followed = clock
            // A new one: the one before may have run ahead, and ids never go back.
            next = Id.generator(() => followed!.millis + performance.now() - followed!.at, crypto.randomBytes)
          } else followed = clock
        }
      })
    })
  )
}
