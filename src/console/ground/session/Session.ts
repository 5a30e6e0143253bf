import { batch, signal } from "@preact/signals"
import { Countersign, coversScope } from "../../../client/api/index.ts"
import type { ManagementScope, TokenIdentity } from "../../../client/api/index.ts"
import { addressIn, environmentIn } from "../addresses/Address.ts"
import type { EnvironmentName } from "../addresses/Address.ts"
import { showAddress } from "../addresses/Located.tsx"
import { addressOf, baseUrl, isBesideLive, pathPrefix, showEnvironment } from "./Environment.ts"
import { isOver, isSame, noteOther, otherPerson } from "./SessionRefusals.ts"
import {
  cookieSession,
  forgetEnded,
  forgetToken,
  forgetTokens,
  keepKnown,
  keepToken,
  keptEnd,
  keptKnown,
  keptToken,
  withCookie
} from "./Tokens.ts"
import type { Known } from "./Tokens.ts"

/** The environment that the tab shows: that of the address. */
export const shownName = signal<EnvironmentName>(environmentIn(location.pathname))

/** The token that this tab calls with; undefined where nobody has signed in. */
export const token = signal<string | undefined>(keptToken(shownName.peek()))

/** The identity of the token: the last known one until it is loaded; undefined if the tab knows none. */
export const identity = signal<TokenIdentity | undefined>(undefined)

/** Whether the service has said who the token is since the page was opened, or the environment was switched. */
export const isConfirmed = signal(false)

/** Shows the last known identity of the token, so that the page requests its own data at once. */
const showKnown = (): void => {
  const known = token.value === undefined ? undefined : keptKnown(shownName.value)
  isConfirmed.value = false
  identity.value = known?.identity
  showEnvironment(known?.environment)
}
showKnown()

/** A person who signs in over a page, and has not confirmed yet that the page is theirs. */
interface Arriving extends Known {
  readonly token: string
}

/** The person who signs in over a page; undefined where nobody does. */
export const arriving = signal<Arriving | undefined>(undefined)

/** The number of this visit: answers of an earlier one are dropped. */
export const visit = signal(0)

/** The functions that delete the data of a visit. */
const forgetting = new Set<() => void>()

/** Registers a function that deletes data when a visit ends, because another token may not see it. */
export const onVisitEnd = (forget: () => void): void => void forgetting.add(forget)

/** The reason why the last session ended, where the person did not end it. */
export const ended = signal<string | undefined>(token.peek() === undefined ? keptEnd(shownName.peek()) : undefined)

/** A client of an address. It retries once and soon, and then a person is shown the error. */
const clientAt = (at: string, given: string, send: typeof fetch): Countersign =>
  new Countersign({ baseUrl: at, token: () => given, maxRetries: 1, maxDelayMs: 2000, fetch: send })

/** A client without a token, for public data of the shown environment. `fetch` sees every request. */
export const openClient = (send: typeof fetch): Countersign => clientAt(baseUrl + pathPrefix(), "", send)

/** A client without a token, for data of the process, which serves all environments. */
export const openProcessClient = (send = withCookie()): Countersign => clientAt(baseUrl, "", send)

/** The person whose page it is; undefined for a token. */
export const personHere = (): string | undefined => identity.value?.kind === "person" ? identity.value.id : undefined

/** A client with the token of this tab as it is now, for the environment and the person that are shown now. */
const clientHere = (used: string, send?: typeof fetch): Countersign =>
  clientAt(addressOf(used, shownName.value, pathPrefix()), used, withCookie(send, personHere()))

/** A client with a token that is not that of the tab, or not yet; with a `person`, for nobody else's session. */
export const clientOf = (given: string, person?: string) => clientAt(baseUrl, given, withCookie(undefined, person))

/** Asks who a token is, and of which environment, which the service says. A session works in all: it is asked where it is wanted. */
const identify = async (given: string, wanted: EnvironmentName): Promise<Arriving> => {
  const client = clientAt(addressOf(given, wanted, ""), given, withCookie())
  const where = client.environment.get().result()
  const who = await client.apiKeys.whoami()
  const found = await where
  if (!found.ok) throw found.error
  return { token: given, identity: who, environment: found.data }
}

