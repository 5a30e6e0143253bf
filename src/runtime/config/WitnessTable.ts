import { Effect, Result } from "effect"
import { hash } from "node:crypto"
import { timestamped } from "../../domain/evidence/transparency/SignedNote.ts"
import type { VerifierKey } from "../../domain/evidence/transparency/VerifierKey.ts"
import { readVerifierKey } from "../../domain/evidence/transparency/VerifierKey.ts"
import type { Sha256 } from "../../domain/log/EventLeaf.ts"
import { setting } from "./Setting.ts"
import type { SettingReading } from "./Setting.ts"
import { webUrl, wholeNumber } from "./SettingParsers.ts"

/** A witness that is asked for signatures: its verifier key as text and as read, and its address. */
export interface WitnessSetting {
  readonly text: string
  readonly key: VerifierKey
  readonly url: string
}

const sha256: Sha256 = (...parts) =>
  new Uint8Array(hash("sha256", Buffer.concat(parts.map((part) => Buffer.from(part))), "buffer"))

const witnessOf = (entry: string): Result.Result<WitnessSetting, string> => {
  const [text = "", address = "", ...more] = entry.split(/\s+/)
  const key = readVerifierKey(text, sha256)
  const url = webUrl(address)
  return key?.type === timestamped && more.length === 0 && Result.isSuccess(url)
    ? Result.succeed({ text, key, url: url.success })
    : Result.fail(`must be the verifier key of a witness, a blank and its address, for each witness; wrong: "${entry}"`)
}

/** Witnesses, separated by commas or lines. */
const witnesses = (value: string): Result.Result<ReadonlyArray<WitnessSetting>, string> =>
  Result.flatMap(
    Result.all(value.split(/[,\n]/).map((entry) => entry.trim()).filter((entry) => entry !== "").map(witnessOf)),
    (all) =>
      new Set(all.map(({ key }) => Buffer.from(key.publicKey).toString("hex"))).size === all.length
        ? Result.succeed(all)
        : Result.fail("must name each witness once")
  )

/** The settings of witnesses that cosign checkpoints, in the order of `--help`. */
export const witnessTable = {
  witnesses: setting({
    name: "COUNTERSIGN_WITNESSES",
    default: [],
    shown: "none",
    meaning:
      "Witnesses that are asked to cosign checkpoints (C2SP tlog-witness): verifier key and address, separated by commas.",
    example: "witness.example.com/w1+7e6f4aaa+BNdamAGCsQq31Uv+08lkBzoO4XLz2qYjJa8CGmj3B1Ea https://witness.example.com",
    parse: witnesses,
    isSecret: true
  }),
  quorum: setting({
    name: "COUNTERSIGN_WITNESS_QUORUM",
    default: 0,
    meaning: "How many of them must cosign a checkpoint. 0: none has to, and one is enough to call it cosigned.",
    example: "2",
    parse: wholeNumber("number of witnesses", 0, 100)
  })
}

/** Reads the settings of witnesses; a quorum that can never meet is reported. */
export const readWitnesses = Effect.fnUntraced(function*(reading: SettingReading) {
  const { quorum, witnesses } = yield* reading.readTable(witnessTable)
  if (quorum > witnesses.length && !reading.isReported(witnessTable.witnesses)) {
    reading.report(witnessTable.quorum, `is more than the ${witnesses.length} witnesses of COUNTERSIGN_WITNESSES`)
  }
  return { witnesses, quorum }
})
