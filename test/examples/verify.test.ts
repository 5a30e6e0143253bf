import { assert, beforeAll, describe, it } from "@effect/vitest"
import { execFile, spawnSync } from "node:child_process"
import { createHmac } from "node:crypto"
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { mutated, signedAnew } from "../fixtures/MutatedVectors.ts"
import { root, temporaryDirectory } from "../fixtures/Program.ts"
import type { Python } from "../fixtures/Python.ts"
import { installedPython, lendingPython } from "../fixtures/Python.ts"
import { chance } from "../fixtures/Seeded.ts"
import { judgeDelivery, judgeEnvelope, judgeOffline, judgeReceipt, judgeRefusal } from "../fixtures/VectorVerdicts.ts"
import { vectors as deliveries } from "../vectors/makeDeliveries.ts"
import { vectors as envelopes } from "../vectors/makeEnvelopes.ts"
import { vectors as offline } from "../vectors/makeOffline.ts"
import { vectors as receipts } from "../vectors/makeReceipts.ts"
import { vectors as refusals } from "../vectors/makeRefusals.ts"

// A developer copies one of these programs into an app. Each judges files of vectors: here those that are published,
// with changed ones behind them, which it must refuse as verifyEnvelope, verifyRefusal, verifyReceipt, verifyOffline and verifyDelivery do.
const programs = join(root, "examples/verify")
const directory = temporaryDirectory()
const run = promisify(execFile)
const { upTo } = chance("verify")

/** How many cases of each file `mutated` changes; by hand VERIFY_MUTANTS=5000, without bash, which takes a second for each. */
const mutants = Number(process.env["VERIFY_MUTANTS"] ?? 16)

/** A command and its first arguments; the file of vectors follows. */
type Command = readonly [command: string, ...args: ReadonlyArray<string>]

interface Language {
  readonly name: string
  /** Below examples/verify. */
  readonly file: string
  /** The row of docs/reference/languages.md: what the program needs, when tests run it, and what it has run with. */
  readonly row: readonly [needs: string, run: string, tried: string]
  /** Whether it verifies receipts of usage, too. */
  readonly receipts?: boolean
  readonly isHere: boolean
  /** What it runs with, beside the PATH and the home. */
  readonly env?: Readonly<Record<string, string>>
  /** Of how many changed cases it judges one, because it takes long over each; every one where it is not said. */
  readonly oneOf?: number
  /** Compiles it where it must be, and answers how to run it. What no test can run has none. */
  readonly command?: (source: string) => Command | Promise<Command>
}

const answers = (command: string, args: ReadonlyArray<string>, expected: RegExp): boolean => {
  const { status, stderr, stdout } = spawnSync(command, args, { encoding: "utf8", timeout: 120_000 })
  return status === 0 && expected.test(`${stdout}${stderr}`)
}

/** Debian's sources of crates, which cargo can build from without asking anybody. */
const crates = "/usr/share/cargo/registry"
const hasCrates = existsSync(crates) &&
  ["ring-", "serde_json-"].every((name) => readdirSync(crates).some((crate) => crate.startsWith(name)))

const inPython = (python: Python | undefined): Pick<Language, "isHere" | "env" | "command"> => ({
  isHere: python !== undefined,
  env: python?.env ?? {},
  command: (source) => [python!.command, source]
})

