import { environmentOf, environmentOfKey } from "../../ground/environments/Environment.ts"
import type { EnvironmentName } from "../../ground/environments/EnvironmentName.ts"
import { failing } from "../../ground/wire/Errors.ts"
import type { Reason } from "../../ground/wire/Errors.ts"
import {
  isBootstrapToken,
  isManagementToken,
  isMeantAsOurs,
  isMeantAsToken,
  isPublishableKey,
  readLicenseKey,
  sayLicenseKeyFault
} from "./Credential.ts"
import { headerText } from "./PastedText.ts"

/** Whether a text is one of our tokens, whole and with its check characters. */
const isToken = (text: string): boolean => isManagementToken(text) || isPublishableKey(text) || isBootstrapToken(text)

/**
 * The environment that a credential belongs to, as people type and paste it; undefined for one that is mistyped, and for one
 * whose form says nothing. A mistyped one must start no environment: whoever typed it is told of the typo.
 */
export const environmentOfCredential = (text: string): EnvironmentName | undefined => {
  if (isToken(text)) return environmentOf(text)
  const reading = readLicenseKey(text)
  return "key" in reading ? environmentOfKey(reading.key) : undefined
}

/**
 * The fault of an Authorization header, judged by its text alone: nothing here tells a stranger whether a
 * credential exists.
 */

/** The credentials that operations take, and how each is sent. */
const credentials = {
  management: { scheme: "Bearer", noun: "an API key", sending: "`Authorization: Bearer <token>`" },
  license: { scheme: "License", noun: "a license key", sending: "`Authorization: License <license-key>`" },
  publishable: {
    scheme: "Bearer",
    noun: "a publishable key",
    sending: "`Authorization: Bearer <publishable-key>`"
  }
} as const
export type CredentialKind = keyof typeof credentials

/** The reason why a well-formed license key was refused: only the database knows. */
export const unknownKeyHint =
  "No license has this key. Compare it with the key as it was issued; it may also belong to another installation."

/** The reason why a license key was refused. Only those that this service made have a check character. */
const keyHint = (text: string): string => {
  const reading = readLicenseKey(text)
  return "key" in reading ? unknownKeyHint : sayLicenseKeyFault(reading.fault)
}

/** The license key that an Authorization header has, as it was entered; empty where it has none. */
export const licenseKeyIn = (authorization: string | undefined): string =>
  /^License\s+(.*)$/is.exec(headerText(authorization ?? ""))?.[1] ?? ""

/** The reason why a credential of the right scheme was refused. */
const unknownHints: Readonly<Record<CredentialKind, (text: string) => string>> = {
  license: keyHint,
  management: (text) =>
    /^csk_|^admin_test_/.test(text) && environmentOfCredential(text) === undefined
      ? "The API key is mistyped or cut off: its check characters are wrong. Compare it with the token that was " +
        "shown at its creation."
      : "No API key has this token. It may belong to another installation.",
  publishable: (text) =>
    isPublishableKey(text)
      ? "No product has this publishable key. It may belong to another installation."
      : "This is no publishable key: one begins with `cpk_`, and its check characters are right. Compare it with the " +
        "key as management lists it."
}

/** The credential that a text is meant as where `kind` is taken, if it is known: a license key of another system can be anything. */
const meantAs = (text: string, kind: CredentialKind): CredentialKind | undefined =>
  isMeantAsOurs(text)
    ? "license"
    : isMeantAsToken(text)
    ? "management"
    : (kind === "license" ? isPublishableKey(text) : text.startsWith("cpk_"))
    ? "publishable"
    : undefined

/** The `detail` of a refusal of a request without a credential: nothing was decided about any. */
const noCredential = "no_credential"

/** The hint about a credential of another environment than the one that was asked. */
const otherEnvironment = (credential: string, own: EnvironmentName): string | undefined => {
  const name = environmentOfCredential(credential)
  if (name === undefined || name === own) return undefined
  return name === "live"
    ? `This credential is of the live environment, and the ${own} environment was asked. Leave \`/${own}\` out of the ` +
      "address, or send a credential of that environment."
    : `This credential is of the ${name} environment, which is turned off in this service.`
}

const credentialHint = (kind: CredentialKind, authorization: string | undefined, own: EnvironmentName): Reason => {
  const { noun, scheme, sending } = credentials[kind]
  const sent = headerText(authorization ?? "").trim()
  if (sent === "") return { message: `No credential was sent. Send ${noun} as ${sending}.`, detail: noCredential }
  const [, given = "", text = ""] = /^(\S+)\s*(.*)$/s.exec(sent) ?? []
  const isThisScheme = given.toLowerCase() === scheme.toLowerCase()
  const isScheme = isThisScheme || given.toLowerCase() === (scheme === "Bearer" ? "license" : "bearer")
  const credential = isScheme ? text : sent
  // A credential of another scheme, such as one that a proxy adds, does not belong to the operation.
  const missing = isThisScheme && text !== "" ? {} : { detail: noCredential } as const
  const other = meantAs(credential, kind)
  if (other !== undefined && other !== kind) {
    const only = other === "publishable" ? ", which is good for opening trials alone" : ""
    const message = `This operation takes ${noun}, and ${credentials[other].noun} was sent${only}. Send ${sending}.`
    return { message, ...missing }
  }
  if (!isThisScheme) {
    const message = `The Authorization header does not have the scheme ${scheme}. Send ${noun} as ${sending}.`
    return { message, ...missing }
  }
  if (credential === "") {
    return { message: `The Authorization header holds no credential. Send ${sending}.`, ...missing }
  }
  // A token that an operator chose does not say of which environment it is.
  const hint = own === "live" ? "" : ` The ${own} environment was asked, and it takes no credential of another.`
  return { message: otherEnvironment(credential, own) ?? unknownHints[kind](credential) + hint }
}

/**
 * The refusal of a credential: why it was not taken, and what to send instead. `kind` is what the operation takes; where
 * the request brought none of that kind, `detail` is {@link noCredential}. `own` is the environment that was asked.
 */
export const refusedCredential = <E>(
  Failure: new(input: { readonly error: Reason }) => E,
  kind: CredentialKind,
  authorization: string | undefined,
  own: EnvironmentName
): E => {
  const { message, ...more } = credentialHint(kind, authorization, own)
  return failing(Failure, message, more)
}
