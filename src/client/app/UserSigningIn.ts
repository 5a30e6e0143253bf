import { startDeviceFlow } from "../license/DeviceFlow.ts"
import type { UserCode } from "../license/DeviceFlow.ts"
import type { UserSignInOptions } from "../license/SignedInUser.ts"
import type { LicenseView } from "./LicenseView.ts"
import type { Session } from "./Session.ts"

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
