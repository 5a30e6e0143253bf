import { isObject } from "../verify/signature.ts"
import type { PublicKey } from "../verify/signature.ts"
import type { LicenseRecord } from "./LicenseRecord.ts"

/** What was learned from the service's list of keys. */
export type Learned = Pick<LicenseRecord, "keys" | "revokedKids">

/**
 * The keys that an answer may be signed with: those that the app ships, and those that were fetched for a `kid` that it does
 * not ship. A fetched key never takes the place of a pinned one, and what was revoked verifies nothing.
 */
export const trusted = (pinned: ReadonlyArray<PublicKey>, { keys = [], revokedKids = [] }: Learned) =>
  [...pinned, ...keys].filter(({ kid }) => !revokedKids.includes(kid))

/** Whether a list of keys from there may be believed: the way to it is TLS, or does not leave the machine. */
export const isTrustedWay = (baseUrl: string | URL): boolean => {
  const { hostname, protocol } = new URL(baseUrl)
  return protocol === "https:" || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
}

const isKey = (value: unknown): value is PublicKey =>
  isObject(value) && ["kid", "algorithm", "public_key"].every((name) => typeof value[name] === "string")

/** What the body of `GET /api/v1/system/public-keys` teaches beside the pinned keys. */
export const learn = (body: string, pinned: ReadonlyArray<PublicKey>): Learned => {
  const list: unknown = JSON.parse(body)
  if (!isObject(list) || !Array.isArray(list["data"])) return {}
  const revoked = Array.isArray(list["revoked"]) ? list["revoked"].filter(isKey) : []
  return {
    keys: list["data"].filter(isKey)
      .filter(({ kid }) => pinned.every((key) => key.kid !== kid))
      .map(({ algorithm, kid, public_key }) => ({ kid, algorithm, public_key })),
    revokedKids: revoked.map(({ kid }) => kid)
  }
}
