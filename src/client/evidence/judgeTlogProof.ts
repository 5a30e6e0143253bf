import { introducing, revoking } from "../../domain/evidence/transparency/LogKeys.ts"
import { readTlogProof } from "../../domain/evidence/transparency/TlogProof.ts"
import { membersOf } from "../../domain/ground/parsing/JsonMembers.ts"
import type { JsonMembers } from "../../domain/ground/parsing/JsonMembers.ts"
import { followLogKeys } from "../notes/followLogKeys.ts"
import { verifyTlogProof } from "../notes/tlogProof.ts"
import type { Finding } from "./FileReport.ts"
import { counted, open, proven, wrong } from "./FileReport.ts"
import { judged, judgeWitnesses, ofTest } from "./judge.ts"
import type { Trust } from "./Trust.ts"

/** The findings about the keys of the log that an event introduces or revokes; none of most events. */
const aboutKeys = ({ data, event_type }: JsonMembers): ReadonlyArray<Finding> => {
  const { introduced_by, kid, revoked_at } = membersOf(data)
  if (event_type === introducing) {
    return [
      proven(
        `The key ${String(kid)} signs the log from then on: ${String(membersOf(introduced_by)["kid"])} introduced it.`
      )
    ]
  }
  return event_type === revoking ? [proven(`The key ${String(kid)} was revoked at ${String(revoked_at)}.`)] : []
}

/** Judges the proof of an event (C2SP tlog-proof), which has the event. */
export const judgeTlogProof = (proof: string, trust: Trust): Promise<ReadonlyArray<Finding>> =>
  judged(trust, async () => {
    if (readTlogProof(proof)?.leaf === undefined) {
      return [open("The proof does not have its event: verify it with the event that it is of.")]
    }
    const { publicKeys, revokedKeys, sha256 } = trust
    const verdict = await verifyTlogProof({ proof, publicKeys, revokedKeys, sha256 })
    if (!verdict.ok) return [wrong(`${verdict.detail}.`)]
    const { checkpoint: { kid, origin, size, time }, event, note, sequence } = verdict
    const { created_at, event_type, id, resource_id } = event
    return [
      proven(
        `Event ${sequence} of the log ${origin} is ${String(id)}: ${String(event_type)}${
          resource_id === undefined ? "" : ` of ${String(resource_id)}`
        }, at ${String(created_at)}.`
      ),
      ...aboutKeys(event),
      proven(
        `The key ${kid} signed the log with ${counted(size, "event")}${time === undefined ? "" : ` at ${time}`}.`
      ),
      ...await judgeWitnesses(note, size, trust),
      ...ofTest(event["environment"])
    ]
  })

/** The trust of a reader once the proofs among the files are followed, in the order of the log. A proof that is of no key changes nothing. */
export const withLogKeys = async (trust: Trust, proofs: ReadonlyArray<string>): Promise<Trust> => {
  const placeOf = (proof: string) => readTlogProof(proof)?.index ?? 0
  let followed: Trust = trust
  for (const proof of proofs.toSorted((a, b) => placeOf(a) - placeOf(b))) {
    const { publicKeys, revokedKeys, sha256 } = followed
    const found = await followLogKeys({ proofs: [proof], publicKeys, revokedKeys, sha256 })
    if (found.ok) followed = { ...trust, publicKeys: found.publicKeys, revokedKeys: found.revokedKeys }
  }
  return followed
}