/** Identifies a token of whoever signs in. That it is the admin token is told everybody with access before anything is shown. */
const arrive = async (given: string, wanted: EnvironmentName): Promise<Arriving> => {
  const arrived = await identify(given, wanted)
  if (arrived.identity.kind === "bootstrap") await clientOf(given).sessions.noteAdmin()
  return arrived
}

/** Asks who a token is; rejects where it is of another environment than the one that is wanted. */
const identifyIn = async (given: string, wanted: EnvironmentName): Promise<Arriving> => {
  const arrived = await arrive(given, wanted)
  if (arrived.environment.name === wanted) return arrived
  throw new Error(
    `This token belongs to the ${arrived.environment.name} environment. Enter a token of the ${wanted} environment.`
  )
}

/** A thrown value as an error that can be shown. */
export const errorOf = (cause: unknown): Error => cause instanceof Error ? cause : new Error(String(cause))

/** The requests that wait for a sign-in over the page. */
const waiting = new Set<{ readonly goOn: () => void; readonly giveUp: () => void }>()

const settleAll = (how: "goOn" | "giveUp"): void => {
  const all = [...waiting]
  waiting.clear()
  for (const each of all) each[how]()
}

/** How often somebody has signed in, so that a refusal of a session before is no refusal of this one. */
let entries = 0

/** Waits for the next sign-in since the refused request; rejects with the refusal if somebody signs out instead. */
const renewed = (since: number, error: Error): Promise<void> => {
  if (token.value === undefined) return Promise.reject(error)
  if (entries !== since) return Promise.resolve()
  forgetEnded(shownName.value, error.message)
  ended.value = error.message
  return new Promise((goOn, giveUp) => waiting.add({ goOn, giveUp: () => giveUp(error) }))
}

/** Whether the service has ended the session while a page is shown, which stays: somebody signs in over it. */
export const isToRenew = (): boolean => ended.value !== undefined && token.value !== undefined

/** The error of an answer that came too late: the visit that requested it is over. */
const left = (): Error => new Error("The page was left")

/**
 * Sends every request of the console. If the token is no longer valid, the page stays, somebody signs in over it, and
 * the request is repeated, a write with the same idempotency key. A request of one person is never repeated, or
 * answered, in the visit of another.
 */
export const ask = async <A>(run: (client: Countersign) => Promise<A>, send?: typeof fetch): Promise<A> => {
  const before = visit.value
  for (;;) {
    if (visit.value !== before) throw left()
    const used = token.value
    const since = entries
    try {
      const answer = await run(clientHere(used ?? "", send))
      if (visit.value !== before) throw left()
      return answer
    } catch (cause) {
      const error = errorOf(cause)
      if (visit.value === before && isConfirmed.value) noteOther(error)
      if (visit.value !== before || used === undefined || !isOver(error)) throw error
      await renewed(since, error)
    }
  }
}

/** Ends the visit: pending requests are dropped, and kept data is deleted. */
const endVisit = (): void => {
  visit.value += 1
  arriving.value = undefined
  otherPerson.value = undefined
  settleAll("giveUp")
  for (const forget of forgetting) forget()
}

/** Restarts the visit with the same token: every page loads its data again. */
export const beginVisit = (): void => batch(endVisit)

/** Forgets the tokens; where the service ended the session, it is told `why`, and the token of another environment stays. */
export const signOut = (why?: string): void => {
  batch(() => {
    if (why === undefined) forgetTokens()
    else forgetEnded(shownName.value, why)
    token.value = undefined
    identity.value = undefined
    showEnvironment(undefined)
    ended.value = why
    endVisit()
  })
}

const enter = (arrived: Arriving): void => {
  const { name } = arrived.environment
  entries += 1
  batch(() => {
    if (name !== shownName.value) {
      // The address named no environment, and the token says which one it is.
      forgetToken(shownName.value)
      shownName.value = name
      showAddress(addressIn(name, location.pathname + location.search), { isReplaced: true })
    }
    keepToken(name, arrived.token)
    keepKnown(arrived)
    isConfirmed.value = true
    identity.value = arrived.identity
    showEnvironment(arrived.environment)
    token.value = arrived.token
    ended.value = undefined
    arriving.value = undefined
    otherPerson.value = undefined
  })
  settleAll("goOn")
}

