import { signal } from "@preact/signals"
import { Countersign, isCountersignError } from "../../client/api/index.ts"
import type { ManagementScope, TokenIdentity } from "../../client/api/index.ts"

/** Where the tab keeps the token: it goes with the tab, and is sent to this service alone. */
const place = "countersign.token"

/** Where the service is. */
export const baseUrl = location.origin

/** The token that this tab calls with; undefined where nobody has signed in. */
export const token = signal<string | undefined>(sessionStorage.getItem(place) ?? undefined)

/** Who the token is; undefined until it was asked. */
export const identity = signal<TokenIdentity | undefined>(undefined)

/** Why the last session ended, where it was not ended by the person. */
export const ended = signal<string | undefined>(undefined)

/** How a person's patience differs from a program's: one more try soon, then the error is shown. */
const patience = { maxRetries: 1, maxDelayMs: 2000 }

/** A client of the service with a token, or with the one of this tab. `fetch` sees every request. */
export const clientWith = (given?: string, send?: typeof fetch): Countersign =>
  new Countersign({
    baseUrl,
    token: () => given ?? token.value ?? "",
    ...patience,
    ...(send === undefined ? {} : { fetch: send })
  })

/** The client that reads. */
export const client = clientWith()

/** Whether a refusal means that the token is no longer good. */
const isOver = (error: unknown): boolean =>
  isCountersignError(error, "UNAUTHENTICATED", "TOKEN_EXPIRED", "TOKEN_REVOKED", "TOKEN_IP_DENIED")

/** Forgets the token; `why` is told where the service ended it. */
export const signOut = (why?: string): void => {
  sessionStorage.removeItem(place)
  token.value = undefined
  identity.value = undefined
  ended.value = why
}

/** What was thrown, as an error that can be shown. Ends the session where it says that the token is no longer good. */
export const heed = (cause: unknown): Error => {
  const error = cause instanceof Error ? cause : new Error(String(cause))
  if (isOver(error) && token.value !== undefined) signOut(error.message)
  return error
}

/** Asks who a token is and keeps it; rejects with the refusal. */
export const signIn = async (given: string): Promise<void> => {
  const found = await clientWith(given).apiKeys.whoami()
  sessionStorage.setItem(place, given)
  identity.value = found
  token.value = given
  ended.value = undefined
}

/** Asks again who the kept token is, as at the opening of a page. */
export const resume = async (): Promise<void> => {
  identity.value = await client.apiKeys.whoami()
}

/** Whether the token may what needs a scope: what it may not is not offered. */
export const may = (scope: ManagementScope): boolean => {
  const scopes = identity.value?.scopes ?? []
  return scopes.includes("admin") || scopes.includes(scope)
}
