import { Base64Url } from "effect/encoding"
import { decodeBase64Url } from "../ground/parsing/StrictBytes.ts"

/** Where recipients of notices opt out, before the token. */
export const unsubscribePath = "/unsubscribe"

/** Where the stylesheet of that page is served. */
export const unsubscribeStylesPath = "/unsubscribe.css"

/** The length of the digest of an address, and of the proof of a token, in bytes. */
const hashLength = 32

/** The token in the link of a notice: no address stands in it, because links are written to logs. */
export interface UnsubscribeToken {
  /** The license that the notice is about. */
  readonly licenseId: string
  /** The keyed digest of the address that the notice went to. */
  readonly digest: Uint8Array
  /** The keyed hash of both. */
  readonly proof: Uint8Array
}

/** The text that the proof of a token is a keyed hash of. */
export const provenText = ({ digest, licenseId }: Pick<UnsubscribeToken, "digest" | "licenseId">): string =>
  `${licenseId} ${Base64Url.encode(digest)}`

/** A token as it stands in a link. */
export const formatUnsubscribeToken = ({ digest, licenseId, proof }: UnsubscribeToken): string =>
  `${licenseId}.${Base64Url.encode(digest)}.${Base64Url.encode(proof)}`

const form = /^(lic_[0-9a-z]{26})\.([\w-]{43})\.([\w-]{43})$/

const hashIn = (text: string): Uint8Array | undefined => {
  const bytes = decodeBase64Url(text)
  return bytes?.length === hashLength ? bytes : undefined
}

/** The token of a text; undefined where it has not the form of one. Whether it is genuine, its proof says. */
export const parseUnsubscribeToken = (text: string): UnsubscribeToken | undefined => {
  const [, licenseId = "", first = "", second = ""] = form.exec(text) ?? []
  const digest = hashIn(first)
  const proof = hashIn(second)
  return digest === undefined || proof === undefined ? undefined : { licenseId, digest, proof }
}

const route = /^\/unsubscribe(?:\/[^/]+|\.css)$/

/** The route of the page and of its stylesheet, as metrics, logs and traces name it; undefined for any other path. */
export const unsubscribeRouteOf = (path: string): string | undefined => {
  if (!route.test(path)) return undefined
  return path === unsubscribeStylesPath ? path : `${unsubscribePath}/{token}`
}
