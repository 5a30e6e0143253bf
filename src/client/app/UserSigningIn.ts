import type { JsonMembers } from "../../domain/ground/parsing/JsonMembers.ts"
import { machineId } from "../device/MachineId.ts"
import { nodeProcess, systemOf } from "../device/System.ts"
import { startDeviceFlow, wait } from "../license/DeviceFlow.ts"
import type { UserCode } from "../license/DeviceFlow.ts"
import { recordFor } from "../license/LicenseRecord.ts"
import type { LicenseRecord, SignedInUser } from "../license/LicenseRecord.ts"
import { begunMailSignIn, mailSignIn, signedInUser, userSignIn } from "../license/SignedInUser.ts"
import type { SignedAnswer, UserSignInOptions } from "../license/SignedInUser.ts"
import { reasons } from "../license/States.ts"
import type { AppProblem, AppState, Reason } from "../license/States.ts"
import { localStorageStore } from "../license/Store.ts"
import type { LicenseStore } from "../license/Store.ts"
import { sha256Hex } from "../notes/checkpoint.ts"
import { CountersignError } from "../transport/CountersignError.ts"
import { randomHex } from "../transport/Credentials.ts"
import type { Session } from "./Session.ts"

export interface FingerprintOptions {
  /**
   * The code of your product: fingerprints of two products have nothing in common. Stay with the code of your first release
   * when the product is renamed: with another one each machine is a new device.
   */
  readonly productCode: string
  /**
   * Where a random id is kept on a platform that names no machine. Default in browsers: localStorage. In containers: a store
   * on a volume.
   */
  readonly keep?: LicenseStore
}

const keptId = async (store: LicenseStore): Promise<string> => {
  const kept = await store.read()
  if (kept !== undefined && /^[0-9a-f]{32}$/.test(kept)) return kept
  const made = randomHex()
  await store.write(made)
  // Two windows that make an id at once both take the one that was written last.
  return await store.read() ?? made
}

/**
 * An id of this machine for the service: stable over restarts of app and machine, and hashed with the product's code, so that
 * what the system calls the machine does not leave it. Linux: `/etc/machine-id`; macOS: `IOPlatformUUID`; Windows: `MachineGuid`;
 * browsers, containers, and systems whose id is only a placeholder, such as `uninitialized`: a random id that is kept. Throws a
 * TypeError where there is neither, as in a container without a volume: bind that by `device: { is_container: true, ... }`.
 */
export const fingerprint = async ({ keep, productCode }: FingerprintOptions): Promise<string> => {
  if (!productCode) throw new TypeError("productCode must be the code of your product")
  const node = nodeProcess()
  const id = node === undefined ? undefined : await machineId(systemOf(node))
  const store = keep ?? (typeof localStorage === "object" ? localStorageStore("countersign-device") : undefined)
  if (id === undefined && store === undefined) {
    throw new TypeError(
      "This platform names no machine: hand in keep, where a random id is kept, or name the container"
    )
  }
  return sha256Hex(`${productCode}\n${id ?? await keptId(store!)}`)
}

/** How the license stands, for the app and for the person at it. */
export interface LicenseView {
  readonly state: AppState
  readonly reason: Reason
  /** Whether the app may run. */
  readonly mayRun: boolean
  /** The text to show to the person. */
  readonly show: string
  /** Until when it stands so if the service stays away; undefined where the app may not run. */
  readonly until: Date | undefined
  /** The error that led here, for logs and for whoever helps. */
  readonly error: AppProblem | undefined
  /** Whether the machine's clock was set back; the license goes on by the latest instant that was signed. */
  readonly isClockSetBack: boolean
  /** The signed data, such as `license_id`, `status`, `expires_at` and `features`. */
  readonly data: Readonly<Record<string, unknown>> | undefined
}

/** How the license of a session stands at this moment. */
export const viewOf = ({ data, isRunning, standing, time }: Session): LicenseView => {
  const { error, reason, state, until } = standing
  return {
    state,
    reason,
    mayRun: isRunning,
    show: reasons[reason].show,
    until: until === undefined ? undefined : new Date(until),
    error,
    isClockSetBack: time.isSetBack(),
    data
  }
}

/** How a sign-in by another device begins. */
export interface StartUserSignInOptions {
  /** The key of the license; by default the one that the app has. */
  readonly licenseKey?: string
  /** The scopes that the identity provider is asked for. Default: `openid profile email`. */
  readonly scope?: string
}

/** A sign-in by another device that has begun: show the code and the page to the person, then call `finish`. */
export interface UserSignInPrompt extends UserCode {
  readonly expiresAt: Date
  /**
   * Waits until the person has signed in, and signs the person in to the license as `signInUser` does. Rejects with a
   * {@link CountersignError}: `SIGN_IN_DENIED`, `SIGN_IN_EXPIRED`, `SIGN_IN_FAILED`, or what `signInUser` rejects with; and with the
   * reason of the signal where it is aborted.
   */
  finish(options?: Pick<UserSignInOptions, "activate"> & { readonly signal?: AbortSignal }): Promise<LicenseView>
}

