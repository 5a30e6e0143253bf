import { assert, describe, it } from "@effect/vitest"
import { createHash } from "node:crypto"
import { copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { longestRequest } from "../../../../src/domain/evidence/witnessing/Cosigning.ts"
import { runCommand } from "../../../fixtures/CommandLine.ts"
import { cosignedAt, numberedLog, startWitness } from "../../../fixtures/CosigningWitness.ts"
import { temporaryDirectory } from "../../../fixtures/Program.ts"
import { log as keyLog, vectors } from "../../../vectors/makeLogKeys.ts"

const origin = "licenses.example.com/events/6d1f0a2b3c4d5e6f"
const log = numberedLog(origin, 1)
const directory = temporaryDirectory()
const files = { key: join(directory, "witness.key"), state: join(directory, "witness.state") }
const arguments_ = ["--key", files.key, "--state", files.state, "--name", "witness.example.com/w1"]
let witness = await startWitness(...arguments_, "--log", log.key)
/** What the witness holds to be the log, once it has been shown two. */
let history = log

describe("a witness", () => {
  it("cosigns what continues the checkpoint before, and refuses the rest as the standard says", async () => {
    const first = await witness.add(log.request(0, 5))
    assert.strictEqual(first.status, 200)
    assert.isAtLeast(cosignedAt(log.note(5), first.text, witness.key)!, Date.now() / 1000 - 60)

    const behind = await witness.add(log.request(0, 9))
    assert.deepStrictEqual(behind, { status: 409, type: "text/x.tlog.size", text: "5\n" })
    const statuses = async (...bodies: ReadonlyArray<string>) => {
      const answers = []
      for (const body of bodies) answers.push((await witness.add(body)).status)
      return answers
    }
    const stranger = numberedLog(origin, 2)
    const fork = numberedLog(origin, 1, "another", 3)
    assert.deepStrictEqual(
      await statuses(
        "a shopping list",
        log.request(5, 4),
        log.request(5, 9).replace("old 5", "old 05"),
        log.request(5, 9).replace(/\n[^\n]{44}\n/, "\nnot base64\n"),
        numberedLog("elsewhere.example.com/log", 1).request(0, 5),
        stranger.request(5, 9),
        log.request(5, 9).replace(/(— \S+ \S{8})\S{4}/, "$1AAAA"),
        log.request(5, 9, []),
        fork.request(5, 9),
        fork.request(5, 5)
      ),
      [400, 400, 400, 400, 404, 403, 403, 422, 422, 422]
    )
    assert.strictEqual((await witness.add("x".repeat(longestRequest + 1))).status, 400)
    assert.strictEqual((await witness.add(log.request(5, 9))).status, 200)
    // The same checkpoint again is cosigned as of a later time.
    assert.strictEqual((await witness.add(log.request(9, 9))).status, 200)
  })

  it("serves the checkpoint that it cosigned last, with both signatures", async () => {
    const hash = createHash("sha256").update(origin).digest("hex")
    const served = await (await fetch(`${witness.url}/${hash}/checkpoint`)).text()
    assert.isTrue(served.startsWith(log.note(9)))
    assert.isDefined(cosignedAt(log.note(9), served.slice(log.note(9).length), witness.key))
    assert.strictEqual((await fetch(`${witness.url}/${"0".repeat(64)}/checkpoint`)).status, 404)
  })

  it("cosigns one of two histories that reach it at once", async () => {
    const forks = ["left", "right"].map((branch) => numberedLog(origin, 1, branch, 9))
    const answers = await Promise.all(forks.map((fork) => witness.add(fork.request(9, 12))))
    assert.deepStrictEqual(
      answers.map(({ status }) => status)
        .toSorted(),
      [200, 409]
    )
    const [taken, other] = answers[0]!.status === 200 ? forks : forks.toReversed()
    assert.strictEqual((await witness.add(other!.request(12, 12))).status, 422)
    assert.strictEqual((await witness.add(taken!.request(12, 12))).status, 200)
    history = taken!
  })

  it("keeps what it cosigned through kill -9, and starts on no used key without it", async () => {
    const kept = readFileSync(files.state, "utf8")
    const before = witness.key
    await witness.kill()
    const old = join(directory, "old.state")
    copyFileSync(files.state, old)
    writeFileSync(join(directory, "logs.txt"), `# the logs\n\n${log.key}\n`)
    witness = await startWitness("--key", files.key, "--state", files.state, "--logs", join(directory, "logs.txt"))
    assert.strictEqual(witness.key, before)
    assert.strictEqual(readFileSync(files.state, "utf8"), kept)
    assert.strictEqual((await witness.add(log.request(0, 20))).text, "12\n")

    rmSync(old)
    const start = (...more: ReadonlyArray<string>) =>
      runCommand(["witness", "--listen", "127.0.0.1:0", "--key", files.key, "--log", log.key, ...more])
    const { errors, status } = await start("--state", old)
    assert.strictEqual(status, 2)
    assert.include(errors, "without what it cosigned, a log could show it another history")
    writeFileSync(old, "{}x")
    assert.include((await start("--state", old)).errors, "does not hold the state of a witness")
    assert.include((await start("--name", "another")).errors, "holds the key of witness.example.com/w1, not of another")
  })

  it("cosigns nothing by a state that another process has written", async () => {
    const options = ["--key", files.key, "--state", files.state, "--log", log.key]
    const second = await startWitness(...options)
    assert.strictEqual((await second.add(history.request(12, 14))).status, 200)
    // The first one knows of 12 only, from where this goes on as well.
    assert.strictEqual((await witness.add(history.request(12, 15))).status, 500)
    assert.include(witness.output() + witness.errors(), "was written by another process")
    assert.strictEqual((await second.add(history.request(14, 15))).status, 200)
    await second.kill()
    await witness.kill()
    // A part that was being written when a process was killed is in nobody's way.
    writeFileSync(`${files.state}.part`, "{")
    witness = await startWitness(...options.slice(0, 4), "--logs", join(directory, "logs.txt"))
    assert.strictEqual((await witness.add(history.request(12, 16))).text, "15\n")
    assert.strictEqual((await witness.add(history.request(15, 16))).status, 200)
  })

  it("learns of a log from its file while it runs, and goes by the file of before while that is wrong", async () => {
    const second = numberedLog("licenses.example.org/events/1", 3)
    assert.strictEqual((await witness.add(second.request(0, 2))).status, 404)
    writeFileSync(join(directory, "logs.txt"), `${log.key}\n${second.key}\n`)
    assert.strictEqual((await witness.add(second.request(0, 2))).status, 200)
    writeFileSync(join(directory, "logs.txt"), "half a li")
    assert.strictEqual((await witness.add(second.request(2, 3))).status, 200)
  })

  it("keeps a key that the log introduced through kill -9, and follows it from there", async () => {
    const [one, two] = vectors.cases.find(({ name }) => name === "two in turn")!.proofs
    const logs = ["--state", join(directory, "keys.state"), "--log", keyLog.key]
    const start = (...more: ReadonlyArray<string>) => startWitness("--key", files.key, ...logs, ...more)
    const follower = await start("--new-state")
    const tell = (at: typeof follower, proof: string) =>
      fetch(`${at.url}/add-key-event`, { method: "POST", body: proof })
    assert.strictEqual((await tell(follower, one!)).status, 409)
    assert.strictEqual((await follower.add(keyLog.request(0, 7, ["B"]))).status, 403)
    assert.strictEqual((await follower.add(keyLog.request(0, 7, ["B", "A"]))).status, 200)
    assert.strictEqual((await follower.add(keyLog.request(7, 10, ["C", "B"]))).status, 403)
    assert.strictEqual((await tell(follower, "a shopping list")).status, 400)
    assert.strictEqual((await fetch(`${follower.url}/add-key-event`)).status, 405)
    assert.strictEqual((await tell(follower, one!)).status, 200)
    await follower.kill()
    const again = await start()
    assert.strictEqual((await again.add(keyLog.request(7, 10, ["C", "B"]))).status, 200)
    assert.strictEqual((await again.add(keyLog.request(10, 12, ["C"]))).status, 403)
    const told = await tell(again, two!)
    assert.deepStrictEqual([told.status, await told.text()], [200, "This is known from now on.\n"])
    assert.strictEqual((await again.add(keyLog.request(10, 12, ["C"]))).status, 200)
    await again.kill()
  })
})
