import { assert, describe, it } from "@effect/vitest"
import { gzipSync } from "node:zlib"
import { verifyFiles } from "../../../src/client/evidence/verifyFiles.ts"
import { runVerifier } from "../../../src/client/verifier/command.ts"
import type { ServedEvent } from "../../../src/domain/log/EventLeaf.ts"
import { servedLeafText } from "../../../src/domain/log/EventLeaf.ts"
import { sha256 } from "../../fixtures/NaiveTree.ts"
import { linesOf, noteOver, rechained, signedFeed, signingKey } from "../../fixtures/SignedFeed.ts"
import { forged } from "../../vectors/makeStatements.ts"

const key = signingKey(9)
const live = signedFeed(3)
const test = rechained(live.map((event): ServedEvent => ({ ...event, environment: "test" })))

/** What is said of a file, as one text. */
const saidOf = async (name: string, text: string): Promise<string> => {
  const trust = { publicKeys: [key.published], revokedKeys: [], witnesses: [], quorum: 0, now: Date.now(), sha256 }
  const reports = await verifyFiles([{ name, bytes: new TextEncoder().encode(text) }], {
    licenseKey: undefined,
    fingerprint: undefined,
    ...trust
  })
  return JSON.stringify(reports)
}

/** A statement whose evidence are all events of a log. */
const statementOf = (feed: ReadonlyArray<ServedEvent>): string => {
  const events = gzipSync(feed.map(servedLeafText).join("\n")).toString("base64")
  const evidence = { ...forged.genuine.evidence, note: noteOver(feed, key), features: [], events, hashes: "" }
  return JSON.stringify({ ...forged.genuine, as_of_sequence: feed.length, evidence })
}

describe("a file of the test environment, where anybody with a test token sells what they please", () => {
  it.each([
    ["a statement", "statement.json", statementOf],
    [
      "an export of the log",
      "events.ndjson",
      (feed: ReadonlyArray<ServedEvent>) => linesOf(feed, noteOver(feed, key)).join("\n")
    ]
  ])("is said to be of it: %s", async (_, name, of) => {
    const said = "is of the test environment, in which no license is sold"
    assert.include(await saidOf(name, of(test)), said)
    assert.include(await saidOf(name, of(live)), "signed")
    assert.notInclude(await saidOf(name, of(live)), said)
  })
})

describe("the name of a file", () => {
  it("turns no line of the command around", async () => {
    let out = ""
    await runVerifier(["verify", "a\u202e.nevorp\u2066\u200f\u2028.json"], {
      read: () => Promise.resolve(new TextEncoder().encode("{}")),
      out: (text) => void (out += text),
      err: () => {}
    })
    assert.notMatch(out, /[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/)
    assert.include(out, "a\ufffd.nevorp")
  })
})
