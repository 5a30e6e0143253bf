/** The state of the license of an app. */
export type AppState =
  | "unlicensed"
  | "active"
  | "grace"
  | "offline"
  | "expired"
  | "suspended"
  | "revoked"
  | "over-limit"

/** Every state, those in which the app runs first. */
export const appStates = [
  "active",
  "grace",
  "offline",
  "expired",
  "suspended",
  "revoked",
  "over-limit",
  "unlicensed"
] as const satisfies ReadonlyArray<AppState>

/** The states in which the app runs. */
export const runningStates: ReadonlyArray<AppState> = ["active", "grace", "offline"]

const reason = (state: AppState, show: string) => ({ state, show })

/** The reasons of the states: each has one state, and a text to show to the person at the app. */
export const reasons = {
  confirmed: reason("active", "Your license is active."),
  renewal_due: reason("active", "Your license has expired. It keeps working until the date shown. Please renew it."),
  unreachable: reason(
    "grace",
    "Your license could not be verified for a while. Please connect to the internet before the date shown."
  ),
  offline_envelope: reason("offline", "You are working offline, until the date shown."),
  license_expired: reason("expired", "Your license has expired. Please renew it."),
  trial_over: reason("expired", "Your trial has expired. Please buy a license."),
  trial_used: reason("expired", "This device has already used its trial. Please buy a license."),
  grace_over: reason(
    "expired",
    "Your license could not be verified for too long. Please connect to the internet to continue."
  ),
  offline_over: reason(
    "expired",
    "Your offline file has expired. Please connect to the internet, or ask the vendor for a new file."
  ),
  suspended: reason("suspended", "Your license is suspended. Please contact the vendor."),
  not_started: reason("suspended", "Your license has not started yet."),
  revoked: reason("revoked", "Your license was revoked. Please contact the vendor."),
  no_free_seat: reason("over-limit", "Every seat of your license is in use. Please free one on another device."),
  user_required: reason("unlicensed", "Please sign in to use your license."),
  user_not_allowed: reason("unlicensed", "Your account may not use this license. Please ask who manages it."),
  no_free_user: reason("over-limit", "As many people as your license allows use it. Please ask who manages it."),
  no_floating_seat: reason("over-limit", "Every floating seat is in use. Please try again later."),
  no_license: reason("unlicensed", "Please enter your license key."),
  key_invalid: reason("unlicensed", "This license key is not known. Please check it."),
  other_product: reason("unlicensed", "This license is for another product."),
  other_environment: reason(
    "unlicensed",
    "This license is for testing only. Please enter the license key that you bought."
  ),
  other_device: reason("unlicensed", "This license was activated on another device. Please activate it here."),
  device_released: reason("unlicensed", "This device is no longer activated. Please activate it again."),
  device_blocked: reason("unlicensed", "This device is blocked. Please contact the vendor."),
  machine_not_allowed: reason("unlicensed", "Your license does not cover virtual machines or containers."),
  given_back: reason("unlicensed", "The seat of this device was released."),
  store_unreadable: reason("unlicensed", "Your license could not be read. Please connect to the internet.")
} as const satisfies Readonly<Record<string, { readonly state: AppState; readonly show: string }>>

export type Reason = keyof typeof reasons

/** The last error, as the app may log it: a code of the service, of the connection, or of a verifier. */
export interface AppProblem {
  readonly code: string
  readonly message: string
  readonly detail?: string | undefined
}

/** The reason that each refusal of the service leads to, and what a verifier says of another environment. A code that is not here decides nothing. */
const refusals: Readonly<Record<string, Reason>> = {
  LICENSE_KEY_INVALID: "key_invalid",
  PRODUCT_MISMATCH: "other_product",
  environment_mismatch: "other_environment",
  LICENSE_EXPIRED: "license_expired",
  TRIAL_USED: "trial_used",
  DEVICE_BLACKLISTED: "device_blocked",
  DEVICE_NOT_ACTIVATED: "device_released",
  VM_NOT_ALLOWED: "machine_not_allowed",
  CONTAINER_NOT_ALLOWED: "machine_not_allowed",
  ACTIVATION_LIMIT_EXCEEDED: "no_free_seat",
  SELF_SERVICE_NOT_ALLOWED: "no_free_seat",
  SELF_SERVICE_LIMIT_EXCEEDED: "no_free_seat",
  FLOATING_LIMIT_EXCEEDED: "no_floating_seat",
  USER_SIGN_IN_REQUIRED: "user_required",
  USER_NOT_ALLOWED: "user_not_allowed",
  USER_LIMIT_EXCEEDED: "no_free_user",
  USER_DEVICE_LIMIT_EXCEEDED: "no_free_seat"
}

/** The reasons by the detail of LICENSE_INACTIVE. */
const inactive: Readonly<Record<string, Reason>> = {
  revoked: "revoked",
  suspended: "suspended",
  not_started: "not_started"
}

/** The detail of a refusal that says that a person took the seat of this device. */
const released = "released"

/** The refusals of a lease that decide only with that detail: without it, another lease may be had. */
const releasedLeases: ReadonlyArray<string> = ["LEASE_NOT_FOUND", "LEASE_EXPIRED"]

/**
 * Whether a person took the seat of this device: it is not taken again by itself, or the next machine would find it
 * taken. One that only lapsed is.
 */
export const isReleased = ({ code, detail }: Pick<AppProblem, "code" | "detail">): boolean =>
  detail === released && (code === "DEVICE_NOT_ACTIVATED" || releasedLeases.includes(code))

/** Every refusal that decides about a license, as it is published: the code, with its detail where that decides. */
export const refusalReasons: ReadonlyArray<readonly [code: string, detail: string | undefined, reason: Reason]> = [
  ...Object.entries(inactive).map(([detail, reason]) => ["LICENSE_INACTIVE", detail, reason] as const),
  ...releasedLeases.map((code) => [code, released, "device_released"] as const),
  ...Object.entries(refusals).map(([code, reason]) => [code, undefined, reason] as const)
]

/** The reason that a refusal leads to; undefined where it decides nothing about the license. */
export const reasonOf = ({ code, detail }: Pick<AppProblem, "code" | "detail">): Reason | undefined => {
  // An inactive license does not run, whatever detail a later service may give.
  if (code === "LICENSE_INACTIVE") return Object.hasOwn(inactive, detail ?? "") ? inactive[detail!] : "suspended"
  if (isReleased({ code, detail })) return "device_released"
  return Object.hasOwn(refusals, code) ? refusals[code] : undefined
}
