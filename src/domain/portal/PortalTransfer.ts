import { secretOf } from "../people/SessionCookie.ts"

/** For how long a license that is offered to somebody can be accepted, in hours: a mail may come on a Friday. */
export const transferHours = 72

/** The secret of a link by which a license is accepted. Throws a RangeError when there are not exactly 32 bytes. */
export const formatTransferLink = (random: Uint8Array): string => secretOf("clt", random)

/** That a license can be transferred by its owner, and to whom it is offered at present; neither member where to nobody. */
export interface PortalTransfer {
  readonly recipient?: string
  /** When the offer ends. */
  readonly expires_at?: string
}
