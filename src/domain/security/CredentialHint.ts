import { isManagementToken, parseLicenseKey } from "./Credential.ts"

/**
 * What is wrong with an Authorization header, judged by its text alone: nothing here tells a stranger whether a
 * credential exists.
 */

const schemes = { Bearer: "a management key", License: "a license key" } as const
type Scheme = keyof typeof schemes

const sending = (scheme: Scheme): string =>
  scheme === "Bearer" ? "`Authorization: Bearer <token>`" : "`Authorization: License <license-key>`"

const looksLikeKey = (text: string): boolean => /^CS(?:[-\s]|[0-9A-Z]{5})/i.test(text)
const looksLikeToken = (text: string): boolean => /^(?:csk|admin)_/.test(text)

/** Why a credential was not taken, and what to send instead. `scheme` is the one that the operation takes. */
export const credentialHint = (scheme: Scheme, authorization: string | undefined): string => {
  const sent = (authorization ?? "").trim()
  if (sent === "") return `No credential was sent. Send ${schemes[scheme]} as ${sending(scheme)}.`
  const [, given = "", text = ""] = /^(\S+)\s*(.*)$/s.exec(sent) ?? []
  const isThisScheme = given.toLowerCase() === scheme.toLowerCase()
  const other: Scheme = scheme === "Bearer" ? "License" : "Bearer"
  const isOther = given.toLowerCase() === other.toLowerCase()
  const credential = isThisScheme || isOther ? text : sent
  if (scheme === "Bearer" ? looksLikeKey(credential) : looksLikeToken(credential)) {
    return `This operation takes ${schemes[scheme]}, and ${schemes[other]} was sent. Send ${sending(scheme)}.`
  }
  if (!isThisScheme) {
    return `The Authorization header does not have the scheme ${scheme}. Send ${schemes[scheme]} as ${sending(scheme)}.`
  }
  if (credential === "") return `The Authorization header holds no credential. Send ${sending(scheme)}.`
  if (scheme === "License") {
    return parseLicenseKey(credential) === undefined
      ? "The license key is mistyped: its length, a character or the check character at its end is wrong. Compare it " +
        "with the key as it was issued."
      : "No license has this key. It may belong to another installation."
  }
  return credential.startsWith("csk_") && !isManagementToken(credential)
    ? "The management key is mistyped or cut off: its check characters are wrong. Compare it with the token as it was " +
      "shown at its creation."
    : "No management key has this token. It may belong to another installation."
}
