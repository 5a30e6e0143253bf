import { membersOf } from "../../domain/ground/parsing/JsonMembers.ts"
import { verifyReceipt } from "../verify/verifyReceipt.ts"
import type { Finding } from "./FileReport.ts"
import { counted, open, proven } from "./FileReport.ts"
import { judged, judgeWitnesses, ofTest } from "./judge.ts"
import type { Trust } from "./Trust.ts"

/** Judges the receipt of a use, as an app kept it. */
export const judgeReceipt = (receipt: string, trust: Trust): Promise<ReadonlyArray<Finding>> =>
  judged(trust, async () => {
    const { publicKeys, revokedKeys, sha256 } = trust
    const found = await verifyReceipt({ receipt, publicKeys, revokedKeys, sha256, allowTest: true })
    const { checkpoint: { kid, origin, size, time }, event, eventId, licenseId, note } = found
    const { amount, feature_code, total_consumptions, used_at } = membersOf(event["data"])
    const at = used_at === undefined
      ? event["created_at"]
      : `${String(used_at)}, reported at ${String(event["created_at"])}`
    return [
      proven(
        `The license ${licenseId} used ${String(amount)} of ${String(feature_code)} at ${
          String(at)
        }, under the ID ${eventId}. ` +
          `That came to ${String(total_consumptions)} in all.`
      ),
      proven(
        `This is event ${String(event["sequence"])} of the log ${origin}. The key ${kid} signed the log with ${
          counted(size, "event")
        }${time === undefined ? "" : ` at ${time}`}.`
      ),
      ...await judgeWitnesses(note, size, trust),
      ...ofTest(event["environment"]),
      open("Whether the usage was refunded or corrected later: a statement of the license shows that.")
    ]
  })
