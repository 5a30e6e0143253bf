import { Effect } from "effect"
import { noHeaders } from "../../../domain/delivery/webhooks/RequestHeaders.ts"
import type { RequestHeaders } from "../../../domain/delivery/webhooks/RequestHeaders.ts"
import type { Vault } from "../../keys/security/Vault.ts"

/** The headers of an endpoint as they are stored: sealed, and their names. Both are null where there are none. */
export interface SealedHeaders {
  readonly sealed: Uint8Array | null
  readonly names: ReadonlyArray<string> | null
}

/** Beside the secrets of the same endpoint, under the same kind of key: whoever may know one may know the other. */
const purposeOf = (endpointId: string) => `webhook-secret:headers:${endpointId}` as const

const utf8 = new TextEncoder()
const text = new TextDecoder()

/** Seals the headers of an endpoint. */
export const sealHeaders = (vault: Vault["Service"], endpointId: string, headers: RequestHeaders): SealedHeaders => {
  const names = Object.keys(headers)
  return names.length === 0
    ? { sealed: null, names: null }
    : { sealed: vault.seal(purposeOf(endpointId), utf8.encode(JSON.stringify(headers))), names }
}

/** The headers of an endpoint. */
export const openHeaders = (
  vault: Vault["Service"],
  endpointId: string,
  sealed: Uint8Array | null
): Effect.Effect<RequestHeaders> =>
  sealed === null
    ? Effect.succeed(noHeaders)
    : Effect.map(vault.open(purposeOf(endpointId), sealed), (bytes): RequestHeaders => JSON.parse(text.decode(bytes)))
