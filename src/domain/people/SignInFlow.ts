import { Schema } from "effect"
import * as Base64Url from "effect/encoding/Base64Url"
import { decodeBase64Url } from "../ground/parsing/StrictBytes.ts"
import { count, field, optional } from "../ground/wire/Fields.ts"
import { cookieIn, cookiesTooMany } from "./SessionCookie.ts"

/** The ways in that can be refused: the console takes a token, too. */
const RefusedMethod = Schema.Literals(["invitation", "openid_connect", "passkey", "token"]).annotate({
  identifier: "RefusedSignInMethod",
  description: "The way in that was tried: as `SignInMethod`, or a `token` in the console."
})
export type RefusedMethod = typeof RefusedMethod.Type

/** A sign-in that was refused, as its event tells it. Where it came from, the event itself says. */
export const RefusedSignIn = Schema.Struct({
  sign_in_method: RefusedMethod,
  reason: field(Schema.String, "The reason of the refusal, as the sign-in page showed it."),
  unrecorded: optional(count(1), "Refusals from the same network since the last event, which have none of their own.")
}).annotate({
  identifier: "SignInRefusedEventData",
  description: "A sign-in that was refused.",
  examples: [{ sign_in_method: "passkey", reason: "This passkey is not valid here. Begin again." }]
})

/** How many refusals of one network, and of all, are events in an hour on a node: the log is kept for years, and strangers write into it. */
export const refusalsEach = 5
export const refusalsOfAll = 60

/** The networks that are counted apart; those beyond are counted together. */
const mostNetworks = 1000

/** The refusals of an hour, as a node counts them. */
interface RefusedHour {
  readonly hour: number
  readonly written: number
  readonly byNetwork: ReadonlyMap<string, { readonly written: number; readonly left: number }>
}

/** The hour before anything was refused. */
export const noRefusals: RefusedHour = { hour: 0, written: 0, byNetwork: new Map() }

/** Whether another refusal is an event, how many of its network were none since the last one, and what is counted then. */
export const counted = (
  before: RefusedHour,
  network: string,
  hour: number
): { readonly after: RefusedHour; readonly isWritten: boolean; readonly unrecorded: number } => {
  const isSame = before.hour === hour
  const known = before.byNetwork.get(network)
  const byNetwork = new Map(
    isSame ?
      before.byNetwork :
      [...before.byNetwork].flatMap(([name, { left }]) => left > 0 ? [[name, { written: 0, left }] as const] : [])
  )
  const key = known !== undefined || byNetwork.size < mostNetworks ? network : "others"
  const { left, written } = byNetwork.get(key) ?? { left: 0, written: 0 }
  const all = isSame ? before.written : 0
  const isWritten = written < refusalsEach && all < refusalsOfAll
  byNetwork.set(key, isWritten ? { written: written + 1, left: 0 } : { written, left: left + 1 })
  return {
    after: { hour, written: all + (isWritten ? 1 : 0), byNetwork },
    isWritten,
    unrecorded: left
  }
}

/** Parts without dots as one text that nobody else can write. `mac` authenticates it. */
export const sealed = (parts: ReadonlyArray<string>, mac: (text: string) => Uint8Array): string => {
  const text = parts.join(".")
  return `${text}.${Base64Url.encode(mac(text))}`
}

/** The parts of a sealed text, where there are `count` of them and nobody has changed one. */
export const unsealed = (
  text: string,
  count: number,
  verifies: (text: string, mac: Uint8Array) => boolean
): ReadonlyArray<string> | undefined => {
  const parts = text.split(".")
  const mac = decodeBase64Url(parts.at(-1) ?? "")
  const given = parts.slice(0, -1)
  return given.length === count && mac !== undefined && verifies(given.join("."), mac) ? given : undefined
}

const ClaimRole = Schema.Struct({
  claim: field(Schema.String, "The claim of the identity provider."),
  value: field(Schema.String, "The value that gives the role."),
  role: field(Schema.String, "The ID of the role.")
}).annotate({
  identifier: "SignInClaimRole",
  description: "A role that a value in a claim gives.",
  examples: [{ claim: "groups", value: "license-admins", role: "owner" }]
})

