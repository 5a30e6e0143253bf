import { Context, Effect, Layer } from "effect"
import * as Id from "../../../domain/ground/wire/Id.ts"
import { Cryptography } from "../platform/Cryptography.ts"

/** Makes ids: time-sortable, unique across nodes, ascending within this process. */
export class Identifiers extends Context.Service<Identifiers, {
  readonly next: (type: Id.IdType) => string
  /**
   * Sets the clock of the ids: it showed `millis` (Unix time) when `performance.now()` was `at`. Between two calls it
   * advances with the monotonic clock, so that setting the node's wall clock has no effect.
   */
  readonly follow: (millis: number, at: number) => void
}>()("countersign/services/ground/persistence/Identifiers") {
  static readonly layer = Layer.effect(
    Identifiers,
    Effect.gen(function*() {
      const crypto = yield* Cryptography
      // Until there is a database clock to follow, only refused requests get an id.
      // oxlint-disable-next-line effect/global-date -- the node's own clock is all there is
      let next = Id.generator(() => Date.now(), crypto.randomBytes)
      let followed: { millis: number; at: number } | undefined
      return Identifiers.of({
        next: (type) => next(type),
        follow: (millis, at) => {
          const clock = { millis, at }
          if (followed === undefined) {
            followed = clock
            // A new generator, because the one before may have run ahead, and a generator never goes back.
            next = Id.generator(() => followed!.millis + performance.now() - followed!.at, crypto.randomBytes)
          } else followed = clock
        }
      })
    })
  )
}
