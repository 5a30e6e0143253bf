import { asMeant, isMeantAsOurs } from "../../../client/transport/Credentials.ts"

/** Ids of ours, which are no secrets. */
const ids = /^(?:bcn|cus|dev|key|lic|ord|pol|prod|pur|rcn|req|sub|whk)_[0-9a-z]{26}$/

/** Groups of capital letters and digits, as keys are printed in. */
const grouped = /^[0-9A-Z]{3,}(?:[ -][0-9A-Z]{3,}){2,}$/

/**
 * Whether a text may be, or contain, a license key of ours or of another system. Such a text is sent in a body only,
 * because URLs are kept in logs and histories. `least` is the length from which a word with digits counts as one.
 */
export const mayBeKey = (text: string, least = 8): boolean => {
  const plain = asMeant(text).trim()
  if (ids.test(plain) || /^[^\s@]+@[^\s@]*$/.test(plain)) return false
  const isGrouped = grouped.test(plain) || /\d/.test(plain) && grouped.test(plain.toUpperCase())
  const hasLong = plain.split(/\s+/).some((word) => word.length >= least && /\d/.test(word) && /[A-Za-z]/.test(word))
  return isMeantAsOurs(plain) || isGrouped || hasLong
}
