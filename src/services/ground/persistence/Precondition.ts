import { Context, Effect } from "effect"
import { Hex } from "effect/encoding"
import { canonicalJson } from "../../../domain/ground/wire/CanonicalJson.ts"
import { isAmong } from "../../../domain/ground/wire/EntityTag.ts"
import type { ConditionTags } from "../../../domain/ground/wire/EntityTag.ts"
import { failing, PreconditionFailed } from "../../../domain/ground/wire/Errors.ts"
import { Cryptography } from "../platform/Cryptography.ts"

/** The condition of a request about one resource (RFC 9110 section 13.1.1), and what became of it. */
export interface Precondition {
  readonly id: string
  /** The tags that `If-Match` names; undefined where it was not sent. */
  readonly expected: ConditionTags | undefined
  isJudged: boolean
  /** The tag of the resource as it was last read or written. */
  etag: string | undefined
}

/** The condition of the request being answered, when it is about one resource. */
export const CurrentPrecondition = Context.Reference<Precondition | undefined>(
  "countersign/services/ground/persistence/CurrentPrecondition",
  { defaultValue: () => undefined }
)

/** The tags of one kind of resource. */
export interface EntityTags<Resource> {
  /** Has the answer tell the tag of a resource, when it is the one that the request is about. */
  readonly note: (resource: Resource) => Effect.Effect<void>
  /**
   * The same for a resource whose row is locked until it is changed, and fails when the request was made for another
   * state of it.
   */
  readonly judge: (resource: Resource) => Effect.Effect<void, PreconditionFailed>
  /** The same of a resource that is read for it, where the request names a state of this one and nobody has judged yet. */
  readonly judgeOnce: <E>(id: string, locked: Effect.Effect<Resource, E>) => Effect.Effect<void, E | PreconditionFailed>
}

/**
 * Makes the tags of a kind of resource: a hash over what `tagged` takes of it, in canonical form. Such a tag is strong
 * although answers may differ in members that only apps and the clock change: it stands for what management can change.
 */
export const makeEntityTags = <Resource extends { readonly id: string }>(
  tagged: (resource: Resource) => object
): Effect.Effect<EntityTags<Resource>, never, Cryptography> =>
  Effect.map(Cryptography, ({ sha256 }) => {
    const tagOf = (resource: Resource) => `"${Hex.encode(sha256(canonicalJson(tagged(resource)))).slice(0, 32)}"`
    const noted = (resource: Resource) =>
      Effect.map(CurrentPrecondition, (current) => {
        if (current?.id !== resource.id) return undefined
        current.etag = tagOf(resource)
        return current
      })
    const judge = (resource: Resource) =>
      Effect.flatMap(noted(resource), (current) => {
        if (current?.expected === undefined || current.isJudged) return Effect.void
        current.isJudged = true
        return isAmong(current.expected, current.etag!) ? Effect.void : Effect.fail(
          failing(PreconditionFailed, "The resource was changed since you read it.", {
            detail: `The current ETag is ${current.etag}.`
          })
        )
      })
    return {
      note: (resource) => Effect.asVoid(noted(resource)),
      judge,
      judgeOnce: (id, locked) =>
        Effect.flatMap(CurrentPrecondition, (current) =>
          current?.id !== id || current.expected === undefined || current.isJudged
            ? Effect.void
            : Effect.flatMap(locked, judge))
    }
  })
