import { isMembers } from "../../domain/ground/parsing/JsonMembers.ts"
import { isOfTest } from "../license/AnswerLimits.ts"
import { recordFor } from "../license/LicenseRecord.ts"
import type { LicenseRecord } from "../license/LicenseRecord.ts"
import { CountersignError } from "../transport/CountersignError.ts"
import { EnvelopeError } from "../verify/verifyEnvelope.ts"
import type { Session } from "./Session.ts"

/** The error of a call that needs a license where the app has none. */
export const noLicense = (message = "The app has no license yet.") =>
  new CountersignError({ code: "NO_LICENSE", message })

/** Fetches an offline envelope for the license of a key, and keeps it. */
export const keepEnvelope = async (session: Session, key: string, deviceId: string): Promise<void> => {
  const { learned, opened, text } = await session.requests.fetchEnvelope(key, deviceId, session.record)
  const heard = Date.parse(String(opened.data["issued_at"]))
  await session.update(async (record) => {
    if (session.keyOf(record) !== key) throw noLicense("The app has another license by now.")
    return {
      ...await session.withLearned(record, learned),
      licenseKey: key,
      envelope: { text, deviceId },
      counter: opened.offlineCounter
    }
  }, { heard, moved: isOfTest(opened.data), mustKeep: true })
}

/** When a refusal that is kept was signed; undefined where it proves nothing. */
const refusedAt = ({ refusal }: LicenseRecord): number => {
  const statement = refusal?.proof?.statement
  const data = isMembers(statement) ? statement["data"] : undefined
  return isMembers(data) ? Date.parse(String(data["issued_at"])) : Number.NaN
}

/** Takes over an offline file that was issued for this machine, and the license that it is of. */
export const takeOverFile = async (session: Session, file: string | Uint8Array, key: string): Promise<void> => {
  const { deviceId, learned, opened, text } = await session.requests.openFile(
    file,
    key,
    recordFor(session.record, key)
  )
  const issuedAt = Date.parse(String(opened.data["issued_at"]))
  const until = Date.parse(String(opened.data["valid_until"]))
  // A clock that is earlier than the file was set back, or never set.
  if (Math.max(session.time.now(), issuedAt) > until) {
    throw new EnvelopeError("expired", "The time of the file is over")
  }
  await session.update(async (kept) => {
    const record = recordFor(kept, key)
    const { refusal } = record
    if (refusal !== undefined && refusedAt(record) >= issuedAt) {
      throw new CountersignError({
        code: refusal.code,
        detail: refusal.detail,
        message: "The service refused the license after the file was issued"
      })
    }
    return {
      ...await session.withLearned(record, learned),
      envelope: { text, deviceId },
      counter: Math.max(record.counter ?? 0, opened.offlineCounter),
      refusal: undefined,
      isGivenBack: undefined
    }
  }, { atLeast: issuedAt, moved: isOfTest(opened.data), mustKeep: true })
}
