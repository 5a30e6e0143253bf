import { isMembers } from "../../domain/ground/parsing/JsonMembers.ts"
import type { JsonMembers } from "../../domain/ground/parsing/JsonMembers.ts"
import { CountersignError, isCountersignError } from "../transport/CountersignError.ts"
import { isTrustedWay } from "../verify/KeyTrust.ts"
import type { AppClock } from "./Store.ts"

/** The reason why a person could not be signed in at the identity provider. */
export type SignInCode =
  | "SIGN_IN_UNSUPPORTED"
  | "SIGN_IN_DENIED"
  | "SIGN_IN_EXPIRED"
  | "SIGN_IN_FAILED"
  | "IDENTITY_PROVIDER_UNAVAILABLE"

/** The longest answer of an identity provider that is read, in bytes. */
const largestAnswer = 262_144
const patienceMillis = 10_000

/** A failure to sign a person in. `detail` is what the identity provider said. */
const signInFailed = (code: SignInCode, message: string, detail?: string): CountersignError<SignInCode> =>
  new CountersignError({ code, message, detail })

/** The response of an identity provider. */
interface ProviderAnswer {
  readonly status: number
  /** The object of the body; empty where it is none. */
  readonly members: JsonMembers
}

const readBounded = async ({ body }: Response): Promise<string> => {
  const decoder = new TextDecoder()
  let text = ""
  let size = 0
  const reader = body?.getReader()
  for (;;) {
    const part = await reader?.read()
    if (part?.value === undefined) return text + decoder.decode()
    size += part.value.length
    if (size > largestAnswer) {
      await reader!.cancel()
      throw signInFailed("IDENTITY_PROVIDER_UNAVAILABLE", "The identity provider sends too much")
    }
    text += decoder.decode(part.value, { stream: true })
  }
}

const membersOf = (text: string): JsonMembers => {
  try {
    const value: unknown = JSON.parse(text)
    return isMembers(value) ? value : {}
  } catch {
    return {}
  }
}

/**
 * Asks an identity provider, by a form where one is given. Redirects are not followed: they could carry the device code elsewhere.
 * Rejects where no answer comes.
 */
const askProvider = async (
  send: typeof fetch,
  url: string,
  form: Readonly<Record<string, string>> | undefined,
  signal: AbortSignal | undefined
): Promise<ProviderAnswer> => {
  signal?.throwIfAborted()
  const controller = new AbortController()
  const stop = () => controller.abort(signal?.reason)
  signal?.addEventListener("abort", stop, { once: true })
  const timer = setTimeout(stop, patienceMillis)
  try {
    const response = await send(url, {
      redirect: "error",
      signal: controller.signal,
      headers: { accept: "application/json" },
      ...(form === undefined ? {} : { method: "POST", body: new URLSearchParams(form) })
    })
    return { status: response.status, members: membersOf(await readBounded(response)) }
  } catch (error) {
    if (signal?.aborted === true) throw signal.reason
    if (error instanceof CountersignError) throw error
    throw signInFailed("IDENTITY_PROVIDER_UNAVAILABLE", "The identity provider does not respond")
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener("abort", stop)
  }
}

/** The pause between two questions where the identity provider names none, and what `slow_down` adds, in seconds (RFC 8628). */
const defaultInterval = 5
const slowDown = 5
/** The bounds of what a provider may ask for: it can neither be flooded nor make an app wait without end. In seconds. */
const longestInterval = 60
const longestFlow = 1800

/** The request to an identity provider: who the app is there, and what it wants to know. */
export interface DeviceFlowRequest {
  readonly issuer: string
  readonly clientId: string
  readonly scope: string
}

/** The code and the page that a person is shown, to sign in by another device. */
export interface UserCode {
  /** The code to type on the page. */
  readonly userCode: string
  /** The page to open, on any device. */
  readonly verificationUri: string
  /** The page with the code in it, for a QR code; undefined where the provider has none. */
  readonly verificationUriComplete: string | undefined
}

/** A sign-in that has begun (RFC 8628). */
export interface DeviceFlow {
  readonly shown: UserCode
  /** For how many milliseconds the code is good. */
  readonly lifetimeMs: number
  /** Waits until the person has signed in, and answers the ID token. */
  readonly idToken: (signal: AbortSignal | undefined) => Promise<string>
}

const textOf = (members: JsonMembers, name: string): string | undefined => {
  const value = members[name]
  return typeof value === "string" && value !== "" ? value : undefined
}

const secondsOf = (members: JsonMembers, name: string, least: number, most: number): number | undefined => {
  const value = members[name]
  return typeof value === "number" && Number.isFinite(value) ? Math.min(Math.max(value, least), most) : undefined
}

/** An address that codes may be sent to and people may be sent to: https, or this machine. */
const addressOf = (members: JsonMembers, name: string): string | undefined => {
  const value = textOf(members, name)
  const isAddress = value !== undefined && /^https?:\/\/[!-~]{1,2040}$/.test(value) && URL.canParse(value) &&
    isTrustedWay(value)
  return isAddress ? value : undefined
}

/** The member with the page to open: Google has kept the name of a draft of RFC 8628. */
const pageMemberOf = (members: JsonMembers): string =>
  textOf(members, "verification_uri") === undefined ? "verification_url" : "verification_uri"

const unusable = (what: string) =>
  signInFailed("IDENTITY_PROVIDER_UNAVAILABLE", `The identity provider cannot be used: ${what}`)

/** The reason of a refusal as the identity provider gives it: the text is of another party, and may be shown in a terminal. */
const saidBy = (members: JsonMembers): string | undefined =>
  textOf(members, "error")?.replace(/[^ -~]/g, "?").slice(0, 100)

