import { assert, beforeAll, describe, it } from "@effect/vitest"
import { createHmac } from "node:crypto"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { mutated, signedAnew } from "../../fixtures/MutatedVectors.ts"
import { root, temporaryDirectory } from "../../fixtures/Program.ts"
import { lendingPython } from "../../fixtures/Python.ts"
import { chance } from "../../fixtures/Seeded.ts"
import {
  judgeDelivery,
  judgeEnvelope,
  judgeOffline,
  judgeReceipt,
  judgeRefusal
} from "../../fixtures/VectorVerdicts.ts"
import type { Language } from "../../fixtures/VerifyPrograms.ts"
import { inPython, judgeIn, languages, patience, verifyPrograms } from "../../fixtures/VerifyPrograms.ts"
import { vectors as deliveries } from "../../vectors/makeDeliveries.ts"
import { vectors as envelopes } from "../../vectors/makeEnvelopes.ts"
import { vectors as offline } from "../../vectors/makeOffline.ts"
import { vectors as receipts } from "../../vectors/makeReceipts.ts"
import { vectors as refusals } from "../../vectors/makeRefusals.ts"

// A developer copies one of these programs into an app. Each judges files of vectors: here those that are published,
// with changed ones behind them, which it must refuse as verifyEnvelope, verifyRefusal, verifyReceipt, verifyOffline and verifyDelivery do.
const directory = temporaryDirectory()
const { upTo } = chance("verify")

/** How many cases of each file `mutated` changes; by hand VERIFY_MUTANTS=5000, without bash, which takes a second for each. */
const mutants = Number(process.env["VERIFY_MUTANTS"] ?? 16)

interface Judged {
  readonly name: string
  /** Which code the refusal of a published case has is published too. That of a changed one may be any. */
  readonly expected: string
  readonly isChanged: boolean
}

/** A file of vectors, and the verdicts on them. */
interface Judgement {
  readonly path: string
  readonly judged: ReadonlyArray<Judged>
}

/** Writes each file with all of its cases, or with one of so many of those that chance has changed. */
const files: Array<(oneOf: number) => Judgement> = []

/** A text with another letter in the place of a character that is chosen by chance. */
const otherLetter = (text: string): string => {
  const characters = Array.from(text)
  const at = Math.floor(upTo(characters.length))
  return characters.with(at, characters[at] === "q" ? "k" : "q").join("")
}

/** Base64 of the same bytes with one bit changed. */
const otherBit = (base64: string): string => {
  const bytes = Buffer.from(base64, "base64")
  const at = Math.floor(upTo(bytes.length))
  bytes[at]! ^= 1 << Math.floor(upTo(8))
  return bytes.toString("base64")
}

/** Every genuine case with each of the changes. */
const changed = <One extends { readonly name: string; readonly expected: string }>(
  cases: ReadonlyArray<One>,
  changes: Readonly<Record<string, (one: One) => Partial<One>>>
): ReadonlyArray<One> =>
  cases.filter(({ expected }) => expected === "verified").flatMap((one) =>
    Object.entries(changes).map(([name, change]) =>
      Object.assign({}, one, change(one), { name: `${one.name}, with ${name}`, isByChance: true })
    )
  )

/** Writes the published cases and changed ones, with the verdict of the library as what is expected. */
const write = async <One extends { readonly name: string; readonly expected: string }>(
  name: string,
  vectors: { readonly cases: ReadonlyArray<One> },
  more: ReadonlyArray<One>,
  judge: (one: One) => Promise<string>,
  /** Changes of which some leave a case good, or make another of it that is. */
  mutate: (one: One) => Partial<One> & { readonly how: string } | undefined
): Promise<void> => {
  const judged: Array<One> = await Promise.all(more.map(async (one) => ({ ...one, expected: await judge(one) })))
  assert.isNotEmpty(judged)
  for (const { expected, name } of judged) assert.notStrictEqual(expected, "verified", name)
  const good = vectors.cases.filter(({ expected }) => expected === "verified")
  for (let index = 0; index < mutants; index++) {
    const one = good[Math.floor(upTo(good.length))]!
    const { how, ...change } = mutate(one) ?? { how: "" }
    if (how === "") continue
    const mutant: One = Object.assign({}, one, change, {
      name: `${index}: ${one.name}, with ${how}`,
      isByChance: true
    })
    judged.push({ ...mutant, expected: await judge(mutant) })
  }
  files.push((oneOf) => {
    const path = join(directory, `${oneOf}-${name}`)
    const left = Math.floor(upTo(oneOf))
    const more = judged.filter((one, index) => !("isByChance" in one) || index % oneOf === left)
    const cases = [...vectors.cases, ...more]
    writeFileSync(path, JSON.stringify({ ...vectors, cases }))
    return {
      path,
      judged: cases.map(({ expected, name }, index) => ({ name, expected, isChanged: index >= vectors.cases.length }))
    }
  })
}

