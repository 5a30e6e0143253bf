// Writes license-chains.json: the events of one license, genuine and falsified by whoever can make every hash right again, each
// with its verdict. `npx node test/vectors/makeLicenseChains.ts`
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { ServedEvent } from "../../src/domain/log/EventLeaf.ts"
import { servedHash } from "../../src/domain/log/EventLeaf.ts"
import { licenseStart } from "../../src/domain/log/LicenseLink.ts"
import { linkedFeed, ofLicense, provenIn } from "../fixtures/LinkedFeed.ts"
import { sha256 } from "../fixtures/NaiveTree.ts"
import { signingKey } from "../fixtures/SignedFeed.ts"

const license_id = "lic_1"
const chain = ofLicense(linkedFeed(14), license_id)
const mixed = ofLicense(linkedFeed(14, { linkedFrom: 9 }), license_id)
const [, second, third, fourth, fifth] = chain as readonly [
  ServedEvent,
  ServedEvent,
  ServedEvent,
  ServedEvent,
  ServedEvent
]
const otherFeed = linkedFeed(14, { amount: () => 2 })
const linkTo = ({ hash, sequence }: ServedEvent) => ({ hash, sequence })

/** The event with its own hash made right again. */
const rehashed = (event: ServedEvent): ServedEvent => ({
  ...event,
  hash: servedHash(event, event.previous_hash, sha256)
})

const replaced = (event: ServedEvent, by: ServedEvent) => chain.map((one) => one === event ? by : one)
const changed = rehashed({ ...third, data: { ...third.data, amount: 1000 } })
const doubled = rehashed({
  ...third,
  id: "evt_again",
  sequence: third.sequence + 1,
  previous_of_license: linkTo(third)
})
const { previous_of_license: _link, license_id: _license, ...unlinked } = fourth
const { salts: _salts, ...withoutSalt } = chain.find(({ salts }) => salts !== undefined)!

interface Case {
  readonly name: string
  readonly events: ReadonlyArray<ServedEvent>
  /** The event before the first one, null where they begin with the license; left out where nobody knows it. */
  readonly after?: { readonly hash: string; readonly sequence: number } | null
  readonly expected: string
  readonly sequence?: number
}

/** The events of a license, each with its verdict. */
export const cases: ReadonlyArray<Case> = [
  { name: "the whole chain", events: chain, after: null, expected: "verified" },
  { name: "from the third event on", events: chain.slice(2), expected: "verified" },
  {
    name: "from the third event on, after the second",
    events: chain.slice(2),
    after: linkTo(second),
    expected: "verified"
  },
  { name: "none, after the second", events: [], after: linkTo(second), expected: "verified" },
  { name: "with older leaves at the beginning", events: mixed, after: null, expected: "verified" },
  {
    name: "without the third",
    events: chain.filter((one) => one !== third),
    after: null,
    expected: "missing",
    sequence: third.sequence
  },
  { name: "without the first", events: chain.slice(1), after: null, expected: "missing", sequence: chain[0]!.sequence },
  {
    name: "from the third on, after the first",
    events: chain.slice(2),
    after: linkTo(chain[0]!),
    expected: "missing",
    sequence: second.sequence
  },
  {
    name: "the third after the fourth",
    events: chain.map((one) => one === third ? fourth : one === fourth ? third : one),
    after: null,
    expected: "reordered",
    sequence: third.sequence
  },
  {
    name: "the third twice",
    events: chain.flatMap((one) => one === third ? [one, one] : [one]),
    after: null,
    expected: "inserted",
    sequence: third.sequence
  },
  {
    name: "the third again under another sequence, hashed anew",
    events: chain.flatMap((one) => one === third ? [one, doubled] : [one]),
    after: null,
    expected: "inserted",
    sequence: doubled.sequence
  },
  {
    name: "the third with another amount",
    events: replaced(third, { ...changed, hash: third.hash }),
    after: null,
    expected: "altered",
    sequence: third.sequence
  },
  {
    name: "the third with another amount, hashed anew",
    events: replaced(third, changed),
    after: null,
    expected: "altered",
    sequence: third.sequence
  },
  {
    name: "the first again, as if it were the license's first, hashed anew",
    events: [...chain.slice(0, 3), rehashed({ ...fourth, previous_of_license: licenseStart }), fifth],
    after: null,
    expected: "inserted",
    sequence: third.sequence
  },
  {
    name: "the fourth without its link, hashed anew",
    events: replaced(fourth, rehashed(unlinked)),
    after: null,
    expected: "altered",
    sequence: fourth.sequence
  },
  {
    name: "with an event of another license",
    events: [chain[0]!, ...ofLicense(linkedFeed(14), "lic_2").slice(0, 1)],
    after: null,
    expected: "other_license",
    sequence: 3
  },
  {
    name: "a personal value without its salt",
    events: chain.map((one) => one.id === withoutSalt.id ? withoutSalt : one),
    after: null,
    expected: "commitment_mismatch",
    sequence: withoutSalt.sequence
  }
]

const key = signingKey(9)
const feed = linkedFeed(14)
const whole = provenIn(feed, chain, key)

/** The events with their audit paths, and the note over the tree, each with its verdict. */
export const proven = [
  { name: "the whole chain in its log", ...whole, expected: "verified" },
  {
    name: "a chain of another history",
    note: whole.note,
    events: provenIn(otherFeed, ofLicense(otherFeed, license_id), key).events,
    expected: "not_in_log",
    sequence: chain[0]!.sequence
  },
  {
    name: "the path of another event",
    note: whole.note,
    events: whole.events.map((one, index) => index === 3 ? { ...one, hashes: whole.events[2]!.hashes } : one),
    expected: "not_in_log",
    sequence: fourth.sequence
  },
  { name: "a note of an unknown key", ...provenIn(feed, chain, signingKey(8)), expected: "unknown_key" },
  {
    name: "a note of another size",
    events: whole.events,
    note: whole.note.replace("\n14\n", "\n15\n"),
    expected: "signature_mismatch"
  }
]

/** The text of the file. */
export const text = `${JSON.stringify({ license_id, cases, keys: [key.published], proven })}\n`

if (import.meta.main) writeFileSync(join(import.meta.dirname, "license-chains.json"), text)
