import { Effect } from "effect"
import type { Credentials } from "../../../domain/sales/billing/ConnectionSecrets.ts"
import type { Vault } from "../../keys/security/Vault.ts"

/** Beside the secrets of webhooks, under the same kind of key: both sign what crosses between two services. */
const purposeOf = (connectionId: string) => `webhook-secret:billing:${connectionId}` as const

const utf8 = new TextEncoder()
const text = new TextDecoder()

const nothing: Credentials = { secrets: [] }

/** Seals what a connection keeps encrypted. */
export const sealCredentials = (vault: Vault["Service"], connectionId: string, credentials: Credentials): Uint8Array =>
  vault.seal(purposeOf(connectionId), utf8.encode(JSON.stringify(credentials)))

/** Opens it; there is nothing in a connection whose credentials were lost with a master key. */
export const openCredentials = (
  vault: Vault["Service"],
  connectionId: string,
  sealed: Uint8Array | null
): Effect.Effect<Credentials> =>
  sealed === null
    ? Effect.succeed(nothing)
    : Effect.map(
      vault.open(purposeOf(connectionId), sealed),
      (bytes): Credentials => JSON.parse(text.decode(bytes))
    )
