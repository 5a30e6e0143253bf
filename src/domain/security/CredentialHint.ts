import { isManagementToken, isMeantAsOurs, isMeantAsToken, isPublishableKey, parseLicenseKey } from "./Credential.ts"

/**
 * What is wrong with an Authorization header, judged by its text alone: nothing here tells a stranger whether a
 * credential exists.
 */

/** What an operation may take, and how it is sent. */
const credentials = {
  management: { scheme: "Bearer", noun: "a management key", sending: "`Authorization: Bearer <token>`" },
  license: { scheme: "License", noun: "a license key", sending: "`Authorization: License <license-key>`" },
  publishable: {
    scheme: "Bearer",
    noun: "a publishable key",
    sending: "`Authorization: Bearer <publishable-key>`"
  }
} as const
export type CredentialKind = keyof typeof credentials

/** Why a license key was not taken that is well-formed: only the database knows. */
export const unknownKeyHint =
  "No license has this key. Compare it with the key as it was issued; it may also belong to another installation."

/** Why a license key was not taken. Only those that this service made have a check character. */
const keyHint = (text: string): string =>
  parseLicenseKey(text) !== undefined
    ? unknownKeyHint
    : isMeantAsOurs(text)
    ? "The license key is mistyped: its length, a character or the check character at its end is wrong. Compare it " +
      "with the key as it was issued."
    : "This cannot be a license key, which has 8 to 128 visible ASCII characters. Compare it with the key as it was " +
      "issued."

/** Why a credential of the right scheme was not taken. */
const unknownHints: Readonly<Record<CredentialKind, (text: string) => string>> = {
  license: keyHint,
  management: (text) =>
    text.startsWith("csk_") && !isManagementToken(text)
      ? "The management key is mistyped or cut off: its check characters are wrong. Compare it with the token as it " +
        "was shown at its creation."
      : "No management key has this token. It may belong to another installation.",
  publishable: (text) =>
    isPublishableKey(text)
      ? "No product has this publishable key. It may belong to another installation."
      : "This is no publishable key: one begins with `cpk_`, and its check characters are right. Compare it with the " +
        "key as management lists it."
}

/** What a text is meant as where `kind` is taken, if it can be told: a license key of another system can be anything. */
const meantAs = (text: string, kind: CredentialKind): CredentialKind | undefined =>
  isMeantAsOurs(text)
    ? "license"
    : isMeantAsToken(text)
    ? "management"
    : (kind === "license" ? isPublishableKey(text) : text.startsWith("cpk_"))
    ? "publishable"
    : undefined

/** Why a credential was not taken, and what to send instead. `kind` is what the operation takes. */
export const credentialHint = (kind: CredentialKind, authorization: string | undefined): string => {
  const { noun, scheme, sending } = credentials[kind]
  const sent = (authorization ?? "").trim()
  if (sent === "") return `No credential was sent. Send ${noun} as ${sending}.`
  const [, given = "", text = ""] = /^(\S+)\s*(.*)$/s.exec(sent) ?? []
  const isThisScheme = given.toLowerCase() === scheme.toLowerCase()
  const isScheme = isThisScheme || given.toLowerCase() === (scheme === "Bearer" ? "license" : "bearer")
  const credential = isScheme ? text : sent
  const other = meantAs(credential, kind)
  if (other !== undefined && other !== kind) {
    const only = other === "publishable" ? ", which is good for opening trials alone" : ""
    return `This operation takes ${noun}, and ${credentials[other].noun} was sent${only}. Send ${sending}.`
  }
  if (!isThisScheme) {
    return `The Authorization header does not have the scheme ${scheme}. Send ${noun} as ${sending}.`
  }
  if (credential === "") return `The Authorization header holds no credential. Send ${sending}.`
  return unknownHints[kind](credential)
}
