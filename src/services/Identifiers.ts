import { Context, Layer } from "effect"
import { Effect } from "effect"
import * as Id from "../domain/Id.ts"
import { Cryptography } from "./Cryptography.ts"

/** Makes ids: time-sortable, unique across nodes, ascending within this process. */
export class Identifiers extends Context.Service<Identifiers, {
  readonly next: (type: Id.IdType) => string
}>()("countersign/services/Identifiers") {
  static readonly layer = Layer.effect(
    Identifiers,
    Effect.gen(function*() {
      const crypto = yield* Cryptography
      // oxlint-disable-next-line effect/global-date -- an id carries the node's wall clock; nothing is decided by it
      return Identifiers.of({ next: Id.generator(() => Date.now(), crypto.randomBytes) })
    })
  )
}
