import { isMeantAsOurs, readLicenseKey, sayLicenseKeyFault } from "../../domain/keys/security/Credential.ts"
import { asMeant } from "../../domain/keys/security/PastedText.ts"
import { CountersignError } from "./CountersignError.ts"
import type { InputCode } from "./CountersignError.ts"

/** 16 random bytes, in hex. */
export const randomHex = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("")

/** A key that nobody else has, also where a browser's page has no `crypto.randomUUID`. */
export const newKey = (): string => crypto.randomUUID?.() ?? randomHex()

export { asMeant, isMeantAsOurs }

const malformed = (code: InputCode, message: string) => new CountersignError({ code, message })

/**
 * A license key as it was issued, from what a person typed or pasted. Throws a {@link CountersignError}, `LICENSE_KEY_MALFORMED`,
 * for what cannot be one: nobody need be asked about that.
 */
export const normalLicenseKey = (pasted: string): string => {
  const reading = readLicenseKey(pasted)
  if ("key" in reading) return reading.key
  throw malformed("LICENSE_KEY_MALFORMED", sayLicenseKeyFault(reading.fault))
}

/** The fault of a text that is meant as one of our license keys, as a sentence; undefined for any other text. */
export const licenseKeyFaultIn = (pasted: string): string | undefined => {
  const reading = readLicenseKey(pasted)
  return "fault" in reading && isMeantAsOurs(pasted) ? sayLicenseKeyFault(reading.fault) : undefined
}

/** A management token or a publishable key, without what nobody sees. Throws `CREDENTIAL_MALFORMED` for what can be none. */
export const normalToken = (pasted: string, name: string): string => {
  const token = asMeant(pasted).trim()
  if (/^[!-~]+$/.test(token)) return token
  throw malformed(
    "CREDENTIAL_MALFORMED",
    `The ${name} has a character that none has. Compare it with the one that was issued.`
  )
}

/** The characters that a header may have: the bytes of RFC 9110, 5.5. */
const headerValue = /^[\t -~\u0080-\u00ff]*$/

/** Throws `HEADER_MALFORMED` where a header has a character that none can carry. */
export const checkHeaders = (headers: Readonly<Record<string, string>>): void => {
  for (const [name, value] of Object.entries(headers)) {
    if (!headerValue.test(value)) {
      throw malformed("HEADER_MALFORMED", `The header ${name} has a character that no header can carry.`)
    }
  }
}

const inputCodes: ReadonlyArray<string> = [
  "LICENSE_KEY_MALFORMED",
  "CREDENTIAL_MALFORMED",
  "HEADER_MALFORMED"
] satisfies ReadonlyArray<InputCode>

/** Whether a call was not sent because of what was given: to send it again changes nothing. */
export const isInputError = ({ code }: CountersignError): boolean => inputCodes.includes(code)