const languages: ReadonlyArray<Language> = [
  {
    name: "Python",
    file: "python/verify.py",
    receipts: true,
    row: ["Python 3.9, `cryptography`", "where there is `python3`", "Python 3.11 with `cryptography` 38 and 48"],
    ...inPython(installedPython ?? lendingPython)
  },
  {
    name: "Go",
    file: "go/verify.go",
    receipts: true,
    row: ["Go 1.18", "where there is `go`", "Go 1.19.8"],
    isHere: answers("go", ["version"], /go1\.(1[89]|[2-9]\d)/),
    env: { GOPROXY: "off", GOTOOLCHAIN: "local" },
    command: async (source) => {
      const built = join(directory, "verify-go")
      await run("go", ["build", "-o", built, source], { timeout: patience })
      return [built]
    }
  },
  {
    name: "C#",
    file: "csharp/Verify.cs",
    row: [
      ".NET, .NET Framework 4.6.1, Mono or Unity; `BouncyCastle.Cryptography`",
      "no: the package comes from NuGet",
      "Mono 6.8, with libsodium in the place of the package"
    ],
    isHere: false
  },
  {
    name: "Java",
    file: "java/Verify.java",
    receipts: true,
    row: ["Java 17", "where there is `javac`", "OpenJDK 17.0.15"],
    isHere: answers("javac", ["-version"], /javac (1[7-9]|[2-9]\d)/),
    command: async (source) => {
      await run("javac", ["-d", directory, source], { timeout: patience })
      return ["java", "-Xshare:auto", "-cp", directory, "Verify"]
    }
  },
  {
    name: "Rust",
    file: "rust/verify.rs",
    receipts: true,
    row: [
      "`ring`, `serde_json`",
      "where there are `cargo` and Debian's `librust-ring-dev` and `librust-serde-json-dev`",
      "Rust 1.95 with `ring` 0.16.20"
    ],
    isHere: hasCrates && answers("cargo", ["--version"], /cargo 1\.(5[6-9]|[6-9]\d|\d{3})/),
    command: async (source) => {
      // A copy, because cargo writes a lock file beside the manifest.
      for (const name of ["Cargo.toml", "verify.rs"]) copyFileSync(join(source, "..", name), join(directory, name))
      const source_ = ["source.crates-io.replace-with='debian'", `source.debian.directory='${crates}'`]
      const settings = source_.flatMap((setting) => ["--config", setting])
      const target = join(directory, "target")
      const build = ["build", "--quiet", "--offline", "--target-dir", target, ...settings]
      await run("cargo", build, { cwd: directory, timeout: 590_000 })
      return [join(target, "debug/verify")]
    }
  },
  {
    name: "PHP",
    file: "php/verify.php",
    receipts: true,
    row: ["PHP 8.1 with sodium and openssl", "where there is `php`", "PHP 8.2.36"],
    isHere: answers(
      "php",
      ["-r", "echo PHP_VERSION_ID >= 80100, '+', implode('+', get_loaded_extensions()), '+';"],
      /^1(?=.*\+sodium\+)(?=.*\+openssl\+)/
    ),
    command: (source) => ["php", source]
  },
  {
    name: "Ruby",
    file: "ruby/verify.rb",
    receipts: true,
    row: ["Ruby 3.0", "where there is `ruby`", "Ruby 3.1.7"],
    isHere: answers("ruby", ["--version"], /ruby ([4-9]|3\.)/),
    command: (source) => ["ruby", source]
  },
  {
    name: "Swift",
    file: "swift/verify.swift",
    row: [
      "Swift 5.9; CryptoKit or swift-crypto",
      "on macOS, where there is `swiftc`",
      "never: no machine here has it; it was only parsed"
    ],
    isHere: process.platform === "darwin" && answers("swiftc", ["--version"], /Swift version (5\.9|5\.\d\d|[6-9])/),
    command: async (source) => {
      const built = join(directory, "verify-swift")
      await run("swiftc", ["-parse-as-library", source, "-o", built], { timeout: 590_000 })
      return [built]
    }
  },
  {
    name: "Shell",
    file: "shell/verify.sh",
    // A case starts some twenty programs.
    oneOf: 4,
    row: [
      "bash, OpenSSL 3, jq 1.6, GNU coreutils and sed",
      "where there are `openssl` 3 and `jq`",
      "bash 5.2, OpenSSL 3.0.19, jq 1.6"
    ],
    isHere: answers("bash", ["--version"], /version ([5-9]|\d\d)/) &&
      answers("openssl", ["version"], /^OpenSSL [3-9]/) &&
      answers("jq", ["--version"], /jq-1\.[6-9]/) && answers("sed", ["--version"], /GNU/),
    command: (source) => ["bash", source]
  }
]

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

/** How long a program may take over a file, in milliseconds: what hangs is ended, and a busy machine has its time. */
const patience = 600_000

/** Holds the verdicts of a program on all files to those that are expected. */
const holds = async (
  { command, env = {}, file, oneOf = 1, receipts: hasReceipts = false }: Language
): Promise<void> => {
  const [program, ...args] = await command!(join(programs, file))
  const environment = { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", ...env }
  for (const write of files) {
    const { judged, path } = write(oneOf)
    if (!hasReceipts && path.endsWith("receipts.json")) continue
    const ended = await run(program, [...args, path], { env: environment, timeout: patience }).then(
      ({ stderr, stdout }) => ({ code: 0, stderr, stdout }),
      (error: { readonly code: unknown; readonly stderr: string; readonly stdout: string }) => error
    )
    assert.strictEqual(ended.stderr, "")
    const lines = ended.stdout.trimEnd().split("\n").map((line) => line.split("\t"))
    assert.deepStrictEqual(lines.map(([, name]) => name), judged.map(({ name }) => name))
    judged.forEach(({ expected, isChanged, name }, index) => {
      const said = lines[index]![0]
      const what = `${name}, which verifyEnvelope and its like call ${expected}`
      if (isChanged) assert.match(said!, expected === "verified" ? /^verified$/ : /^(?!verified$)[a-z_]+$/, what)
      else assert.strictEqual(said, expected, name)
    })
    const asExpected = judged.every(({ expected }, index) => lines[index]![0] === expected)
    assert.strictEqual(ended.code, asExpected ? 0 : 1, "its exit code")
  }
  const path = join(directory, "wrong.json")
  writeFileSync(path, JSON.stringify({ ...envelopes, cases: [{ ...envelopes.cases[0], expected: "expired" }] }))
  const { code } = await run(program, [...args, path], { env: environment, timeout: patience }).catch((error) => error)
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
    for (const { file } of languages) assert.isTrue(existsSync(join(programs, file)), file)
  })
})
