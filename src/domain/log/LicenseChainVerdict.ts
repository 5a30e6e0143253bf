import type { ChainFault } from "./EventChain.ts"
import { sequenceOf } from "./EventChain.ts"
import type { ServedEvent, Sha256 } from "./EventLeaf.ts"
import { servedHash, unopenedCommitment } from "./EventLeaf.ts"
import type { LicenseLink } from "./LicenseLink.ts"
import { licenseStart } from "./LicenseLink.ts"

/** The fault of the first bad event of a license: one of the whole chain, or that it is about another license. */
export type LicenseFault = ChainFault | "other_license"

/** The first bad event: its sequence, the fault, and a sentence. */
interface LicenseFailure {
  readonly ok: false
  readonly sequence: number
  readonly fault: LicenseFault
  readonly detail: string
}

/** Either where the events of the license begin and end, or the first bad one. */
export type LicenseChainVerdict =
  | {
    readonly ok: true
    /** The event before the first one, sequence 0 where they begin with the license; undefined where no leaf says it. */
    readonly after: LicenseLink | undefined
    /** The last one; what the next event of the license names. */
    readonly last: LicenseLink | undefined
  }
  | LicenseFailure

const failure = (sequence: number, fault: LicenseFault, detail: string): LicenseFailure => ({
  ok: false,
  sequence,
  fault,
  detail
})

/** The license that the leaf of an event says, or the resource in leaves that say none. */
const licenseIn = (event: ServedEvent): string | undefined =>
  event.license_id ?? (event.resource_type === "license" ? event.resource_id : undefined)

/** The fault of one event by itself: its hash, the personal values that it shows, and its license. */
const ownFault = (event: ServedEvent, license: string, sha256: Sha256): LicenseFailure | undefined => {
  const { sequence } = event
  let unopened: string | undefined
  try {
    if (servedHash(event, event.previous_hash, sha256) !== event.hash) {
      return failure(sequence, "altered", "hash does not follow from its content")
    }
    unopened = unopenedCommitment(event, sha256)
  } catch (cause) {
    return failure(sequence, "altered", cause instanceof Error ? cause.message : "it cannot be read")
  }
  if (unopened !== undefined) {
    return failure(sequence, "commitment_mismatch", `the value or salt at ${unopened} does not open its commitment`)
  }
  return licenseIn(event) === license ? undefined : failure(sequence, "other_license", `it is not about ${license}`)
}

/** The fault that the link of an event shows in what stands before it. */
const linkFault = (
  sequence: number,
  { hash, sequence: claimed }: LicenseLink,
  before: LicenseLink
): LicenseFailure | undefined => {
  const there = before.sequence
  if (claimed > there) {
    return failure(claimed, "missing", `event ${sequence} names it as the previous one of the license`)
  }
  if (claimed < there) return failure(there, "inserted", `event ${sequence} does not name it, but an earlier one`)
  return hash === before.hash
    ? undefined
    : failure(there, "altered", `event ${sequence} names another event with this sequence`)
}

/**
 * Checks the served events of one license in the order given, without the others: that each is as its hash says and names the one
 * before it. `after` is the event of the license before the first one, null where they begin with the license; without it
 * the first one says what it follows. Whether the events are in a log that was signed is for their inclusion proofs to say.
 */
export const verifyLicenseEvents = (
  events: Iterable<unknown>,
  { after, license, sha256 }: {
    readonly license: string
    readonly sha256: Sha256
    readonly after?: LicenseLink | null | undefined
  }
): LicenseChainVerdict => {
  let last = after === null ? licenseStart : after
  let begins = last
  let isLinked = false
  let missing: LicenseFailure | undefined
  for (const event of events) {
    const sequence = sequenceOf(event)
    if (missing !== undefined) {
      if (sequence === missing.sequence) {
        return { ...missing, fault: "reordered", detail: "it comes after a later event" }
      }
      continue
    }
    const place = last?.sequence ?? 0
    if (typeof sequence !== "number" || !Number.isSafeInteger(sequence)) {
      return failure(place + 1, "altered", "it is not an event with a sequence")
    }
    if (sequence <= place) return failure(sequence, "inserted", `it comes after event ${place}`)
    const served = event as ServedEvent
    const wrong = ownFault(served, license, sha256)
    if (wrong !== undefined) return wrong
    const link = served.previous_of_license
    if (link === undefined) {
      if (isLinked) return failure(sequence, "altered", "it names no previous event, as those before it do")
    } else {
      isLinked = true
      if (last === undefined) begins = link
      const fault = last === undefined ? undefined : linkFault(sequence, link, last)
      if (fault !== undefined && fault.fault !== "missing") return fault
      missing = fault
    }
    last = { sequence, hash: served.hash }
  }
  return missing ?? { ok: true, after: begins, last }
}