/** A genuine delivery signed anew with what a cut line or an empty row of a table leaves of a secret, beside another. */
const forged = (secret: string) => {
  const [genuine, , both] = deliveries.cases
  const { body } = genuine!
  const headers: Readonly<Record<string, string | undefined>> = genuine!.headers
  const t = /t=(\d+)/.exec(headers["X-Service-Signature"]!)![1]!
  const v1 = createHmac("sha256", secret).update(`${t}.${headers["X-Service-Delivery-ID"]}.${body}`).digest("hex")
  return {
    ...genuine!,
    name: `signed with ${JSON.stringify(secret)}, which is no secret`,
    headers: { ...genuine!.headers, "X-Service-Signature": `t=${t},v1=${v1}` },
    secrets: [both!.secrets[0]!, secret]
  }
}

/** Changes a body, or what is signed in it, which is then signed anew. */
const mutateBody = ({ body }: { readonly body: string }) => {
  const found = /"data":(\{[^]*?\}),"signature":\{[^}]*\}/.exec(body)
  const data = found?.[1]
  const isSigned = upTo(2) < 1 && data !== undefined
  const { how, text } = isSigned
    ? signedAnew(
      upTo,
      data,
      (signed) =>
        body.slice(0, found!.index) + signed.slice(1, -1) +
        body.slice(body.indexOf("}", found!.index + data.length + 8) + 1)
    )
    : mutated(upTo, body)
  return { body: text.toWellFormed(), how }
}

const jsonOf = (text: string) => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

beforeAll(async () => {
  const data = /"data":\s*\{[^]*?\}(?=,\s*"signature"|\s*\}$)/
  await write(
    "envelopes.json",
    envelopes,
    changed(envelopes.cases, {
      "another letter in its data": (one) => ({ body: one.body.replace(data, otherLetter) }),
      "another signature": (one) => ({
        body: one.body.replace(/("value":\s*")([^"]*)/, (_, name, value) => `${name}${otherBit(value)}`)
      })
    }),
    (one) => judgeEnvelope(envelopes, one),
    mutateBody
  )
  await write(
    "refusals.json",
    refusals,
    changed(refusals.cases, {
      "another letter in its statement": (one) => ({ body: one.body.replace(data, otherLetter) }),
      "another signature": (one) => ({
        body: one.body.replace(/("value":\s*")([^"]*)/, (_, name, value) => `${name}${otherBit(value)}`)
      })
    }),
    (one) => judgeRefusal(refusals, one),
    mutateBody
  )
  await write(
    "receipts.json",
    receipts,
    changed(receipts.cases, {
      "another letter in its leaf": (one) => ({ body: one.body.replace(/"leaf":"(?:[^"\\]|\\.)*"/, otherLetter) }),
      "another signature": (one) => ({
        body: one.body.replace(/("value":\s*")([^"]*)/, (_, name, value) => `${name}${otherBit(value)}`)
      })
    }),
    (one) => judgeReceipt(receipts, one),
    mutateBody
  )
  await write(
    "offline.json",
    offline,
    changed(offline.cases, {
      "another ciphertext": (one) => {
        const { ciphertext = "" } = one.envelope
        return { envelope: { ...one.envelope, ciphertext: otherBit(ciphertext) } }
      }
    }),
    (one) => judgeOffline(offline, one),
    (one) => {
      const { how, text } = mutated(upTo, JSON.stringify(one.envelope))
      // The file of vectors is JSON itself, so only what is still JSON can stand in it.
      const envelope = jsonOf(text)
      return envelope === undefined ? undefined : { envelope, how }
    }
  )
  await write(
    "deliveries.json",
    deliveries,
    [
      ...changed(deliveries.cases, { "another letter in its body": (one) => ({ body: otherLetter(one.body) }) }),
      ...["", "null", "undefined", "None", "whsec_", "[object Object]"].map(forged)
    ],
    // The library tells of a secret that can be none, where the programs pass over it.
    (one) =>
      judgeDelivery(deliveries, one).catch((error: unknown) =>
        error instanceof TypeError ? "signature_mismatch" : Promise.reject(error)
      ),
    (one) => {
      const names = Object.keys(one.headers)
      const name = names[Math.floor(upTo(names.length + 1))]
      const { how, text } = mutated(
        upTo,
        name === undefined ? one.body : String(new Map(Object.entries(one.headers)).get(name))
      )
      if (name === undefined) return { body: text, how }
      // A header is ASCII (RFC 9110, 5.5): of other characters the languages trim some, and some not.
      if (/[^\t -~]/.test(text)) return undefined
      return { headers: { ...one.headers, [name]: text }, how: `${name} ${how}` }
    }
  )
})

