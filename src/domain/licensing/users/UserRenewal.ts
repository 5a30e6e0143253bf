import { formatProven, readProven } from "./UserToken.ts"
import type { ReadUserToken, UserClaims } from "./UserToken.ts"

/**
 * How long after a proof of the mailbox it is asked for again, in days. Whoever has left a company has lost the mailbox, and an
 * administrator may have forgotten the removal.
 */
export const renewalDays = 90

/** The claims of a renewal: for the machine whose keyed hash it has, in Base64url. */
export interface RenewalClaims extends UserClaims {
  readonly machine: string
}

const claims = /^(lic_[0-9a-z]{26})\.(usr_[0-9a-z]{26})\.(\d{1,12})\.([A-Za-z0-9_-]{43})$/

/** Writes a renewal: `csr_`, its claims, and the keyed hash over them. */
export const formatRenewal = (said: RenewalClaims, mac: (text: string) => Uint8Array): string =>
  formatProven("csr", `${said.licenseId}.${said.userId}.${said.expiresAt}.${said.machine}`, mac)

/** Reads a renewal, whose keyed hash is not compared yet; undefined of what cannot be one. */
export const readRenewal = (token: string): (ReadUserToken & RenewalClaims) | undefined => {
  const read = readProven("csr", token)
  const [, licenseId, userId, expiresAt, machine] = claims.exec(read?.text ?? "") ?? []
  return read === undefined || licenseId === undefined || userId === undefined || machine === undefined
    ? undefined
    : { ...read, licenseId, userId, expiresAt: Number(expiresAt), machine }
}
