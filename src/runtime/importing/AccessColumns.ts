/**
 * Words in a column's name that decide whether a license works. A file whose column is ignored brings back licenses
 * that were refunded, disabled or expired. A word too many costs an entry in a mapping; one too few has that effect.
 */
const words: ReadonlySet<string> = new Set(
  [
    "status state standing active inactive enabled disabled valid validity invalid refund refunds refunded dispute disputes",
    "disputed chargeback chargebacks chargebacked chargedback revoked revocation suspended suspension blocked banned",
    "blacklisted canceled cancelled cancel cancellation void voided deleted trashed archived paused terminated termination",
    "deactivated locked frozen fraud fraudulent unpaid overdue expired expires expire expiry expiration lapsed ended ends",
    "end until"
  ].flatMap((line) => line.split(" "))
)

/** The columns of them that may be a date. */
const ofEnds: ReadonlySet<string> = new Set(
  "expired expires expire expiry expiration ended ends end until cancellation".split(" ")
)

const wordsOf = (name: string): ReadonlyArray<string> =>
  name.replaceAll(/([a-z\d])([A-Z])/g, "$1 $2").toLowerCase().split(/[^a-z]+/)

/** Whether a column, or a member by its path, has a name that decides whether a license works. */
export const decidesAccess = (name: string): boolean => wordsOf(name).some((word) => words.has(word))

/** Whether a column has a name that suggests an expiration. */
export const saysWhen = (name: string): boolean => wordsOf(name).some((word) => ofEnds.has(word))