const Provider = Schema.Struct({
  issuer: field(Schema.String, "The issuer: `COUNTERSIGN_OIDC_ISSUER`."),
  client_id: field(Schema.String, "The client that this service is there: `COUNTERSIGN_OIDC_CLIENT_ID`."),
  redirect_uri: field(Schema.String, "The address that the provider must send browsers back to. Allow it there."),
  roles: field(Schema.Array(ClaimRole), "Which claims give which roles: `COUNTERSIGN_OIDC_ROLES`."),
  empty_claims: field(
    Schema.Array(Schema.String),
    "The claims of these that the provider omits where they are empty, so that an account without one has no role by it: " +
      "`COUNTERSIGN_OIDC_EMPTY_CLAIMS`."
  ),
  signs_out_at_provider: field(
    Schema.Boolean,
    "Whether signing out also ends the session at the provider: `COUNTERSIGN_OIDC_SIGN_OUT`."
  ),
  post_logout_redirect_uri: field(
    Schema.String,
    "The address that the provider sends browsers back to that have signed out. Allow it there."
  ),
  backchannel_logout_uri: field(
    Schema.String,
    "The address where the provider tells that a session has ended. Set it there, if the provider has back-channel logout."
  )
}).annotate({
  identifier: "SignInProviderSettings",
  description: "The identity provider, as it is configured.",
  examples: [{
    issuer: "https://login.example.com",
    client_id: "countersign",
    redirect_uri: "https://licenses.example.com/api/v1/sign-in/oidc/callback",
    roles: [{ claim: "groups", value: "license-admins", role: "owner" }],
    empty_claims: ["groups"],
    signs_out_at_provider: true,
    post_logout_redirect_uri: "https://licenses.example.com/console/sign-in",
    backchannel_logout_uri: "https://licenses.example.com/api/v1/sign-in/oidc/back-channel-logout"
  }]
})

/** How people sign in, as the process was started. */
export const SignInSettings = Schema.Struct({
  openid_connect: optional(Provider, "The identity provider; absent if none is configured."),
  passkeys: field(Schema.Boolean, "Whether people sign in with passkeys."),
  passkeys_problem: optional(Schema.String, "Why they do not, in words; absent where they do."),
  session_hours: field(count(1), "The most hours of a session: `COUNTERSIGN_SESSION_HOURS`."),
  session_idle_minutes: field(
    count(1),
    "The minutes without a request after which a session ends: `COUNTERSIGN_SESSION_IDLE_MINUTES`."
  )
}).annotate({
  identifier: "SignInSettings",
  description: "How people sign in. It is read from the environment of the process, and changed there.",
  examples: [{ passkeys: true, session_hours: 12, session_idle_minutes: 60 }]
})
export type SignInSettings = typeof SignInSettings.Type

/** The answer of the identity provider. */
export const SignInTest = Schema.Struct({
  issuer: field(Schema.String, "The issuer that was asked."),
  works: field(
    Schema.Boolean,
    "Whether it describes itself as a sign-in needs it, has keys, and takes the client and its secret."
  ),
  problem: optional(Schema.String, "The problem, in words; absent if it works.")
}).annotate({
  identifier: "SignInTest",
  description:
    "A test of the identity provider: all that a sign-in asks there without a person. Whether it allows the redirect address shows only at a sign-in.",
  examples: [{ issuer: "https://login.example.com", works: false, problem: "login.example.com does not respond" }]
})
export type SignInTest = typeof SignInTest.Type

/** How long somebody may take at the identity provider, in seconds. */
export const flowSeconds = 600

/** The path that begins a sign-in by a link, and the one that the identity provider sends browsers back to. */
export const beginPath = "/api/v1/sign-in/oidc"
export const callbackPath = `${beginPath}/callback` as const

/** The path that the identity provider tells of ended sessions at, and the page that it sends browsers back to that signed out. */
export const logoutPath = `${beginPath}/back-channel-logout` as const
export const signedOutPath = "/console/sign-in"

/** For how long a browser is known to have signed out, in seconds: 30 days. */
const signedOutSeconds = 30 * 24 * 60 * 60

/** The path of the console, where a sign-in ends that asks for no other page. */
const consolePath = "/console"

/** How long the path may be that a sign-in returns to. */
export const longestReturn = 1024

/**
 * The page of the console that a text names, as a path of the service; undefined where it names anything else. It is read as a browser
 * would read it, which knows `//host`, `\`, dots and control characters.
 */
export const returnPath = (text: string | undefined): string | undefined => {
  if (text === undefined || text === "") return consolePath
  if (text.length > longestReturn || !/^\/(?![/\\])[\x21-\x7e]*$/.test(text)) return undefined
  const base = "https://service.invalid"
  const url = URL.canParse(text, base) ? new URL(text, base) : undefined
  if (url?.origin !== base || !/^\/console(\/|$)/.test(url.pathname) || /%2f|%5c|\/\//i.test(url.pathname)) {
    return undefined
  }
  return url.pathname + url.search + url.hash
}

