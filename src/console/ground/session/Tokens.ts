import type { Environment, TokenIdentity } from "../../../client/api/index.ts"
import { environmentNames } from "../addresses/Address.ts"
import type { EnvironmentName } from "../addresses/Address.ts"

/*
 * The tab keeps one token for each environment; the address says which of them is shown. They go with the tab, and are sent to
 * this service alone.
 */
/** Stands in the place of a token where this browser has a session, in a cookie that no script reads. */
export const cookieSession = "cookie"

/**
 * A `fetch` that sends no token for {@link cookieSession}: the service judges a request by its token, if it has one. The `person`
 * whose page it is goes with the request, because somebody else may have signed in to this browser in another tab.
 */
export const withCookie = (send: typeof fetch = fetch, person?: string): typeof fetch => (input, init = {}) => {
  const headers = new Headers(init.headers)
  if (headers.get("authorization") !== `Bearer ${cookieSession}`) return send(input, init)
  headers.delete("authorization")
  if (person !== undefined) headers.set("Countersign-Person", person)
  return send(input, { ...init, headers })
}

const placeOf = (name: EnvironmentName): string => `countersign.token.${name}`
const knownPlaceOf = (name: EnvironmentName): string => `countersign.known.${name}`

/** The token of an environment that the tab keeps. */
export const keptToken = (name: EnvironmentName): string | undefined =>
  sessionStorage.getItem(placeOf(name)) ?? undefined

/** Keeps the token of an environment. */
export const keepToken = (name: EnvironmentName, token: string): void => {
  sessionStorage.setItem(placeOf(name), token)
  forgetEnd(name)
}

/** The owner of a token and its environment, as the service said when it was asked last. */
export interface Known {
  readonly identity: TokenIdentity
  readonly environment: Environment
}

/** Keeps the identity of a token, unless its environment has a clock of its own, which moves on meanwhile. */
export const keepKnown = ({ environment, identity }: Known): void => {
  const place = knownPlaceOf(environment.name)
  if (environment.clock_moved === true) sessionStorage.removeItem(place)
  else sessionStorage.setItem(place, JSON.stringify({ identity, environment } satisfies Known))
}

/** The identity of the token of an environment, as the tab has stored it. Only {@link keepKnown} writes it. */
export const keptKnown = (name: EnvironmentName): Known | undefined => {
  const kept = sessionStorage.getItem(knownPlaceOf(name))
  return kept === null ? undefined : JSON.parse(kept)
}

/** Forgets the token of an environment. */
export const forgetToken = (name: EnvironmentName): void => {
  sessionStorage.removeItem(placeOf(name))
  sessionStorage.removeItem(knownPlaceOf(name))
}

const endedPlaceOf = (name: EnvironmentName): string => `countersign.ended.${name}`

/** The reason why the service ended the last session of this tab in an environment, which a page that is opened anew says, too. */
export const keptEnd = (name: EnvironmentName): string | undefined =>
  sessionStorage.getItem(endedPlaceOf(name)) ?? undefined

/** Forgets why the last session ended: somebody has signed in, or has left. */
const forgetEnd = (name: EnvironmentName): void => sessionStorage.removeItem(endedPlaceOf(name))

/** Forgets the token of an environment, and keeps why: the service has ended it. */
export const forgetEnded = (name: EnvironmentName, why: string): void => {
  forgetToken(name)
  sessionStorage.setItem(endedPlaceOf(name), why)
}

/** The beginning of the names under which the tab keeps what was entered and not saved. */
export const draftPrefix = "countersign.draft "

/** Forgets what was entered and not saved. */
export const forgetDrafts = (): void => {
  for (const key of Object.keys(sessionStorage)) {
    if (key.startsWith(draftPrefix)) sessionStorage.removeItem(key)
  }
}

/** Forgets the tokens of all environments, and what was entered with them. */
export const forgetTokens = (): void => {
  forgetDrafts()
  for (const name of environmentNames) {
    forgetToken(name)
    forgetEnd(name)
  }
}
