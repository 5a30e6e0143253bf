// Writes key-lists.json: lists of public keys, and what a program may learn from each that ships some keys and has learned of
// others before, so that an app in any language can be checked. It uses none of the code it is there to check. Run it with
// `npx node test/vectors/makeKeyLists.ts`.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { keyOf, signatureOf } from "./makeEnvelopes.ts"

const made = (letter: string, byte: number) => ({
  pair: keyOf(byte),
  key: { kid: `sig_${letter}`, algorithm: "Ed25519", public_key: keyOf(byte).published }
})
const [first, second, third, stranger] = [made("a", 21), made("b", 22), made("c", 23), made("x", 24)]
type Made = typeof first

const created_at = "2026-03-01T10:00:00.000Z"
const revoked_at = "2026-03-05T10:00:00.000Z"
const early = "2026-03-02T10:00:00.000Z"
const late = "2026-03-06T10:00:00.000Z"

/** Canonical JSON (RFC 8785): all is ASCII, and there are no numbers. */
const canonical = (value: unknown): string =>
  Array.isArray(value)
    ? `[${value.map(canonical).join(",")}]`
    : typeof value === "object" && value !== null
    ? `{${
      Object.entries(value).toSorted(([a], [b]) => a < b ? -1 : 1)
        .map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(",")
    }}`
    : JSON.stringify(value)

interface Content {
  readonly keys: ReadonlyArray<Made>
  readonly revoked?: ReadonlyArray<Made>
  readonly issued_at?: string
}

/** What keys sign of a list. */
const signed = (
  { issued_at = early, keys, revoked = [] }: Content,
  signers: ReadonlyArray<Made>,
  more: object = {}
) => {
  const data = {
    type: "signing_keys",
    issued_at,
    keys: keys.map(({ key }) => ({ ...key, created_at })),
    revoked: revoked.map(({ key }) => ({ ...key, created_at, revoked_at })),
    ...more
  }
  const text = canonical(data)
  return {
    data,
    signatures: signers.map(({ key: { kid }, pair }) => ({
      alg: "Ed25519",
      algorithm: "Ed25519",
      kid,
      value: signatureOf(text, pair)
    }))
  }
}

/** The answer of `GET /api/v1/system/public-keys`. */
const listed = ({ keys, revoked = [] }: Content, endorsement?: unknown): string =>
  JSON.stringify({
    data: keys.map(({ key }, index) => ({ ...key, status: index === 0 ? "active" : "retired", created_at })),
    ...(revoked.length === 0
      ? {}
      : { revoked: revoked.map(({ key }) => ({ ...key, status: "revoked", created_at, revoked_at })) }),
    ...(endorsement === undefined ? {} : { endorsement }),
    meta: { request_id: "req_1", timestamp: late }
  })
const endorsed = (content: Content, signers: ReadonlyArray<Made>, more: object = {}): string =>
  listed(content, signed(content, signers, more))

/** As a program ships a key of a service that endorses, and of one that does not or did not yet. */
const pin = ({ key }: Made) => ({ ...key, endorses: true })
const plain = ({ key }: Made) => key
const keeping = (content: Content, signers: ReadonlyArray<Made>) => ({
  endorsement: JSON.stringify(signed(content, signers)),
  keys: [],
  revokedKids: [],
  revokedAt: {}
})

/** A list, and what is known after it. */
export interface KeyListCase {
  readonly name: string
  readonly pinned: ReadonlyArray<object>
  /** What was learned before. */
  readonly learned: object
  readonly body: string
  /** `learned`, or why nothing is. */
  readonly expected: "learned" | "unknown_key" | "malformed"
  /** The keys that verify then, of which the bytes are those of the same letter, and those that are refused as revoked. */
  readonly verify: ReadonlyArray<string>
  readonly revoked: ReadonlyArray<string>
}

const kids = (letters: string) => Array.from(letters, (letter) => `sig_${letter}`)

