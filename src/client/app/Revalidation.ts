import { ofNobody, recordFor } from "../license/LicenseRecord.ts"
import type { SignedInUser } from "../license/LicenseRecord.ts"
import { isReleased } from "../license/States.ts"
import { CountersignError } from "../transport/CountersignError.ts"
import { flush } from "./Consumption.ts"
import type { Floating } from "./Floating.ts"
import { decisionOf, problemOf, ProvenRefusal } from "./Refusal.ts"
import type { Session } from "./Session.ts"
import { renewUser } from "./UserSigningIn.ts"

/** Asks whether the license still stands, and activates again where the device was released for its absence. */
const revalidate = async (session: Session, licenseKey: string, isCopied: boolean): Promise<void> => {
  const sentAt = session.record.version
  const answered = await session.requests.send("validate", licenseKey, {}, session.record).catch(
    (error: unknown) => {
      const isLapsed = error instanceof ProvenRefusal && error.code === "DEVICE_NOT_ACTIVATED" && !isReleased(error)
      if (!isLapsed || isCopied) throw error
      // The device was away for long, and its seat expired.
      return session.requests.send("activate", licenseKey, {}, session.record)
    }
  )
  await session.confirm(answered, sentAt, (record) => recordFor(record, licenseKey), { about: licenseKey })
}

/** Asks the service whether this device may run. Never rejects for what the service says, or for its silence. */
export const checkLicense = async (session: Session, floating: Floating): Promise<void> => {
  await session.sync()
  const { licenseKey } = session
  const isReturned = session.record.isGivenBack === true || session.hasReturnedSeat
  if (licenseKey === undefined || isReturned) return
  const learned = await session.requests.relearnKeys(session.record)
  if (learned.keys !== undefined) await session.update((record) => session.withLearned(record, learned))
  const { isCopied } = session
  await renewUser(session, licenseKey)
  try {
    if (session.record.isFloating === true) await floating.renew(licenseKey)
    else await revalidate(session, licenseKey, isCopied)
    await flush(session)
  } catch (error) {
    // A copied store is reported as that, and not as a device that was never activated.
    if (!(isCopied && problemOf(error).code === "DEVICE_NOT_ACTIVATED")) await session.refuse(error, licenseKey)
  }
}

/** Takes over a license that this device was activated with, for a person where one signed in. */
export const adoptLicense = async (
  session: Session,
  licenseKey: string | undefined,
  send: () => ReturnType<Session["requests"]["send"]>,
  user: SignedInUser | undefined
): Promise<void> => {
  await session.sync()
  const sentAt = session.record.version
  const answered = await send()
  const key = licenseKey ?? answered.data["license_key"]
  if (typeof key !== "string") {
    throw new CountersignError({
      code: "LICENSE_KEY_REPLACED",
      message: "The trial's license has another key now."
    })
  }
  await session.confirm(
    answered,
    sentAt,
    (before) => {
      const record = recordFor(before, key)
      return { ...record, user: user ?? record.user, isFloating: undefined, lease: undefined, seats: undefined }
    }
  )
}

/** Gives the seat of this device back, after the usage that waits was sent. Rejects where the service cannot be told. */
export const giveBack = async (session: Session, licenseKey: string): Promise<void> => {
  await flush(session)
  try {
    await session.requests.send("deactivate", licenseKey, {}, session.record)
  } catch (error) {
    // A device without a seat has none to release.
    if (decisionOf(error) === undefined) throw error
  }
  await session.update((record) => ({ ...ofNobody(record), isGivenBack: true }), { isWeighty: true, mustKeep: true })
}