/** A sign-in that was begun and is not over. */
export interface SignInFlow {
  /** 32 random bytes. All else that is secret of it derives from them. */
  readonly seed: Uint8Array
  /** When it is over, in seconds since 1970. */
  readonly expiresAt: number
  /** The keyed hash of the invitation that it spends. */
  readonly invitationHash: Uint8Array | undefined
  /** The keyed hash of the session that the browser has: its cookie does not come back from another site. */
  readonly formerHash: Uint8Array | undefined
  /** The page of the console that it ends at. */
  readonly returnTo: string
}

/** How many sign-ins a browser may have under way: each is a cookie, which goes with every request. */
const mostFlows = 8

const prefixFor = (isSecure: boolean): string => isSecure ? "__Host-countersign-sign-in-" : "countersign-sign-in-"

/** The name of the cookie of a flow, which has the beginning of its state: a browser may have begun several, in several tabs. */
const nameFor = (state: string, isSecure: boolean): string => prefixFor(isSecure) + state.slice(0, 16)

/** A flow as its browser keeps it. */
interface BegunFlow {
  readonly flow: string
  readonly state: string
}

/** A flow as the text of a cookie. `mac` authenticates what is written. */
export const writeFlow = (
  { expiresAt, formerHash, invitationHash, returnTo, seed }: SignInFlow,
  mac: (text: string) => Uint8Array
): string =>
  sealed([
    Base64Url.encode(seed),
    String(expiresAt),
    invitationHash === undefined ? "" : Base64Url.encode(invitationHash),
    Base64Url.encode(new TextEncoder().encode(returnTo)),
    // Left out where there is none: a node of the version before reads such a flow.
    ...(formerHash === undefined ? [] : [Base64Url.encode(formerHash)])
  ], mac)

/** The flow in the text of a cookie; undefined where it was changed, is over, or was never one. */
export const readFlow = (
  text: string,
  nowSeconds: number,
  verifies: (text: string, mac: Uint8Array) => boolean
): SignInFlow | undefined => {
  const parts = unsealed(text, 4, verifies) ?? unsealed(text, 5, verifies) ?? []
  const [seed = "", expiresAt, invitation = "", returnTo = "", former = ""] = parts
  const seedBytes = decodeBase64Url(seed)
  const returnBytes = decodeBase64Url(returnTo)
  if (seedBytes === undefined || returnBytes === undefined || !(Number(expiresAt) > nowSeconds)) return undefined
  return {
    seed: seedBytes,
    expiresAt: Number(expiresAt),
    invitationHash: invitation === "" ? undefined : decodeBase64Url(invitation),
    formerHash: former === "" ? undefined : decodeBase64Url(former),
    returnTo: new TextDecoder().decode(returnBytes)
  }
}

/**
 * The cookie of a flow. The identity provider sends the browser back from another site, which a cookie with SameSite=Strict would not
 * come with.
 */
export const flowCookie = ({ flow, state }: BegunFlow, isSecure: boolean): string =>
  `${nameFor(state, isSecure)}=${flow}; Path=/; Max-Age=${flowSeconds}; HttpOnly; SameSite=Lax${
    isSecure ? "; Secure" : ""
  }`

/** The text of the cookie of the flow with a state in a Cookie header; undefined where there is none, or more than one. */
export const flowTextIn = (header: string | undefined, state: string | null, isSecure: boolean): string | undefined =>
  state !== null && /^[\w-]{43}$/.test(state) ? cookieIn(header, nameFor(state, isSecure)) : undefined

/** The names of cookies of flows that are too many with another one: the oldest, which browsers send first. */
export const flowsTooMany = (header: string | undefined, isSecure: boolean): ReadonlyArray<string> =>
  cookiesTooMany(header, prefixFor(isSecure), mostFlows)

/** The cookie of a browser that signed out: the next sign-in asks the provider to ask for the account. */
export const signedOutName = (isSecure: boolean): string =>
  isSecure ? "__Host-countersign-signed-out" : "countersign-signed-out"

export const signedOutCookie = (isSecure: boolean): string =>
  `${signedOutName(isSecure)}=1; Path=/; Max-Age=${signedOutSeconds}; HttpOnly; SameSite=Lax${
    isSecure ? "; Secure" : ""
  }`

/** Whether a browser has signed out since the last sign-in. */
export const hasSignedOut = (header: string | undefined, isSecure: boolean): boolean =>
  cookieIn(header, signedOutName(isSecure)) !== undefined
