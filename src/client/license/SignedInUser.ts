import { isMembers } from "../../domain/ground/parsing/JsonMembers.ts"
import type { JsonMembers } from "../../domain/ground/parsing/JsonMembers.ts"
import { parseLicenseKey } from "../../domain/keys/security/Credential.ts"
import type { LearnedKeys } from "../verify/KeyTrust.ts"
import { EnvelopeError } from "../verify/verifyEnvelope.ts"
import type { VerifiedOffline } from "../verify/verifyOffline.ts"
import type { LicenseRecord, SignedInUser } from "./LicenseRecord.ts"

/** The operation by which a user signs in. */
export const userSignIn = "users/sign-in"

/** The operation by which a sign-in by mail begins. */
export const mailSignIn = "users/mail-sign-ins"

/** Whether an operation is about a person, and not about this device. */
export const isOfPerson = (operation: string): boolean => operation === userSignIn || operation === mailSignIn

/** The sign-in of a person, by an ID token that the app was given. */
export interface UserSignInOptions {
  readonly idToken: string
  /** The nonce that the app had asked the identity provider for. */
  readonly nonce?: string
  /** The key of the license; by default the one that the app has. */
  readonly licenseKey?: string
  /** Whether this device takes an activation seat. Default: true, unless the license is used by floating seats. */
  readonly activate?: boolean
}

const withoutUser: ReadonlySet<string> = new Set([userSignIn, mailSignIn, "trials", "deactivate", "floating/checkin"])

/** The member that names the user in a request; none where nobody is signed in to the license of this key. */
export const userMembers = (operation: string, { licenseKey, user }: LicenseRecord, key: string): JsonMembers =>
  user === undefined || withoutUser.has(operation) || parseLicenseKey(licenseKey ?? "") !== parseLicenseKey(key)
    ? {}
    : { user_token: user.token }

/** The same as a header, for what is asked by GET: whose devices are listed. */
export const userHeaders = (record: LicenseRecord, key: string): Readonly<Record<string, string>> => {
  const { user_token } = userMembers("devices", record, key)
  return typeof user_token === "string" ? { "x-user-token": user_token } : {}
}

const textIn = (data: JsonMembers, name: string): string | undefined => {
  const value = data[name]
  return typeof value === "string" ? value : undefined
}

/** The user of a signed answer. Throws an {@link EnvelopeError} where it names none. */
export const signedInUser = (data: unknown): SignedInUser => {
  const members = isMembers(data) ? data : {}
  const [id, token, until] = ["user_id", "user_token", "valid_until"].map((name) => textIn(members, name))
  if (id === undefined || token === undefined || Number.isNaN(Date.parse(until ?? ""))) {
    throw new EnvelopeError("malformed", "The signed data names no user")
  }
  const [email, name] = [textIn(members, "user_email"), textIn(members, "user_name")]
  const [renewal, renewalUntil] = ["renewal_token", "renewal_until"].map((member) => textIn(members, member))
  return {
    id,
    token,
    until: Date.parse(until!),
    ...(email === undefined ? {} : { email }),
    ...(name === undefined ? {} : { name }),
    ...(renewal === undefined ? {} : {
      renewal: {
        token: renewal,
        until: Date.parse(renewalUntil ?? ""),
        at: Date.parse(textIn(members, "issued_at") ?? "")
      }
    })
  }
}

/** The beginning of a sign-in by mail. Throws an {@link EnvelopeError} where a signed answer is none. */
export const begunMailSignIn = (data: JsonMembers) => {
  const [token, reference, until] = ["sign_in_token", "reference", "valid_until"].map((name) => textIn(data, name))
  if (token === undefined || reference === undefined || Number.isNaN(Date.parse(until ?? ""))) {
    throw new EnvelopeError("malformed", "The signed data begins no sign-in")
  }
  return { token, reference, until: Date.parse(until!) }
}

/** The identity provider of a signed answer, and who the app is there. Throws an {@link EnvelopeError} where it names none. */
export const userIssuer = (data: JsonMembers): { readonly issuer: string; readonly clientId: string } => {
  const [issuer, clientId] = ["issuer", "audience"].map((name) => textIn(data, name))
  if (issuer === undefined || clientId === undefined) {
    throw new EnvelopeError("malformed", "The signed data names no identity provider")
  }
  return { issuer, clientId }
}

/** A signed answer to a request that was just sent, verified. */
export interface SignedAnswer {
  readonly data: JsonMembers
  readonly text: string
  readonly nonce: string
  readonly issuedAt: number
  readonly learned: LearnedKeys
}

/** An offline envelope that was opened: its text, what was in it, and what was learned of keys. */
export interface OpenedEnvelope {
  readonly text: string
  readonly opened: VerifiedOffline
  readonly learned: LearnedKeys
}

/** The operations that an app calls. */
export type Operation =
  | "activate"
  | "validate"
  | "consume"
  | "usage/refund"
  | "deactivate"
  | "trials"
  | "floating/checkout"
  | "floating/heartbeat"
  | "floating/checkin"
  | typeof userSignIn
  | typeof mailSignIn

/** An instant of signed data, in Unix milliseconds. Throws an {@link EnvelopeError} where there is none. */
export const instant = (data: JsonMembers, member: string): number => {
  const at = typeof data[member] === "string" ? Date.parse(data[member]) : Number.NaN
  if (Number.isNaN(at)) throw new EnvelopeError("malformed", `The signed data has no ${member}`)
  return at
}
