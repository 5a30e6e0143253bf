import { Effect, Option, Result } from "effect"
import { Command, Flag } from "effect/cli"
import * as Fs from "node:fs"
import { readVerifierKey, writeVerifierKey } from "../../../domain/evidence/transparency/VerifierKey.ts"
import type { KnownLog } from "../../../domain/evidence/witnessing/Cosigning.ts"
import { Cryptography } from "../../../services/ground/platform/Cryptography.ts"
import * as NodeCryptography from "../../node/NodeCryptography.ts"
import { WrongUsage } from "../../terminal/ExitCode.ts"
import { printNotice, printText } from "../../terminal/Printing.ts"
import { makeCosigner, openWitnessKey, serveWitness } from "../../witness/Cosigner.ts"
import { openWitnessState } from "../../witness/WitnessState.ts"

const flags = {
  key: Flag.String("key").pipe(
    Flag.withMetavar("file"),
    Flag.withDescription("File with the key of the witness; made at the first start"),
    Flag.withDefault("witness.key")
  ),
  name: Flag.String("name").pipe(
    Flag.withMetavar("name"),
    Flag.withDescription("Name of the witness in its signatures, for a new key: as witness.example.com/acme"),
    Flag.optional
  ),
  state: Flag.String("state").pipe(
    Flag.withMetavar("file"),
    Flag.withDescription("File with the latest checkpoint of each log that was cosigned"),
    Flag.withDefault("witness.state")
  ),
  newState: Flag.Boolean("new-state").pipe(
    Flag.withDescription("Begin without a state although the key has been used"),
    Flag.withDefault(false)
  ),
  log: Flag.String("log").pipe(
    Flag.withMetavar("key"),
    Flag.withDescription("Verifier key of a log to witness; may be given again"),
    Flag.atLeast(0)
  ),
  logs: Flag.String("logs").pipe(
    Flag.withMetavar("file"),
    Flag.withDescription("File with verifier keys of logs, one a line; it is read again for each request"),
    Flag.optional
  ),
  listen: Flag.String("listen").pipe(
    Flag.withMetavar("address"),
    Flag.withDescription("Address and port to listen on; port 0 takes a free one"),
    Flag.withDefault("127.0.0.1:8090")
  )
}

const wrong = (message: string) => new WrongUsage({ message })

/** The key of a log, `<key>`, or with the first line of its checkpoints before it where that is not the key's name. */
const logOf = (text: string) =>
  Effect.map(Cryptography, ({ sha256 }): Result.Result<KnownLog, string> => {
    const [first = "", second] = text.trim().split(/ +/)
    const key = readVerifierKey(second ?? first, sha256)
    return key === undefined
      ? Result.fail(`not the verifier key of a log: ${text}`)
      : Result.succeed({ origin: second === undefined ? key.name : first, key })
  })

const logsIn = (lines: ReadonlyArray<string>) =>
  Effect.flatMap(
    Effect.forEach(lines.filter((line) => !/^\s*(#|$)/.test(line)), logOf),
    (read) => Effect.mapError(Effect.fromResult(Result.all(read)), wrong)
  )

const fileLines = (path: string) =>
  Effect.try({
    try: () => Fs.readFileSync(path, "utf8").split("\n"),
    catch: (cause) => wrong(`--logs cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`)
  })

const addressOf = (text: string) => {
  const [, host = "", port = ""] = /^\[?([^\]]+)\]?:(\d{1,5})$/.exec(text) ?? []
  return host === "" || Number(port) > 65_535
    ? Effect.fail(wrong(`--listen must be an address and a port, not "${text}". As 127.0.0.1:8090`))
    : Effect.succeed({ host, port: Number(port) })
}

/** The logs as of the last time when their file could be read: one that is being edited stops no log. */
const readLogs = Effect.fnUntraced(function*(given: ReadonlyArray<string>, file: string | undefined) {
  const crypto = yield* Cryptography
  const read = Effect.gen(function*() {
    return yield* logsIn([...given, ...(file === undefined ? [] : yield* fileLines(file))])
  }).pipe(Effect.provideService(Cryptography, crypto))
  let known = yield* read
  if (known.length === 0 && file === undefined) {
    return yield* wrong("Give the key of a log: --log, or --logs with a file")
  }
  return Effect.tap(read, (logs) => Effect.sync(() => (known = logs))).pipe(
    Effect.catch(({ message }) => Effect.as(Effect.logWarning(`${message}. The logs are those of before`), known))
  )
})

/** `countersign witness`: cosigns the checkpoints of logs that only ever append (C2SP tlog-witness). */
export const witness = Command.make("witness", flags, (input) =>
  Effect.gen(function*() {
    const { sha256 } = yield* Cryptography
    const address = yield* addressOf(input.listen)
    const logs = yield* readLogs(input.log, Option.getOrUndefined(input.logs))
    const key = yield* openWitnessKey(input.key, Option.getOrUndefined(input.name))
    const state = yield* openWitnessState(input.state, key.isNew || input.newState)
    const port = yield* serveWitness(yield* makeCosigner(key, state, logs), address)
    yield* printText(writeVerifierKey(key.verifier, sha256))
    const host = address.host.includes(":") ? `[${address.host}]` : address.host
    yield* printNotice(`The witness ${key.verifier.name} listens on http://${host}:${port}`)
    return yield* Effect.never
  }).pipe(Effect.scoped, Effect.provide(NodeCryptography.layer))).pipe(
    Command.withExamples([{
      command: "countersign witness --name witness.example.com/acme --logs logs.txt --listen 0.0.0.0:8090",
      description: "For the logs of a file; the first start makes the key"
    }])
  )
