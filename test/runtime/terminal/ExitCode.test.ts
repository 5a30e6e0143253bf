import { assert, describe, it } from "@effect/vitest"
import { Cause, Data } from "effect"
import { SqlError } from "effect/sql"
import { AlreadySaid, Away, exitCodeOf, Found, WrongUsage } from "../../../src/runtime/terminal/ExitCode.ts"
import { MasterKeyMismatch } from "../../../src/services/keys/security/DataKeys.ts"
import { runCommand } from "../../fixtures/CommandLine.ts"

class SaysNothing extends Data.TaggedError("SaysNothing")<{ readonly message: string }> {}

const why = { cause: new Error("no"), message: "no" }
const away = new SqlError.SqlError({ reason: new SqlError.ConnectionError(why) })
const mistaken = new SqlError.SqlError({ reason: new SqlError.SqlSyntaxError(why) })

describe("the exit code", () => {
  const message = "It is so."
  it.each<readonly [string, Cause.Cause<unknown>, number | undefined]>([
    ["what was found", Cause.fail(new Found({ message })), 1],
    ["what was found and printed", Cause.fail(new AlreadySaid({ message })), 1],
    ["a failure that says nothing of it", Cause.fail(new SaysNothing({ message })), 1],
    ["wrong usage", Cause.fail(new WrongUsage({ message })), 2],
    ["a master key of another database", Cause.fail(new MasterKeyMismatch({ message })), 2],
    ["a service that is away", Cause.fail(new Away({ message })), 3],
    ["a database that went away", Cause.fail(away), 3],
    ["a database that went away in the middle", Cause.die(away), 3],
    ["a mistake in a statement", Cause.die(mistaken), 70],
    ["a mistake in the program", Cause.die(new TypeError("undefined is not a function")), 70],
    ["an interruption, which the platform decides", Cause.interrupt(1), undefined]
  ])("tells %s", (_, cause, code) => {
    assert.strictEqual(exitCodeOf(cause), code)
  })
})

describe("arguments that make no sense", () => {
  it.each([
    [["renew"], "Unknown subcommand \"renew\""],
    [["doctor", "--nope"], "Unrecognized flag: --nope"],
    [["keys", "revoke"], "Missing required argument: kid"],
    [["verify", "events", "file"], "Missing required flag: --keys"],
    [["restore", "--after", "yesterday"], "yesterday"],
    [["archive", "write", "/dev/null/none", "--events-in-file", "0"], "must be 1 or more, not 0"]
  ])("%j are told in a few lines of standard error, and exit 2", async (args, problem) => {
    const ended = await runCommand(args, { COUNTERSIGN_DATA_DIR: "/dev/null/none" })
    assert.strictEqual(`${ended.status} ${ended.output}`, "2 ", ended.errors)
    assert.include(ended.errors, problem)
    assert.isAtMost(ended.errors.trim().split("\n").length, 4, ended.errors)
  })

  it("are seen before anything else: flags that must be given are marked in the help", async () => {
    const help = await runCommand(["verify", "events", "--help"])
    assert.strictEqual(help.status, 0)
    assert.match(help.output, /--keys string .* \(required\)$/m)
    assert.notMatch(help.output, /--archive string .* \(required\)$/m)
  })
})
