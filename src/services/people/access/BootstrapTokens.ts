import { Context, Effect, Layer, Redacted } from "effect"
import { formatBootstrapToken } from "../../../domain/keys/security/Credential.ts"
import { derivedBootstrapToken } from "../../../domain/keys/security/DerivedToken.ts"
import { CurrentEnvironment } from "../../ground/environments/CurrentEnvironment.ts"
import { Database, databaseOf, inTransaction } from "../../ground/persistence/Database.ts"
import { Cryptography } from "../../ground/platform/Cryptography.ts"
import { QuestionSql } from "../../ground/platform/DatabaseHealthSql.ts"
import { Settings } from "../../ground/platform/Settings.ts"
import { Vault } from "../../keys/security/Vault.ts"
import { Events } from "../../log/Events.ts"
import { bootstrapActor } from "../../log/Provenance.ts"
import { tokenHashPurpose } from "./ManagementKeys.ts"
import {
  findTurn,
  findWithdrawn,
  insertIssued,
  insertKnown,
  updateOthersWithdrawn,
  updateTurn,
  updateWithdrawn
} from "./ManagementKeySql.ts"

/** The standing of a token as the bootstrap token; `undefined` when it was never one. */
export type BootstrapStanding = "valid" | "withdrawn" | undefined

/**
 * The bootstrap token with the scope admin: the one that the configuration names, unless it was withdrawn, or the one
 * that was issued in its place. The database says which, so that a withdrawal is effective at once on every node. In another
 * environment than live it is the one that follows from the master key and the number of rotations.
 */
export class BootstrapTokens extends Context.Service<BootstrapTokens, {
  /** Whether a keyed hash is that of the configured token, which may have been withdrawn. */
  readonly isConfigured: (hash: Uint8Array) => boolean
  /** The record of the token with this keyed hash. */
  readonly standing: (hash: Uint8Array) => Effect.Effect<BootstrapStanding>
  /** Withdraws the configured token and every one issued before, and answers a new one, which is valid at once. */
  readonly rotate: Effect.Effect<Redacted.Redacted>
  /** Takes the configured token for the newest word of the operator: what was issued in place of another is withdrawn. */
  readonly settle: Effect.Effect<void>
}>()("countersign/services/people/access/BootstrapTokens") {
  /** For a command, whose environment may name another token than the service's: it withdraws nothing unasked. */
  static readonly layerOfCommand = Layer.effect(
    BootstrapTokens,
    Effect.gen(function*() {
      const sql = yield* Database
      const questions = databaseOf(yield* QuestionSql)
      const crypto = yield* Cryptography
      const environment = yield* CurrentEnvironment
      const events = yield* Events
      const vault = yield* Vault
      const { adminToken, masterKey } = yield* Settings
      const hashOf = (token: string) => vault.keyedHash(tokenHashPurpose(token), token)

      /** The token of live is the operator's, and that of another environment follows from the master key. */
      const derived = environment === "live" ? undefined : (turn: number): string =>
        derivedBootstrapToken({
          environment,
          turn,
          hmacSha256: crypto.hmacSha256,
          masterKey: Redacted.value(masterKey)
        })

      const configured = hashOf(
        derived === undefined ? Redacted.value(adminToken) : derived((yield* findTurn(sql))[0]!.turn)
      )

      const stored = Effect.fnUntraced(function*(hash: Uint8Array) {
        const rows = yield* findWithdrawn(questions, hash)
        return rows[0] === undefined ? undefined : rows[0].withdrawn ? "withdrawn" : "valid"
      })

      const isConfigured = (hash: Uint8Array) => crypto.timingSafeEqual(hash, configured)

      const standing = Effect.fnUntraced(function*(hash: Uint8Array) {
        return (yield* stored(hash)) ?? (isConfigured(hash) ? "valid" : undefined)
      })

      const rotate = inTransaction(
        sql,
        Effect.gen(function*() {
          const turn = derived === undefined ? 0 : (yield* updateTurn(sql))[0]!.turn
          const [before, token] = derived === undefined
            ? [configured, formatBootstrapToken(crypto.randomBytes(32))]
            : [hashOf(derived(turn - 1)), derived(turn)]
          yield* insertKnown(sql, before)
          yield* updateWithdrawn(sql)
          yield* insertIssued(sql, hashOf(token))
          yield* events.append({
            type: "api_key.rotated",
            resourceId: bootstrapActor.id,
            data: { id: bootstrapActor.id }
          })
          return Redacted.make(token)
        })
      ).pipe(Effect.withSpan("BootstrapTokens.rotate"))

      // A newly configured token replaces the one before it, and any that was issued in its place.
      const settle = Effect.gen(function*() {
        if ((yield* stored(configured)) === "withdrawn") {
          return yield* Effect.logWarning(
            "The configured admin token was withdrawn (countersign token rotate) and is refused."
          )
        }
        yield* updateOthersWithdrawn(sql, configured)
      })

      return BootstrapTokens.of({
        isConfigured,
        standing,
        rotate,
        settle
      })
    })
  )

  /** For a node, which begins with the token that it is configured with. */
  static readonly layer = Layer.effect(BootstrapTokens, Effect.tap(BootstrapTokens, ({ settle }) => settle)).pipe(
    Layer.provide(this.layerOfCommand)
  )
}