const endpointsOf = async (send: typeof fetch, issuer: string) => {
  if (!isTrustedWay(issuer)) throw unusable("its address does not begin with https")
  const address = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`
  const { members, status } = await askProvider(send, address, undefined, undefined)
  if (status !== 200 || members["issuer"] !== issuer) throw unusable("it does not describe itself")
  if (textOf(members, "device_authorization_endpoint") === undefined) {
    throw signInFailed("SIGN_IN_UNSUPPORTED", "The identity provider has no sign-in by another device (RFC 8628)")
  }
  const device = addressOf(members, "device_authorization_endpoint")
  const token = addressOf(members, "token_endpoint")
  if (device === undefined || token === undefined) throw unusable("its endpoints are not behind https")
  return { device, token }
}

/** Whether a provider refuses an app because it comes without a secret: in the code of RFC 6749, or in words, as Google does. */
const wantsSecret = (members: JsonMembers): boolean =>
  textOf(members, "error") === "invalid_client" ||
  /client_?(?:secret|assertion)/i.test(textOf(members, "error_description") ?? "")

const secretWanted = (members: JsonMembers) =>
  signInFailed(
    "SIGN_IN_UNSUPPORTED",
    "The identity provider wants a client secret, which no app can keep: register a public client there",
    saidBy(members)
  )

/** The sign-in ends here: what no further question changes. */
const ending = (members: JsonMembers) => {
  if (wantsSecret(members)) return secretWanted(members)
  const said = saidBy(members)
  if (said === "access_denied") return signInFailed("SIGN_IN_DENIED", "The person did not allow the sign-in", said)
  if (said === "expired_token") return expired()
  return signInFailed("SIGN_IN_FAILED", "The identity provider refuses the sign-in", said)
}

const expired = () => signInFailed("SIGN_IN_EXPIRED", "The code was not used in time. Start again.")

export const wait = (clock: AppClock, ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason)
    const stop = () => {
      cancel()
      reject(signal?.reason)
    }
    const cancel = clock.after(ms, () => {
      signal?.removeEventListener("abort", stop)
      resolve()
    }, true)
    signal?.addEventListener("abort", stop, { once: true })
  })

interface Polled {
  readonly endpoint: string
  readonly form: Readonly<Record<string, string>>
  readonly interval: number
  /** On the clock that nobody can set. */
  readonly endsAt: number
}

const poll = async (
  { clock, send }: { readonly clock: AppClock; readonly send: typeof fetch },
  { endpoint, endsAt, form, interval: first }: Polled,
  signal: AbortSignal | undefined
): Promise<string> => {
  let interval = first
  for (let pause = interval;;) {
    if (clock.monotonic() + pause * 1000 > endsAt) throw expired()
    await wait(clock, pause * 1000, signal)
    const answer = await askProvider(send, endpoint, form, signal).catch((error: unknown) => {
      if (isCountersignError(error)) return undefined
      throw error
    })
    if (answer === undefined || answer.status >= 500 || answer.status === 429) {
      pause = Math.min(pause * 2, longestInterval)
      continue
    }
    const { members, status } = answer
    if (status === 200) {
      const token = textOf(members, "id_token")
      if (token === undefined) throw signInFailed("SIGN_IN_FAILED", "The identity provider gave no ID token")
      return token
    }
    const said = textOf(members, "error")
    if (said !== "authorization_pending" && said !== "slow_down") throw ending(members)
    if (said === "slow_down") interval = Math.min(interval + slowDown, longestInterval)
    pause = interval
  }
}

/**
 * Begins a sign-in at an identity provider for a person who has a browser on another device (RFC 8628). The app asks the provider
 * itself: the device code, which is worth an ID token, is then known to nobody else.
 */
export const startDeviceFlow = async (
  through: { readonly clock: AppClock; readonly send: typeof fetch },
  { clientId, issuer, scope }: DeviceFlowRequest
): Promise<DeviceFlow> => {
  const { clock, send } = through
  const endpoints = await endpointsOf(send, issuer)
  const { members, status } = await askProvider(send, endpoints.device, { client_id: clientId, scope }, undefined)
  if (status !== 200) {
    if (status >= 500 || status === 429) throw unusable(`its status is ${status}`)
    if (wantsSecret(members)) throw secretWanted(members)
    throw signInFailed(
      "SIGN_IN_UNSUPPORTED",
      "The identity provider does not let this app sign people in so",
      saidBy(members)
    )
  }
  const deviceCode = textOf(members, "device_code")
  const userCode = textOf(members, "user_code")
  const verificationUri = addressOf(members, pageMemberOf(members))
  const lifetime = secondsOf(members, "expires_in", 0, longestFlow)
  if (deviceCode === undefined || verificationUri === undefined || lifetime === undefined) {
    throw unusable("its response lacks a code or a page")
  }
  if (userCode === undefined || !/^[!-~][ -~]{0,63}$/.test(userCode)) throw unusable("its code cannot be typed")
  const polled = {
    endpoint: endpoints.token,
    form: {
      grant_type: "urn:ietf:params:oauth:grant-type:device_code",
      device_code: deviceCode,
      client_id: clientId
    },
    interval: secondsOf(members, "interval", 1, longestInterval) ?? defaultInterval,
    endsAt: clock.monotonic() + lifetime * 1000
  }
  return {
    shown: { userCode, verificationUri, verificationUriComplete: addressOf(members, "verification_uri_complete") },
    lifetimeMs: lifetime * 1000,
    idToken: (signal) => poll(through, polled, signal)
  }
}
