import { isMembers } from "../../domain/ground/parsing/JsonMembers.ts"
import { parseLicenseKey } from "../../domain/keys/security/Credential.ts"
import { sha256Hex } from "../notes/checkpoint.ts"
import type { PublicKey } from "../notes/checkpoint.ts"
import type { RefusalBinding } from "../verify/verifyEnvelope.ts"
import { isReleased } from "./States.ts"
import type { AppProblem } from "./States.ts"

/** The proof of a refusal: its signed statement, and the request that it is bound to. */
export interface RefusalProof {
  readonly statement: unknown
  readonly binding: RefusalBinding
}

/** Usage that is kept before it is sent, and sent until the service has decided. */
export interface PendingUse {
  /** The key of the license that is used, even if the app has another one by then. */
  readonly licenseKey: string
  readonly eventId: string
  readonly featureCode: string
  readonly amount: number
  readonly dimensions?: Readonly<Record<string, string>> | undefined
}

/** The floating seat of one process; until when, in Unix milliseconds. */
interface OwnSeat {
  readonly token: string
  readonly expiresAt: number
}

/** The person who is signed in to a license with users. */
export interface SignedInUser {
  readonly id: string
  readonly email?: string
  readonly name?: string
  /** The credential, and until when it is good, in Unix milliseconds. */
  readonly token: string
  readonly until: number
  /** The secret by which a sign-in by mail is renewed on this machine, until when, and when the credential was had; in Unix milliseconds. */
  readonly renewal?: { readonly token: string; readonly until: number; readonly at: number }
}

/** The record that an app keeps of its license. */
export interface LicenseRecord {
  /** Grows with each write, whichever window makes it. */
  readonly version: number
  readonly licenseKey?: string | undefined
  /** Whether the license is used by floating seats, and not by an activation. */
  readonly isFloating?: boolean | undefined
  /** The last signed answer as it was received, and the nonce of its question. */
  readonly answer?: { readonly text: string; readonly nonce: string; readonly issuedAt: number } | undefined
  /** The offline envelope as it was received. */
  readonly envelope?: { readonly text: string; readonly deviceId: string } | undefined
  /** The highest counter of an envelope that was accepted. */
  readonly counter?: number | undefined
  /**
   * The last refusal, and the version with which it came, so that no older question undoes it. One without a proof, as
   * versions before kept it, counts for nothing.
   */
  readonly refusal?: AppProblem & { readonly version: number; readonly proof?: RefusalProof } | undefined
  /** The floating seat, and until when each window holds it: by the window's name, in Unix milliseconds. */
  readonly lease?: {
    readonly token: string
    readonly expiresAt: number
    readonly holders: Readonly<Record<string, number>>
  } | undefined
  /** The floating seats of processes that have one each, by their names. */
  readonly seats?: Readonly<Record<string, OwnSeat>> | undefined
  readonly user?: SignedInUser | undefined
  /** It is never earlier than this, in Unix milliseconds: the latest signed instant, and the time for which the app ran since. */
  readonly floor: number
  /** By how many milliseconds the machine's clock was ahead when the service was heard last. */
  readonly ahead?: number | undefined
  /** Whether the seat of this device was given back, so that no check takes one again. */
  readonly isGivenBack?: boolean | undefined
  readonly pending: ReadonlyArray<PendingUse>
  /** The list of keys as the keys signed it, as text. It is verified by the pinned ones whenever it is used. */
  readonly endorsement?: string | undefined
  /** Keys that were fetched because an answer was signed with one that is not pinned, of a list that nobody signed. */
  readonly keys?: ReadonlyArray<PublicKey> | undefined
  /** Keys that were revoked. */
  readonly revokedKids?: ReadonlyArray<string> | undefined
  /** The times of the revocations by key id, RFC 3339. */
  readonly revokedAt?: Readonly<Record<string, string>> | undefined
}

export const emptyRecord: LicenseRecord = { version: 0, floor: 0, pending: [] }

/** The part of a record that stays when its license goes. */
export const ofNobody = (
  { endorsement, floor, keys, pending, revokedAt, revokedKids, version }: LicenseRecord
): LicenseRecord => ({ version, floor, pending, endorsement, keys, revokedKids, revokedAt })

/** A record for a license key: another license has nothing of this one's, but what is to be counted. */
export const recordFor = (record: LicenseRecord, licenseKey: string): LicenseRecord => {
  if (record.licenseKey !== undefined && parseLicenseKey(record.licenseKey) === licenseKey) {
    return { ...record, licenseKey }
  }
  return { ...ofNobody(record), licenseKey }
}

const head = "countersign-license/1"

/** A record as it is kept: a line with its digest, then JSON. The digest shows what was torn, not who wrote it. */
export const writeRecord = async (record: LicenseRecord): Promise<string> => {
  const text = JSON.stringify(record)
  return `${head} ${await sha256Hex(text)}\n${text}`
}

const isRecord = (value: unknown): value is LicenseRecord =>
  isMembers(value) && typeof value["version"] === "number" && typeof value["floor"] === "number" &&
  Array.isArray(value["pending"])

/** Reads a record; undefined where the text was torn, or is something else. */
export const readRecord = async (text: string): Promise<LicenseRecord | undefined> => {
  const [first = "", ...rest] = text.split("\n")
  const body = rest.join("\n")
  if (first !== `${head} ${await sha256Hex(body)}`) return undefined
  try {
    const value: unknown = JSON.parse(body)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** The seat that a process has for itself. */
export const ownSeat = ({ seats }: LicenseRecord, processId: string | undefined): OwnSeat | undefined =>
  processId !== undefined && seats !== undefined && Object.hasOwn(seats, processId) ? seats[processId] : undefined

const livingSeats = ({ seats = {} }: LicenseRecord, now: number) =>
  Object.entries(seats).filter(([, { expiresAt }]) => expiresAt > now)

/** A record in which a process has a seat for itself; those that ran out are left out. */
export const withSeat = (record: LicenseRecord, processId: string, seat: OwnSeat, now: number): LicenseRecord => ({
  ...record,
  seats: { ...Object.fromEntries(livingSeats(record, now)), [processId]: seat }
})

/** A record in which a process has no seat for itself any more. */
export const withoutSeat = (record: LicenseRecord, processId: string | undefined): LicenseRecord => ({
  ...record,
  seats: Object.fromEntries(Object.entries(record.seats ?? {}).filter(([name]) => name !== processId))
})

type Holders = NonNullable<LicenseRecord["lease"]>["holders"]

/** The other holders of the shared seat, and until when they hold it. */
export const otherHolders = ({ lease }: LicenseRecord, holder: string, now: number): Holders =>
  Object.fromEntries(Object.entries(lease?.holders ?? {}).filter(([name, until]) => name !== holder && until > now))

/** Whether another process holds the shared seat, or one of its own. */
export const hasOthers = (record: LicenseRecord, holders: Holders, now: number): boolean =>
  Object.keys(holders).length > 0 || livingSeats(record, now).length > 0

/** Whether a refusal is about a floating seat, and says nothing of the license or of the seats of others. */
export const isOfSeat = (problem: Pick<AppProblem, "code" | "detail">): boolean =>
  problem.code === "FLOATING_LIMIT_EXCEEDED" ||
  (problem.code !== "DEVICE_NOT_ACTIVATED" && isReleased(problem))
