import { Redacted, Result } from "effect"
import type { LogLevel } from "effect"
import { availableParallelism } from "node:os"
import { platform } from "node:process"
import { parseCidr } from "../../domain/ground/admission/Address.ts"
import { environmentOf } from "../../domain/ground/environments/Environment.ts"
import { isGuessable } from "../../domain/keys/security/SecretFields.ts"
import { readTls } from "../postgres/DatabaseTls.ts"

/** Any text. */
export const text = Result.succeed<string>

/** A base URL. */
export const webUrl = (value: string): Result.Result<string, string> => {
  const url = URL.canParse(value) ? new URL(value) : undefined
  return url !== undefined && /^https?:$/.test(url.protocol) && url.search === "" && url.hash === "" &&
      url.username === "" && url.password === ""
    ? Result.succeed(url.href.replace(/\/+$/, ""))
    : Result.fail(`must be an absolute http or https URL without query, fragment or password, not "${value}"`)
}

/** Ranges of addresses, separated by commas or blanks. */
export const cidrs = (value: string): Result.Result<ReadonlyArray<string>, string> => {
  const ranges = value.split(/[\s,]+/).filter((range) => range !== "")
  const wrong = ranges.filter((range) => parseCidr(range) === undefined)
  return wrong.length === 0
    ? Result.succeed(ranges)
    : Result.fail(`must be ranges of addresses separated by commas; wrong: ${wrong.map((it) => `"${it}"`).join(", ")}`)
}

/** 32 bytes in base64. */
export const masterKey = (value: string): Result.Result<Redacted.Redacted<Uint8Array>, string> => {
  const bytes = /^[A-Za-z0-9+/_-]+=*$/.test(value) ? new Uint8Array(Buffer.from(value, "base64")) : undefined
  return bytes?.length === 32
    ? Result.succeed(Redacted.make(bytes, { label: "COUNTERSIGN_MASTER_KEY" }))
    : Result.fail("must be 32 bytes in base64 (44 characters)")
}

/** A token is sent in a header, so it must be printable ASCII without spaces. */
export const adminToken = (value: string): Result.Result<Redacted.Redacted, string> => {
  if (value.length < 24) return Result.fail(`must have 24 or more characters, not ${value.length}`)
  if (!/^[\x21-\x7e]+$/.test(value)) return Result.fail("must be printable ASCII without spaces")
  if ((environmentOf(value) ?? "live") !== "live") {
    return Result.fail("must not start as the tokens of the test environment do: requests with it would go there")
  }
  return isGuessable(value)
    ? Result.fail("must be hard to guess: it has too few different characters, or repeats itself")
    : Result.succeed(Redacted.make(value, { label: "COUNTERSIGN_ADMIN_TOKEN" }))
}

/** The URL of a PostgreSQL database, with its TLS parameters. */
export const databaseUrl = (value: string): Result.Result<Redacted.Redacted, string> =>
  /^postgres(ql)?:\/\//.test(value) && URL.canParse(value)
    ? Result.map(readTls(value), () => Redacted.make(value, { label: "DATABASE_URL" }))
    : Result.fail("must be a URL that starts with postgres:// or postgresql://")

/** A whole number, as digits only; `what` names it in the message. */
export const wholeNumber =
  (what: string, least: number, most: number) => (value: string): Result.Result<number, string> =>
    /^\d{1,10}$/.test(value) && Number(value) >= least && Number(value) <= most
      ? Result.succeed(Number(value))
      : Result.fail(`must be a ${what} from ${least} to ${most}, not "${value}"`)

/** A retention time in days; 0 keeps rows without a limit. */
export const keptFrom = (least: number) => (value: string): Result.Result<number, string> =>
  value === "0"
    ? Result.succeed(0)
    : Result.mapError(wholeNumber("number of days", least, 36_500)(value), (problem) =>
      problem.replace("must be", "must be 0, or"))

/** One of several words. */
export const oneOf =
  <const Word extends string>(...words: ReadonlyArray<Word>) => (value: string): Result.Result<Word, string> => {
    const word = words.find((word) => word === value)
    return word === undefined
      ? Result.fail(`must be ${words.slice(0, -1).join(", ")} or ${words.at(-1)}, not "${value}"`)
      : Result.succeed(word)
  }

/** One line on paper, in any script: without control characters, and without marks that change the direction of what follows. */
export const displayName = (value: string): Result.Result<string, string> =>
  [...value].length <= 100 && value.isWellFormed() && !/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u.test(value)
    ? Result.succeed(value.normalize("NFC"))
    : Result.fail("must have at most 100 characters on one line, without control characters")

/** Several processes share a port, which only Linux balances. */
export const processes = (value: string): Result.Result<number, string> => {
  const count = value === "auto" ? Math.min(availableParallelism(), maximumProcesses) : Number(value)
  if (value !== "auto" && !(/^\d{1,2}$/.test(value) && count >= 1 && count <= maximumProcesses)) {
    return Result.fail(`must be auto, or a number from 1 to ${maximumProcesses}, not "${value}"`)
  }
  return count > 1 && platform !== "linux"
    ? value === "auto" ? Result.succeed(1) : Result.fail("must be 1 on this system: several processes need Linux")
    : Result.succeed(count)
}

/** An address, or the name of a host. */
export const hostName = (value: string): Result.Result<string, string> =>
  /^[A-Za-z0-9._:%-]+$/.test(value)
    ? Result.succeed(value)
    : Result.fail(`must be an address or a host name, not "${value}"`)

/** The place of the latest checkpoint. A URL may carry a secret in its query, which is never shown. */
export type WitnessAddress = { readonly path: string } | { readonly url: Redacted.Redacted }

/** Whether the name of a host in a URL is this machine. */
export const isLoopback = (hostname: string): boolean =>
  hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname)

/** A file, or a URL of another machine. */
export const witness = (value: string): Result.Result<WitnessAddress, string> => {
  if (value.startsWith("/")) return Result.succeed({ path: value })
  const url = URL.canParse(value) ? new URL(value) : undefined
  const isAllowed = url !== undefined && url.username === "" && url.password === "" && url.hash === "" &&
    (url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname)))
  return isAllowed
    ? Result.succeed({ url: Redacted.make(url.href, { label: "COUNTERSIGN_WITNESS" }) })
    : Result.fail("must be an absolute path, or an https URL without user, password or fragment")
}

/** As many as the connections of the embedded database allow. */
const maximumProcesses = 8

const logLevels = { error: "Error", warn: "Warn", info: "Info", debug: "Debug" } as const

/** A log level. */
export const logLevel = (value: string): Result.Result<LogLevel.LogLevel, string> =>
  Result.map(oneOf("error", "warn", "info", "debug")(value), (level) => logLevels[level])
