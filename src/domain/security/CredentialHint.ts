import { isManagementToken, isMeantAsOurs, isMeantAsToken, parseLicenseKey } from "./Credential.ts"

/**
 * What is wrong with an Authorization header, judged by its text alone: nothing here tells a stranger whether a
 * credential exists.
 */

const schemes = { Bearer: "a management key", License: "a license key" } as const
type Scheme = keyof typeof schemes

const sending = (scheme: Scheme): string =>
  scheme === "Bearer" ? "`Authorization: Bearer <token>`" : "`Authorization: License <license-key>`"

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

/** Why a credential was not taken, and what to send instead. `scheme` is the one that the operation takes. */
export const credentialHint = (scheme: Scheme, authorization: string | undefined): string => {
  const sent = (authorization ?? "").trim()
  if (sent === "") return `No credential was sent. Send ${schemes[scheme]} as ${sending(scheme)}.`
  const [, given = "", text = ""] = /^(\S+)\s*(.*)$/s.exec(sent) ?? []
  const isThisScheme = given.toLowerCase() === scheme.toLowerCase()
  const other: Scheme = scheme === "Bearer" ? "License" : "Bearer"
  const isOther = given.toLowerCase() === other.toLowerCase()
  const credential = isThisScheme || isOther ? text : sent
  if (scheme === "Bearer" ? isMeantAsOurs(credential) : isMeantAsToken(credential)) {
    return `This operation takes ${schemes[scheme]}, and ${schemes[other]} was sent. Send ${sending(scheme)}.`
  }
  if (!isThisScheme) {
    return `The Authorization header does not have the scheme ${scheme}. Send ${schemes[scheme]} as ${sending(scheme)}.`
  }
  if (credential === "") return `The Authorization header holds no credential. Send ${sending(scheme)}.`
  if (scheme === "License") return keyHint(credential)
  return credential.startsWith("csk_") && !isManagementToken(credential)
    ? "The management key is mistyped or cut off: its check characters are wrong. Compare it with the token as it was " +
      "shown at its creation."
    : "No management key has this token. It may belong to another installation."
}