/** Begins a sign-in by another device at the identity provider that a license trusts. */
export const startUserSignIn = async (
  { clock, options, record, requests, time }: Session,
  { licenseKey, scope = "openid profile email" }: StartUserSignInOptions & { readonly licenseKey: string },
  signIn: (options: UserSignInOptions) => Promise<LicenseView>
): Promise<UserSignInPrompt> => {
  const { clientId, issuer } = await requests.findIssuer(licenseKey, record)
  const given = options.transport?.fetch
  const send: typeof fetch = (input, init) => (given ?? globalThis.fetch)(input, init)
  const { idToken, lifetimeMs, shown } = await startDeviceFlow({ clock, send }, { issuer, clientId, scope })
  return {
    ...shown,
    expiresAt: new Date(time.now() + lifetimeMs),
    finish: async ({ activate, signal } = {}) =>
      signIn({ idToken: await idToken(signal), licenseKey, ...(activate === undefined ? {} : { activate }) })
  }
}

/** Somebody who has signed in to the license of a key, whether or not this device has a seat by it. */
export interface SignedInTo {
  readonly key: string
  readonly user: SignedInUser
}

/** The record by which is asked about the license of a key: in the name of who signed in to it, also before this device has a seat. */
export const recordAs = (record: LicenseRecord, key: string, signedIn: SignedInTo | undefined): LicenseRecord =>
  signedIn?.key === key ? { ...recordFor(record, key), user: signedIn.user } : record

/** The steps by which the app goes on with a person who has signed in: by the activation of this device, or by a check. */
export interface SignedInSteps {
  /** Told first who it is, so that a refused activation does not forget it. */
  readonly know: (user: SignedInUser) => void
  readonly adopt: (send: () => Promise<SignedAnswer>, user: SignedInUser) => Promise<LicenseView>
  readonly check: () => Promise<LicenseView>
}

/** Signs a person in by a proof, and activates this device for the person. */
export const signIn = async (
  session: Session,
  { activate, asked, key }: {
    readonly key: string
    readonly asked: JsonMembers
    readonly activate: boolean | undefined
  },
  { adopt, check, know }: SignedInSteps
): Promise<LicenseView> => {
  const user = signedInUser((await session.requests.send(userSignIn, key, asked, session.record)).data)
  know(user)
  if (activate ?? session.record.isFloating !== true) {
    return adopt(() => session.requests.send("activate", key, { user_token: user.token }, session.record), user)
  }
  await session.update((record) => ({ ...recordFor(record, key), user }))
  return check()
}

/** A sign-in by mail to begin. */
export interface StartMailSignInOptions {
  /** The address that was invited. */
  readonly email: string
  /** The key of the license; by default the one that the app has. */
  readonly licenseKey?: string
}

/** A sign-in by mail that has begun: show `reference`, which the mail shows, too, and a field for the code. */
export interface MailSignInPrompt {
  readonly reference: string
  readonly expiresAt: Date
  /**
   * Signs the person in as `signInUser` does: by the `code` of the mail, or without one as soon as its link is confirmed, which is waited
   * for. Rejects with `MAILBOX_NOT_PROVEN` for a wrong code or a sign-in that is over, or with the reason of the signal.
   */
  finish(
    options?: { readonly code?: string; readonly activate?: boolean; readonly signal?: AbortSignal }
  ): Promise<LicenseView>
}

/** The pause between two questions whether a link is confirmed, in milliseconds. */
const askedEvery = 5_000

const isPending = (error: unknown): boolean =>
  error instanceof CountersignError && error.code === "MAILBOX_NOT_PROVEN" && error.detail === "pending"

/** Begins a sign-in by a mail to an address. */
export const startMailSignIn = async (
  session: Session,
  { email, key }: { readonly email: string; readonly key: string },
  signInBy: (asked: JsonMembers, activate: boolean | undefined) => Promise<LicenseView>
): Promise<MailSignInPrompt> => {
  const { clock, options: { fingerprint }, record, requests, time } = session
  const answer = await requests.send(mailSignIn, key, { email }, record)
  const { reference, token, until: validUntil } = begunMailSignIn(answer.data)
  // By how long it lasts from now on: this device's clock may be ahead of the service's.
  const until = time.now() + (validUntil - answer.issuedAt)
  return {
    reference,
    expiresAt: new Date(until),
    finish: async ({ activate, code, signal } = {}) => {
      const asked = { mail_sign_in_token: token, fingerprint, ...(code === undefined ? {} : { mail_code: code }) }
      for (;;) {
        signal?.throwIfAborted()
        try {
          return await signInBy(asked, activate)
        } catch (error) {
          if (code !== undefined || !isPending(error) || time.now() > until) throw error
        }
        await wait(clock, askedEvery, signal)
      }
    }
  }
}

/** Renews the credential of a person who signed in by mail, once half of its time is over. What fails leaves the one that there is. */
export const renewUser = async (session: Session, key: string): Promise<void> => {
  const { options: { fingerprint, onProblem }, record, requests, time } = session
  const { renewal, until } = record.user ?? {}
  const now = time.now()
  if (renewal === undefined || until === undefined || now < (renewal.at + until) / 2 || now > renewal.until) return
  try {
    const asked = { renewal_token: renewal.token, fingerprint }
    const user = signedInUser((await requests.send(userSignIn, key, asked, record)).data)
    await session.update((kept) => kept.user?.id === user.id ? { ...kept, user } : kept)
  } catch (error) {
    onProblem?.(error)
  }
}
