import { Schema } from "effect"
import { exampleOf, field, optional, Timestamp } from "../../ground/wire/Fields.ts"
import * as Id from "../../ground/wire/Id.ts"
import { environmentMember } from "../../ground/wire/Signed.ts"
import { Checkpoint, InclusionProof } from "../transparency/Checkpoint.ts"
import { receiptSchema } from "./ReceiptFormat.ts"

const leaf =
  "{\"actor_id\":\"lic_06eqpx1trxz3h94vqjm3a6kz7c\",\"actor_type\":\"license\",\"created_at\":\"2026-11-21T10:30:00.000Z\"," +
  "\"data\":{\"amount\":1,\"event_id\":\"export-2026-11-21-0001\",\"feature_code\":\"export-pdf\",\"total_consumptions\":7}," +
  "\"event_type\":\"license.usage_recorded\",\"id\":\"evt_06eqpx1trxz3h94vqjm3a6kz7c\",\"metadata\":{}," +
  "\"resource_id\":\"lic_06eqpx1trxz3h94vqjm3a6kz7c\",\"resource_type\":\"license\",\"sequence\":42}"

/** That a use of a license is in the log: its leaf, and the path to a checkpoint. It has no `status` and no `valid_until`: it grants nothing. */
export const UsageReceipt = Schema.Struct({
  ...environmentMember,
  schema: field(Schema.Literal(receiptSchema), "The type and its version."),
  license_id: Id.text("lic"),
  feature_code: field(Schema.String, "The code of the feature that was consumed."),
  event_id: field(Schema.String, "Your ID of the usage event."),
  leaf: field(
    Schema.String,
    "The event as the log has it: canonical JSON (RFC 8785), whose UTF-8 bytes the tree hashes. Personal values are commitments."
  ),
  hashes: InclusionProof.fields.hashes,
  note: Checkpoint.fields.note,
  tlog_proof: optional(
    Schema.String,
    "`leaf`, `hashes` and `note` as a text that other tools verify by itself (C2SP tlog-proof)."
  ),
  issued_at: field(Timestamp, "Time of the signature."),
  nonce: optional(Schema.String, "The nonce of the request.")
}).annotate({
  identifier: "UsageReceiptResponseData",
  description: "Proof that a usage event is in the log (RFC 6962). The leaf index is `sequence` of the leaf - 1.",
  examples: [{
    schema: receiptSchema,
    license_id: Id.exampleOf("lic"),
    feature_code: "export-pdf",
    event_id: "export-2026-11-21-0001",
    leaf,
    hashes: ["0ac5186a91863e8e1d90c808014aa89bf5da8e3ee1d9f07630f0378f68f1ab62"],
    note: exampleOf(Checkpoint).note,
    issued_at: "2026-11-21T10:30:05.000Z",
    nonce: "n-7f3a9c21d0"
  }]
})
export type UsageReceipt = typeof UsageReceipt.Type
