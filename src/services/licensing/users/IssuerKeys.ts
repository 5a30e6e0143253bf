import { Clock, Context, Data, Effect, Layer, Option, Schema, Semaphore } from "effect"
import { notAnIssuer } from "../../../domain/licensing/users/LicenseUser.ts"
import type { Account } from "../../../domain/licensing/users/UserSignIn.ts"
import { ProviderHttp } from "../../ground/platform/Transport.ts"

/** A key set (RFC 7517) as an issuer publishes it. */
export interface KeySet {
  readonly keys: ReadonlyArray<Readonly<Record<string, unknown>> & { readonly kty: string }>
}

/** The reason why an ID token signs nobody in. */
export type IdTokenFault =
  | "algorithm"
  | "audience"
  | "expired"
  | "issuer"
  | "malformed"
  | "nonce"
  | "not_yet_valid"
  | "signature"
  | "unknown_key"

export class IdTokenRefused extends Data.TaggedError("IdTokenRefused")<{ readonly fault: IdTokenFault }> {}

/** The expectations of an ID token. */
export interface ExpectedToken {
  readonly keys: KeySet
  readonly issuer: string
  readonly audience: string
  readonly nonce: string | undefined
}

/** Verifies ID tokens (OpenID Connect Core 3.1.3.7) by keys that are at hand; the runtime implements it. */
export class IdTokens extends Context.Service<IdTokens, {
  readonly verify: (token: string, expected: ExpectedToken) => Effect.Effect<Account, IdTokenRefused>
}>()("countersign/services/licensing/users/IdTokens") {}

/** How long one request to an issuer may take, in milliseconds. */
const patienceMillis = 10_000

/** How large one of its answers may be, in bytes. */
const largestAnswer = 256 * 1024

/** How long keys serve without a question to the issuer, and while it does not answer, in milliseconds. */
const freshMillis = 10 * 60_000
const keptMillis = 24 * 60 * 60_000

/** How often one issuer is asked in a minute, whatever tokens name. */
const questionsInMinute = 5

/** The most issuers whose keys are kept. */
const mostIssuers = 1000

/** The keys of an issuer are not known, and it does not tell them. */
export class IssuerAway extends Data.TaggedError("IssuerAway")<{ readonly problem: string }> {}

/** The keys of an issuer, and the questions to it. */
interface Known {
  keys: KeySet | undefined
  readAt: number
  /** When it was asked in the last minute. */
  asked: ReadonlyArray<number>
  readonly turn: Semaphore.Semaphore
}

const Description = Schema.fromJsonString(Schema.Struct({ issuer: Schema.String, jwks_uri: Schema.String }))
const Keys = Schema.fromJsonString(
  Schema.Struct({
    keys: Schema.Array(
      Schema.StructWithRest(Schema.Struct({ kty: Schema.String }), [Schema.Record(Schema.String, Schema.Unknown)])
    )
  })
)
const readDescription = Schema.decodeUnknownOption(Description)
const readKeys = Schema.decodeUnknownOption(Keys)

/** The keys of issuers that licenses trust, as each node keeps them. */
export class IssuerKeys extends Context.Service<IssuerKeys, {
  /** The keys of an issuer, some minutes old at most, or, while it is away, a day. */
  readonly keysOf: (issuer: string) => Effect.Effect<KeySet, IssuerAway>
  /** The keys, read anew because `seen` lack one; the same where the issuer was asked often enough. */
  readonly keysBeyond: (issuer: string, seen: KeySet) => Effect.Effect<KeySet>
}>()("countersign/services/licensing/users/IssuerKeys") {
  static readonly layer = Layer.effect(
    IssuerKeys,
    Effect.gen(function*() {
      const http = yield* ProviderHttp
      const known = new Map<string, Known>()

      const knownOf = (issuer: string): Known => {
        const found = known.get(issuer) ??
          { keys: undefined, readAt: -Infinity, asked: [], turn: Semaphore.makeUnsafe(1) }
        known.delete(issuer)
        known.set(issuer, found)
        if (known.size > mostIssuers) known.delete(known.keys().next().value!)
        return found
      }

      const get = Effect.fnUntraced(function*(url: string) {
        const { body, status } = yield* http.get({ url, headers: {}, patienceMillis }).pipe(
          Effect.mapError(({ reason }) => new IssuerAway({ problem: `${url}: ${reason}` }))
        )
        if (status !== 200) return yield* new IssuerAway({ problem: `${url} answers ${status}` })
        if (body.length > largestAnswer) return yield* new IssuerAway({ problem: `${url} sends too much` })
        return new TextDecoder().decode(body)
      })

      const read = Effect.fnUntraced(function*(issuer: string) {
        const address = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`
        const description = readDescription(yield* get(address))
        if (Option.isNone(description) || description.value.issuer !== issuer) {
          return yield* new IssuerAway({ problem: `${address} does not describe this issuer` })
        }
        const { jwks_uri } = description.value
        if (notAnIssuer(jwks_uri.replace(/\?[^#]*$/, "")) !== undefined) {
          return yield* new IssuerAway({ problem: `${address} names keys that are not behind https` })
        }
        const keys = readKeys(yield* get(jwks_uri))
        return Option.isNone(keys) ? yield* new IssuerAway({ problem: `${jwks_uri} has no keys` }) : keys.value
      })

      /** Asks the issuer, if it was not asked too often, and keeps what it says. */
      const ask = Effect.fnUntraced(function*(issuer: string, at: Known, now: number) {
        at.asked = at.asked.filter((time) => time > now - 60_000)
        if (at.asked.length >= questionsInMinute) {
          return yield* new IssuerAway({ problem: `${issuer} was asked ${questionsInMinute} times within a minute` })
        }
        at.asked = [...at.asked, now]
        const keys = yield* Effect.tapError(
          read(issuer),
          ({ problem }) => Effect.logWarning(`The identity provider of a license cannot be used: ${problem}`)
        )
        at.keys = keys
        at.readAt = now
        return keys
      })

      const now = Clock.currentTimeMillis

      const keysOf = Effect.fn("IssuerKeys.keysOf")(function*(issuer: string) {
        const at = knownOf(issuer)
        const isFresh = (time: number) => at.keys !== undefined && at.readAt > time - freshMillis
        if (isFresh(yield* now)) return at.keys!
        return yield* at.turn.withPermit(Effect.gen(function*() {
          const time = yield* now
          // Somebody else has asked meanwhile.
          if (isFresh(time)) return at.keys!
          const kept = at.keys !== undefined && at.readAt > time - keptMillis ? at.keys : undefined
          return yield* ask(issuer, at, time).pipe(
            Effect.catchTag("IssuerAway", (away) => kept === undefined ? Effect.fail(away) : Effect.succeed(kept))
          )
        }))
      })

      const keysBeyond = Effect.fn("IssuerKeys.keysBeyond")((issuer: string, seen: KeySet) => {
        const at = knownOf(issuer)
        return at.turn.withPermit(Effect.gen(function*() {
          if (at.keys !== undefined && at.keys !== seen) return at.keys
          return yield* Effect.orElseSucceed(ask(issuer, at, yield* now), () => seen)
        }))
      })

      return IssuerKeys.of({ keysOf, keysBeyond })
    })
  )
}