/**
 * Identifies a token and keeps it, and resumes what waited for one; rejects with the refusal. If it belongs to another person than the
 * page, it is kept once {@link goOn} or {@link beginAnew} has said whose the page is. A page never continues in another environment,
 * and an address that names one opens in no other.
 */
export const signIn = async (given: string): Promise<void> => {
  const before = isToRenew() ? identity.value : undefined
  const here = shownName.value
  const arrived = before === undefined && here === "live" ? await arrive(given, here) : await identifyIn(given, here)
  if (isSame(before, arrived.identity)) enterAs(arrived)
  else arriving.value = arrived
}

/** Continues the page with the other token: the person has confirmed that the page is theirs. */
export const goOn = (): void => {
  if (arriving.value !== undefined) enter(arriving.value)
}

const enterAnew = (arrived: Arriving): void =>
  batch(() => {
    endVisit()
    enter(arrived)
  })

/** Starts over with the other token: no data of the page stays, and no waiting request is sent. */
export const beginAnew = (): void => {
  if (arriving.value !== undefined) enterAnew(arriving.value)
}

/** Goes on as whoever has arrived; where the page is another person's, as a page of its own. */
const enterAs = (arrived: Arriving): void => (isSame(identity.value, arrived.identity) ? enter : enterAnew)(arrived)

/** Goes on as the person whom this browser's session is of now. */
export const continueAsOther = async (): Promise<void> => enterAs(await identify(cookieSession, shownName.value))

/** Signs in to another environment, beside the current one; rejects with the refusal. It is shown where an address leads there. */
export const signInBeside = async (name: EnvironmentName, given: string): Promise<void> => {
  const arrived = await identifyIn(given, name)
  keepToken(name, given)
  keepKnown(arrived)
}

/** Shows the environment that the address leads to, with the token that the tab keeps for it, if it has one. */
export const follow = (name: EnvironmentName): void =>
  batch(() => {
    endVisit()
    shownName.value = name
    token.value = keptToken(name)
    showKnown()
    ended.value = token.value === undefined ? keptEnd(name) : undefined
  })

/** Identifies the kept token when a page is opened; one that is no longer valid is deleted. */
export const resume = async (): Promise<void> => {
  const before = visit.value
  const requestedToken = token.value
  // Somebody may have signed in over the page by then.
  const isCurrent = () => visit.value === before && token.value === requestedToken
  try {
    const arrived = await identify(requestedToken ?? "", shownName.value)
    if (isCurrent()) enterAs(arrived)
  } catch (cause) {
    if (!isCurrent()) return
    const error = errorOf(cause)
    if (isOver(error)) signOut(error.message)
    throw error
  }
}

/** The scopes that concern all products, and are refused to a token limited to some. */
const ofAllProducts = new Set<ManagementScope | "person">(["webhook:write", "ops:read", "people:read", "people:write"])

/** Whether the token is limited to products. */
export const isLimited = (): boolean => identity.value?.product_ids !== undefined

/** Whether the token has a scope, on all products or on some; `person` is had by people. */
export const has = (scope: ManagementScope | "person"): boolean =>
  scope === "person" ? identity.value?.kind === "person" : coversScope(identity.value?.scopes ?? [], scope)

/** Whether a person is in an environment beside live, which has no people of its own. */
export const isAway = (): boolean => isBesideLive() && personHere() !== undefined

/** Whether the token has a scope. What it may not do is not offered. */
export const may = (scope: ManagementScope | "person") =>
  has(scope) && !(isLimited() && ofAllProducts.has(scope)) && !(isAway() && scope.startsWith("people:"))

/** Whether the token has a scope, and is not limited to products. */
export const mayOfAll = (scope: ManagementScope | "person"): boolean => may(scope) && !isLimited()