/** Holds the verdicts of a program on all files to those that are expected. */
const holds = async (language: Language): Promise<void> => {
  const { oneOf = 1, receipts: hasReceipts = false } = language
  const judge = await judgeIn(language)
  for (const write of files) {
    const { judged, path } = write(oneOf)
    if (!hasReceipts && path.endsWith("receipts.json")) continue
    const { code, lines, stderr } = await judge(path)
    assert.strictEqual(stderr, "")
    assert.deepStrictEqual(lines.map(([, name]) => name), judged.map(({ name }) => name))
    judged.forEach(({ expected, isChanged, name }, index) => {
      const said = lines[index]![0]
      const what = `${name}, which verifyEnvelope and its like call ${expected}`
      if (isChanged) assert.match(said, expected === "verified" ? /^verified$/ : /^(?!verified$)[a-z_]+$/, what)
      else assert.strictEqual(said, expected, name)
    })
    const asExpected = judged.every(({ expected }, index) => lines[index]![0] === expected)
    assert.strictEqual(code, asExpected ? 0 : 1, "its exit code")
  }
  const path = join(directory, "wrong.json")
  writeFileSync(path, JSON.stringify({ ...envelopes, cases: [{ ...envelopes.cases[0], expected: "expired" }] }))
  const { code } = await judge(path)
  assert.strictEqual(code, 1, "its exit code for a verdict that is not as published")
}

describe("the program that verifies", () => {
  for (const language of languages) {
    const unless = language.isHere ? "" : ` (left out: this machine lacks what it needs: ${language.row[0]})`
    it.skipIf(!language.isHere)(`in ${language.name}${unless}`, () => holds(language), 4 * patience)
  }

  it.skipIf(lendingPython === undefined)(
    "in Python, with what the auditor lends in the place of `cryptography`",
    () => holds({ ...languages[0]!, ...inPython(lendingPython) }),
    4 * patience
  )

  it("is told of in the document, with when it is run", () => {
    const document = readFileSync(join(root, "docs/reference/languages.md"), "utf8")
    const rows = document.split("\n").filter((line) => line.startsWith("| [")).map((line) =>
      line.split("|").slice(1, -1).map((cell) => cell.trim())
    )
    assert.deepStrictEqual(
      rows,
      languages.map(({ file, name, receipts: hasReceipts, row }) => [
        `[${name}](../../examples/verify/${file})`,
        hasReceipts === true ? "yes" : "no",
        ...row
      ])
    )
    for (const { file } of languages) assert.isTrue(existsSync(join(verifyPrograms, file)), file)
  })
})
