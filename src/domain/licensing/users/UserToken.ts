import * as Base64Url from "effect/encoding/Base64Url"
import { decodeBase64Url } from "../../ground/parsing/StrictBytes.ts"

/** What the credential of a user says. */
export interface UserClaims {
  readonly licenseId: string
  readonly userId: string
  /** Until when it is good: Unix seconds. */
  readonly expiresAt: number
}

/** A credential as it was read, whose keyed hash was not compared yet. */
export interface ReadUserToken extends UserClaims {
  /** The text that the keyed hash is over. */
  readonly text: string
  readonly mac: Uint8Array
}

/** The longest credential. */
export const userTokenLength = 255

const shape = /^(cs[ru])_([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]{43})$/
const claims = /^(lic_[0-9a-z]{26})\.(usr_[0-9a-z]{26})\.(\d{1,12})$/

/** The text of a credential that its keyed hash is over. */
const userTokenText = ({ expiresAt, licenseId, userId }: UserClaims): string => `${licenseId}.${userId}.${expiresAt}`

/** A text with the keyed hash over it, of 32 bytes, behind letters that say what it is. */
export const formatProven = (kind: "csr" | "csu", text: string, mac: (text: string) => Uint8Array): string =>
  `${kind}_${Base64Url.encode(text)}.${Base64Url.encode(mac(text))}`

/** The text and the keyed hash of what {@link formatProven} wrote; undefined of what it did not. */
export const readProven = (
  kind: "csr" | "csu",
  token: string
): Pick<ReadUserToken, "mac" | "text"> | undefined => {
  const [, found, body, hash] = shape.exec(token) ?? []
  if (found !== kind || body === undefined || hash === undefined || token.length > userTokenLength) return undefined
  const said = decodeBase64Url(body)
  const mac = decodeBase64Url(hash)
  return said === undefined || mac === undefined ? undefined : { text: new TextDecoder().decode(said), mac }
}

/** The credential of a user: `csu_`, its claims, and the keyed hash over them. */
export const formatUserToken = (said: UserClaims, mac: (text: string) => Uint8Array): string =>
  formatProven("csu", userTokenText(said), mac)

/** Reads a credential; undefined of what cannot be one. */
export const readUserToken = (token: string): ReadUserToken | undefined => {
  const read = readProven("csu", token)
  const [, licenseId, userId, expiresAt] = claims.exec(read?.text ?? "") ?? []
  return read === undefined || licenseId === undefined || userId === undefined
    ? undefined
    : { ...read, licenseId, userId, expiresAt: Number(expiresAt) }
}
