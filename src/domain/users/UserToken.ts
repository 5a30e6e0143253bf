import { Result } from "effect"
import * as Base64Url from "effect/encoding/Base64Url"

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

const shape = /^csu_([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]{43})$/
const claims = /^(lic_[0-9a-z]{26})\.(usr_[0-9a-z]{26})\.(\d{1,12})$/

/** The text of a credential that its keyed hash is over. */
const userTokenText = ({ expiresAt, licenseId, userId }: UserClaims): string => `${licenseId}.${userId}.${expiresAt}`

/** The credential of a user: `csu_`, what it says, and the keyed hash over that, of 32 bytes. */
export const formatUserToken = (said: UserClaims, mac: (text: string) => Uint8Array): string => {
  const text = userTokenText(said)
  return `csu_${Base64Url.encode(text)}.${Base64Url.encode(mac(text))}`
}

/** Reads a credential; undefined of what cannot be one. */
export const readUserToken = (token: string): ReadUserToken | undefined => {
  const [, body, hash] = shape.exec(token) ?? []
  if (body === undefined || hash === undefined || token.length > userTokenLength) return undefined
  const text = Result.getOrElse(Base64Url.decodeString(body), () => "")
  const mac = Result.getOrUndefined(Base64Url.decode(hash))
  const [, licenseId, userId, expiresAt] = claims.exec(text) ?? []
  return licenseId === undefined || userId === undefined || mac === undefined
    ? undefined
    : { licenseId, userId, expiresAt: Number(expiresAt), text, mac }
}
