import { signal } from "@preact/signals"
import { isCountersignError } from "../../../client/api/index.ts"
import type { TokenIdentity } from "../../../client/api/index.ts"

/** Whether a refusal means that the token is no longer good. */
export const isOver = (error: unknown): boolean =>
  isCountersignError(error, "UNAUTHENTICATED", "TOKEN_EXPIRED", "TOKEN_REVOKED", "TOKEN_IP_DENIED")

/** The name of the person whom this browser's session is of, while the page is another person's; undefined otherwise. */
export const otherPerson = signal<string | undefined>(undefined)

/** Notes the refusal of a request of a page whose person is no longer the one who is signed in to this browser. */
export const noteOther = (error: unknown): void => {
  if (isCountersignError(error, "PERSON_MISMATCH")) otherPerson.value = error.detail ?? "another person"
}

/** Whether somebody who has signed in is the one whom a page knows, if it knows anybody. */
export const isSame = (known: TokenIdentity | undefined, { id, kind }: TokenIdentity): boolean =>
  known === undefined || (known.id === id && known.kind === kind)