const one = (
  name: string,
  expected: KeyListCase["expected"],
  verify: string,
  given: { readonly pinned?: ReadonlyArray<object>; readonly learned?: object; readonly body: string },
  revoked = ""
): KeyListCase => ({
  name,
  pinned: given.pinned ?? [pin(first)],
  learned: given.learned ?? {},
  body: given.body,
  expected,
  verify: kids(verify),
  revoked: kids(revoked)
})

const two: Content = { keys: [second, first] }
const three: Content = { keys: [third, second, first], issued_at: late }
const theirs: Content = { keys: [stranger, first], issued_at: late }
const stolen: Content = { keys: [second], revoked: [first], issued_at: late }
const before: Content = { keys: [second, first], issued_at: late }
const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`
/** A list with something in it that nobody signed: the answer is one level more. */
const around = (levels: number) => endorsed(two, [first]).replace("\"meta\":", `"later":${nested(levels - 1)},"meta":`)
const swapped = { ...first, key: { ...stranger.key, kid: first.key.kid } }
const genuine = signed(two, [second, first])

/** What a window kept, and what another one learned meanwhile: which of the two stays. */
export interface KeptCase {
  readonly name: string
  readonly pinned: ReadonlyArray<object>
  readonly kept: object
  readonly learned: object
  readonly stays: "kept" | "learned"
}

const both = (
  name: string,
  stays: KeptCase["stays"],
  kept: object,
  learned: object,
  pinned: ReadonlyArray<object> = [pin(first)]
): KeptCase => ({ name, pinned, kept, learned, stays })

const all = [third, second, first]
const farOff: Content = { keys: [stranger], issued_at: "2099-01-01T00:00:00.000Z" }

/** The vectors as they stand in key-lists.json. */
export const vectors = {
  public_keys: Object.fromEntries([first, second, third, stranger].map(({ key }) => [key.kid, key.public_key])),
  cases: [
    one("a new key, endorsed by the shipped one", "learned", "ab", { body: endorsed(two, [second, first]) }),
    one("endorsed by the shipped one alone", "learned", "ab", { body: endorsed(two, [first]) }),
    one("endorsed by the shipped one, among signatures that are none", "learned", "ab", {
      body: listed(two, { ...genuine, signatures: [null, { kid: 7 }, { kid: "sig_a" }, ...genuine.signatures] })
    }),
    one("endorsed, with members of a later version", "learned", "ab", {
      body: endorsed(two, [first], { later: { more: "yes" } })
    }),
    one("two rotations later", "learned", "abc", { body: endorsed(three, [third, second, first]) }),
    one("two rotations later, for who followed the first", "learned", "abc", {
      learned: keeping(two, [second, first]),
      body: endorsed(three, [third, second, first])
    }),
    one("of somebody who has no key of the service", "unknown_key", "a", { body: endorsed(theirs, [stranger]) }),
    one("of somebody who leaves the endorsement out", "unknown_key", "a", { body: listed(theirs) }),
    one("of somebody who lists what was never signed", "learned", "ab", { body: listed(theirs, genuine) }),
    one("with a signature of other bytes", "unknown_key", "a", {
      body: listed(two, { ...genuine, data: { ...genuine.data, issued_at: late } })
    }),
    one("signed by a key that goes by the name of the shipped one", "unknown_key", "a", {
      body: endorsed(theirs, [{ ...stranger, key: { ...stranger.key, kid: "sig_a" } }])
    }),
    one("that swaps the bytes of the shipped key", "learned", "ab", {
      body: endorsed({ keys: [second, swapped] }, [first])
    }),
    one("signed, and no list", "unknown_key", "a", { body: endorsed(two, [first], { type: "refusal" }) }),
    one("signed, without an instant", "unknown_key", "a", { body: endorsed(two, [first], { issued_at: null }) }),
    one("signed, whose keys are no array", "unknown_key", "a", { body: endorsed(two, [first], { keys: {} }) }),
    one("signed, of which an entry is no key", "learned", "ab", {
      body: endorsed(two, [first], { keys: [null, { kid: "sig_x" }, { ...second.key, created_at }] })
    }),
    one("an endorsement that is null", "unknown_key", "a", { body: listed(two, null) }),
    one("an endorsement without signatures", "unknown_key", "a", { body: listed(two, { data: genuine.data }) }),
    one("that revokes the shipped key", "learned", "b", { body: endorsed(stolen, [second, first]) }, "a"),
    one("of whoever stole a key that was revoked, after that was learned", "unknown_key", "b", {
      learned: keeping(stolen, [second, first]),
      body: endorsed({ ...theirs, issued_at: "2026-04-01T10:00:00.000Z" }, [first, stranger])
    }, "a"),
    one("of the service, after the shipped key was revoked", "learned", "bc", {
      learned: keeping(stolen, [second, first]),
      body: endorsed({ keys: [third, second], revoked: [first], issued_at: late }, [third, second, first])
    }, "a"),
    one("without the signature of a shipped key, of one that was learned", "unknown_key", "ab", {
      learned: keeping(two, [second, first]),
      body: endorsed(three, [third, second])
    }),
    one("from before the one that was learned", "unknown_key", "abc", {
      learned: keeping(three, [third, second, first]),
      body: endorsed(two, [second, first])
    }),
    one("of the instant of the one that was learned, and of before its revocation", "unknown_key", "b", {
      learned: keeping(stolen, [second, first]),
      body: endorsed(before, [second, first])
    }, "a"),
    one("of the instant of the one that was learned, and of after its revocation", "learned", "b", {
      learned: keeping(before, [second, first]),
      body: endorsed(stolen, [second, first])
    }, "a"),
    one(
      "of the instant of the one that was learned, with another key revoked in the place of one",
      "unknown_key",
      "b",
      {
        learned: keeping(stolen, [second, first]),
        body: endorsed({ keys: [second, first], revoked: [third], issued_at: late }, [second, first])
      },
      "a"
    ),
    one("of the instant of the one that was learned, with one more key", "learned", "abc", {
      learned: keeping(before, [second, first]),
      body: endorsed(three, [third, second, first])
    }),
    one("with two signatures of one key, of which the first does not verify", "unknown_key", "a", {
      body: listed(two, { ...genuine, signatures: [{ ...genuine.signatures[0], kid: "sig_a" }, genuine.signatures[1]] })
    }),
    one("that is 100 levels deep", "learned", "ab", { body: around(100) }),
    ...[101, 800, 5000].map((levels) =>
      one(`that is ${levels} levels deep`, "malformed", "a", { body: around(levels) })
    ),
    one("where a store has something too deep in it", "learned", "ab", {
      learned: {
        ...keeping(two, [first]),
        endorsement: keeping(two, [first]).endorsement.replace("{", `{"later":${nested(800)},`)
      },
      body: endorsed(two, [first])
    }),
    one("that is left out once an endorsed one was had", "unknown_key", "ab", {
      pinned: [plain(first)],
      learned: keeping(two, [second, first]),
      body: listed(theirs)
    }),
    one("that is unsigned, of a service of before, for a program that ships its key", "learned", "ab", {
      pinned: [plain(first)],
      body: listed(two)
    }),
    one("endorsed, for a program that ships the key of before", "learned", "ab", {
      pinned: [plain(first)],
      learned: { keys: [second.key], revokedKids: [], revokedAt: {} },
      body: endorsed(two, [second, first])
    }),
    one("endorsed, where an unsigned one said that the shipped key was revoked", "learned", "ab", {
      pinned: [plain(first)],
      learned: { keys: [stranger.key], revokedKids: ["sig_a"], revokedAt: { sig_a: revoked_at } },
      body: endorsed(two, [second, first])
    }),
    one("of a service that lost its keys, for a program of before", "learned", "ac", {
      pinned: [plain(first)],
      body: endorsed({ keys: [third, first] }, [third])
    }),
    one("of a service that lost its keys", "unknown_key", "a", { body: endorsed({ keys: [third, first] }, [third]) }),
    one("the first one of a program that ships none", "learned", "ab", {
      pinned: [],
      body: endorsed(two, [second, first])
    }),
    one("a later one of a program that ships none", "learned", "abc", {
      pinned: [],
      learned: keeping(two, [second, first]),
      body: endorsed(three, [third, second, first])
    }),
    one("a later one of somebody else, of a program that ships none", "unknown_key", "ab", {
      pinned: [],
      learned: keeping(two, [second, first]),
      body: endorsed(theirs, [stranger])
    }),
    one("what somebody wrote into the store counts for nothing", "unknown_key", "a", {
      learned: { ...keeping(theirs, [stranger]), keys: [stranger.key] },
      body: listed(theirs)
    }),
    one("a page of a proxy", "malformed", "a", { body: "<html>Please log in</html>" }),
    one("a member twice", "malformed", "a", {
      body: endorsed(two, [first]).replace("\"endorsement\":", "\"endorsement\":1,\"endorsement\":")
    })
  ],
  kept: [
    both("a later list", "learned", keeping(two, [first]), keeping(three, all)),
    both("an earlier list", "kept", keeping(three, all), keeping(two, [first])),
    both("nothing", "kept", keeping(three, all), {}),
    both("a list that nobody signed", "kept", keeping(two, [first]), {
      keys: [stranger.key],
      revokedKids: [],
      revokedAt: {}
    }),
    both("the first list", "learned", {}, keeping(two, [first])),
    both("a list, where a stranger's is kept", "learned", keeping(farOff, [stranger]), keeping(two, [first])),
    both("a list, where one is kept that was changed", "learned", {
      ...keeping(two, [first]),
      endorsement: keeping(two, [first]).endorsement.replace(early, "2099-01-01T00:00:00.000Z")
    }, keeping(two, [first])),
    both("a list of a stranger", "kept", keeping(two, [first]), keeping(farOff, [stranger])),
    both(
      "a list of the same instant, of before a revocation",
      "kept",
      keeping(stolen, [second, first]),
      keeping(before, [second, first])
    ),
    both(
      "a list of the same instant, of after a revocation",
      "learned",
      keeping(before, [second, first]),
      keeping(stolen, [second, first])
    ),
    both("a later list of a key that was revoked", "kept", keeping(stolen, [second, first]), keeping(farOff, [first]))
  ]
}

/** A list of so many keys and signatures, which is too large for a file of vectors, and what a program ships that has it. */
export const largeList = ({ isForged = false, keys, signatures, spaces = 0 }: {
  readonly keys: number
  /** The last of them verifies, unless they are forged. Without any, the list is signed by nobody. */
  readonly signatures?: number
  readonly isForged?: boolean
  readonly spaces?: number
}) => {
  const content: Content = { keys: Array.from({ length: keys }, () => second) }
  const own = signed(content, [first]).signatures[0]!
  const other = { ...own, value: signatureOf("something else", first.pair) }
  const endorsement = {
    ...signed(content, []),
    signatures: Array.from(
      { length: signatures ?? 0 },
      (_, index) => isForged ? other : index + 1 === signatures ? own : { ...other, kid: `sig_${index}` }
    )
  }
  const body = signatures === undefined ? listed(content) : listed(two, endorsement)
  return { body: body + " ".repeat(spaces), pinned: [signatures === undefined ? plain(first) : pin(first)] }
}

/** key-lists.json, to the byte. */
export const text = `${JSON.stringify(vectors, undefined, 2)}\n`

if (process.argv[1] === import.meta.filename) {
  writeFileSync(join(import.meta.dirname, "key-lists.json"), text)
}
