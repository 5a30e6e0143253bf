import { Effect, Semaphore } from "effect"
import { Base64 } from "effect/encoding"
import { environmentOfAnswer } from "../../../domain/ground/environments/EnvironmentName.ts"
import type { EnvironmentName } from "../../../domain/ground/environments/EnvironmentName.ts"
import { keyListType } from "../../../domain/keys/security/KeyListFormat.ts"
import type { KeyEndorsement } from "../../../domain/keys/security/SigningKey.ts"
import { canonicalJson } from "../../../domain/ground/wire/CanonicalJson.ts"
import type { Signature } from "../../../domain/ground/wire/Signed.ts"
import { VaultError } from "./Vault.ts"

/** The columns of a key, to list it. */
export interface ListedKey {
  readonly id: string
  readonly public_key: Uint8Array
  readonly status: "active" | "retired" | "revoked"
  readonly created_at: Date
  readonly retired_at: Date | null
  readonly revoked_at: Date | null
  /** Whether the private half is there: with a master key that was lost it went. */
  readonly is_held: boolean
}

/** The content that the keys sign of their list. */
const statementOf = (rows: ReadonlyArray<ListedKey>, environment: EnvironmentName): KeyEndorsement["data"] => {
  const instants = rows.flatMap(({ created_at, retired_at, revoked_at }) =>
    [created_at, retired_at, revoked_at].map((at) => at?.getTime() ?? 0)
  )
  const memberOf = ({ created_at, id, public_key }: ListedKey) => ({
    kid: id,
    algorithm: "Ed25519" as const,
    public_key: Base64.encode(public_key),
    created_at: created_at.toISOString()
  })
  return {
    type: keyListType,
    ...environmentOfAnswer(environment),
    issued_at: new Date(instants.reduce((latest, at) => Math.max(latest, at), 0)).toISOString(),
    keys: rows.filter(({ revoked_at }) => revoked_at === null).map(memberOf),
    revoked: rows.flatMap((row) =>
      row.revoked_at === null ? [] : [{ ...memberOf(row), revoked_at: row.revoked_at.toISOString() }]
    )
  }
}

/**
 * Makes what endorses a list of keys: it is signed by every key of the service, the revoked ones too, so that an app that ships
 * any of them follows the others. Signing gives the same bytes again, so the last result is all that is kept; and of those who
 * read a changed list at once, one signs.
 */
export const makeEndorsements = (
  environment: EnvironmentName,
  sign: (kid: string, text: string) => Effect.Effect<Signature>
) => {
  const one = Semaphore.makeUnsafe(1)
  let last: { readonly text: string; readonly endorsement: KeyEndorsement } | undefined
  const endorse = Effect.fnUntraced(
    function*(rows: ReadonlyArray<ListedKey>, data: KeyEndorsement["data"], text: string) {
      if (last?.text === text) return last.endorsement
      const signatures = yield* Effect.forEach(rows.filter(({ is_held }) => is_held), ({ id }) =>
        sign(id, text).pipe(
          Effect.map((signature) => [signature]),
          // One that cannot be opened any more endorses nothing, and keeps nobody from reading the list.
          Effect.catchDefect((defect) =>
            defect instanceof VaultError
              ? Effect.as(Effect.logWarning(`The signing key ${id} signs no list of keys`, defect), [])
              : Effect.die(defect)
          )
        ))
      const endorsement: KeyEndorsement = { data, signatures: signatures.flat() }
      last = { text, endorsement }
      return endorsement
    }
  )
  return Effect.fn("Signing.endorse")(function*(rows: ReadonlyArray<ListedKey>) {
    const data = statementOf(rows, environment)
    const text = canonicalJson(data)
    return last?.text === text ? last.endorsement : yield* one.withPermits(1)(endorse(rows, data, text))
  })
}
