import { Schema } from "effect"
import { field } from "../../ground/wire/Fields.ts"

const named = {
  kid: field(Schema.String, "The ID of the signing key."),
  verifier_key: field(
    Schema.String,
    "The key for checkpoints of this log, as tools for signed notes and witnesses take it (C2SP signed-note, vkey)."
  )
}

/** The data of the event `log.key_introduced`. */
export const LogKeyIntroduced = Schema.Struct({
  origin: field(Schema.String, "The log, as the first line of its checkpoints names it."),
  ...named,
  introduced_by: field(
    Schema.Struct(named).annotate({
      identifier: "LogKeyBefore",
      description: "The previous key, which also signs the first checkpoint that covers this event."
    }),
    "The previous key."
  )
}).annotate({
  identifier: "LogKeyIntroducedEventData",
  description: "A key that signs the checkpoints of the log from now on, introduced by the previous key.",
  examples: [{
    origin: "licenses.example.com/events/6d1f0a2b3c4d5e6f",
    kid: "sig_06eqpx1trxz3h94vqjm3a6kz7d",
    verifier_key: "licenses.example.com/events/6d1f0a2b3c4d5e6f+25a40cc8+Af0XJDhaoMdbZPt4zWAvodmR/ev3axPFjtcC6sg16fYY",
    introduced_by: {
      kid: "sig_06eqpx1trxz3h94vqjm3a6kz7c",
      verifier_key: "licenses.example.com/events/6d1f0a2b3c4d5e6f+1e045a44+AddamAGCsQq31Uv+08lkBzoO4XLz2qYjJa8CGmj3B1Ea"
    }
  }]
})
export type LogKeyIntroduced = typeof LogKeyIntroduced.Type
