import { parseInternetJson } from "../../domain/ground/parsing/InternetJson.ts"
import type { FileReport } from "../evidence/FileReport.ts"
import { keysOf, kindOf, vendorKeysIn, witnessesIn } from "../evidence/Trust.ts"
import type { GivenFile, Trust } from "../evidence/Trust.ts"
import { headings, verdicts, verifyFiles } from "../evidence/verifyFiles.ts"
import { plainSha256 } from "../hashing/plainSha256.ts"
import { platformSha256 } from "../hashing/sha256.ts"

const usage = [
  "Usage: countersign-client verify FILE... --keys FILE [options]",
  "",
  "Verifies what a Countersign service signed, without a network.",
  "Files: exports of reports with their manifest, a CSV with its snapshot, archives (ZIP, gzip) of these,",
  "licenses for machines without a network, signed responses and refusals, receipts of usage,",
  "checkpoints, and exports of the event log. A PDF is proven with its manifest alone.",
  "",
  "  --keys FILE          the body of /api/v1/system/public-keys, from a source you trust",
  "  --witness KEY        the verifier key of a witness, or a file of them; may be repeated",
  "  --quorum N           how many of their keys must have signed a checkpoint; default: all",
  "  --license-key FILE   a file with the license key, for a license that is sealed with it",
  "  --fingerprint TEXT   the fingerprint of the machine that a license is meant for",
  "  --json               print what was found as JSON",
  "",
  "Exit codes: 0 proven, 1 something is wrong, 2 wrong usage, 3 not proven, as without keys.",
  ""
].join("\n")

/** The part of the machine that the command needs. */
export interface Machine {
  readonly read: (path: string) => Promise<Uint8Array>
  readonly out: (text: string) => void
  readonly err: (text: string) => void
}

/** A command line that cannot be carried out. */
class WrongUsage extends Error {}

interface Options {
  readonly files: ReadonlyArray<string>
  readonly values: ReadonlyMap<string, ReadonlyArray<string>>
  readonly isJson: boolean
}

const named: ReadonlySet<string> = new Set(["keys", "witness", "quorum", "license-key", "fingerprint"])

const optionsOf = (args: ReadonlyArray<string>): Options => {
  const files: Array<string> = []
  const values = new Map<string, Array<string>>()
  let isJson = false
  for (let at = 0; at < args.length; at++) {
    const argument = args[at]!
    if (!argument.startsWith("--")) {
      files.push(argument)
      continue
    }
    if (argument === "--json") {
      isJson = true
      continue
    }
    const [, name = "", own] = /^--([^=]*)(?:=(.*))?$/s.exec(argument) ?? []
    if (!named.has(name)) throw new WrongUsage(`There is no option ${argument}.`)
    const value = own ?? args[++at]
    if (value === undefined) throw new WrongUsage(`${argument} needs a value.`)
    values.set(name, [...values.get(name) ?? [], value])
  }
  return { files, values, isJson }
}

const reading = (machine: Machine) => async (path: string): Promise<Uint8Array> => {
  try {
    return await machine.read(path)
  } catch (error) {
    throw new WrongUsage(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
}

const listIn = (path: string, bytes: Uint8Array) => {
  let keys: ReturnType<typeof vendorKeysIn>
  try {
    keys = vendorKeysIn(parseInternetJson(new TextDecoder().decode(bytes)))
  } catch {
    keys = undefined
  }
  if (keys === undefined) throw new WrongUsage(`${path} has no public keys.`)
  return keys
}

const trustOf = async (
  { values }: Options,
  read: (path: string) => Promise<Uint8Array>
): Promise<Trust> => {
  const sha256 = platformSha256() ?? plainSha256
  const keyFiles = values.get("keys") ?? []
  const keys = await Promise.all(keyFiles.map(async (path) => listIn(path, await read(path))))
  const texts = await Promise.all((values.get("witness") ?? []).map(async (given) =>
    // The name of a witness has no plus, and so does no path that is meant here: a verifier key has two of them.
    given.split("+").length > 2 ? given : new TextDecoder().decode(await read(given))
  ))
  const { unread: [unread], witnesses } = witnessesIn(texts.join("\n"), sha256)
  if (unread !== undefined) throw new WrongUsage(`This is no verifier key of a witness: ${unread}`)
  const most = keysOf(witnesses)
  const asked = values.get("quorum")?.at(-1)
  const quorum = asked === undefined ? most : /^[1-9]\d{0,8}$/.test(asked) ? Number(asked) : 0
  if (quorum > most || (asked !== undefined && quorum < 1)) {
    throw new WrongUsage(`--quorum must be a number from 1 to that of the keys of witnesses, ${most}.`)
  }
  const keyFile = values.get("license-key")?.at(-1)
  return {
    publicKeys: keys.flatMap(({ publicKeys }) => publicKeys),
    revokedKeys: keys.flatMap(({ revokedKeys }) => revokedKeys),
    witnesses,
    quorum,
    licenseKey: keyFile === undefined ? undefined : new TextDecoder().decode(await read(keyFile)).trim(),
    fingerprint: values.get("fingerprint")?.at(-1),
    now: Date.now(),
    sha256
  }
}

const nameOf = (path: string): string => path.split(/[\\/]/).at(-1) ?? path

// A file says what strangers have written into it, and a terminal obeys control characters, those that turn the line around included:
// the name of a file could show another verdict behind it.
// oxlint-disable-next-line no-control-regex -- they are what is taken out
const controls = /[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

const shown = (text: string): string => text.replaceAll(controls, "\ufffd")

const textOf = ({ findings, name, verdict, what }: FileReport): string => {
  const lines = [`${shown(name)}: ${what}. ${verdicts[verdict]}`]
  for (const [outcome, heading] of headings) {
    for (const finding of findings) {
      if (finding.outcome === outcome) lines.push(`  ${heading.toLowerCase()}: ${shown(finding.text)}`)
    }
  }
  return `${lines.join("\n")}\n`
}

const verify = async (options: Options, machine: Machine): Promise<number> => {
  const { files: paths, isJson } = options
  if (paths.length === 0) throw new WrongUsage("Name a file to verify.")
  const read = reading(machine)
  const trust = await trustOf(options, read)
  const files = await Promise.all(
    paths.map(async (path): Promise<GivenFile> => ({ name: nameOf(path), bytes: await read(path) }))
  )
  const reports = await verifyFiles(files, trust)
  machine.out(isJson ? `${JSON.stringify(reports, undefined, 2)}\n` : reports.map(textOf).join("\n"))
  if (files.some((file) => kindOf(file).is === "keys")) machine.err("Keys are taken from --keys only.\n")
  if (reports.some(({ verdict }) => verdict === "wrong")) return 1
  return reports.every(({ verdict }) => verdict === "proven") ? 0 : 3
}

/** Runs `verify FILE...`; answers the exit code. */
export const runVerifier = async (args: ReadonlyArray<string>, machine: Machine): Promise<number> => {
  try {
    const [command, ...rest] = args
    if (command === undefined || args.includes("--help") || args.includes("-h")) {
      machine.out(usage)
      return command === undefined ? 2 : 0
    }
    if (command !== "verify") throw new WrongUsage(`There is no command ${command}.`)
    return await verify(optionsOf(rest), machine)
  } catch (error) {
    if (!(error instanceof WrongUsage)) throw error
    machine.err(`${shown(error.message)}\n\n${usage}`)
    return 2
  }
}
