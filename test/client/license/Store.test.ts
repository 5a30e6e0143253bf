import { assert, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { existsSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs"
import * as promises from "node:fs/promises"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { fileStore, fingerprint, localStorageStore, memoryStore, openLicense } from "../../../src/client/app/index.ts"
import { root, temporaryDirectory } from "../../fixtures/Program.ts"

const execute = promisify(execFile)
const directory = temporaryDirectory()

describe("a file that holds a license", () => {
  it("has the text before a write or the one after it, and the one before beside it", async () => {
    const path = join(directory, "deep/er/license")
    const store = fileStore(path)
    assert.isUndefined(await store.read())
    await store.write("one")
    await store.write("two")
    assert.deepStrictEqual([await store.read(), await store.readPrevious!()], ["two", "one"])
    assert.strictEqual(statSync(path).mode & 0o777, 0o600)
    assert.sameMembers(readdirSync(join(directory, "deep/er")), ["license", "license.previous"])
  })

  it("is changed by one process after the other", async () => {
    const path = join(directory, "counted")
    const program = `
      const { fileStore } = await import(${JSON.stringify(pathToFileURL(join(root, "src/client/app/index.ts")).href)})
      const store = fileStore(${JSON.stringify(path)})
      for (let turn = 0; turn < 25; turn++) {
        await store.exclusively(async () => store.write(String(Number(await store.read() ?? 0) + 1)))
      }`
    await Promise.all(
      Array.from({ length: 4 }, () => execute(process.execPath, ["--input-type=module", "-e", program]))
    )
    assert.strictEqual(readFileSync(path, "utf8"), "100")
    assert.isFalse(existsSync(`${path}.lock`))
  })

  it("is not locked for ever by a process that was killed", async () => {
    const path = join(directory, "killed")
    writeFileSync(`${path}.lock`, "")
    const longAgo = new Date(Date.now() - 60_000)
    utimesSync(`${path}.lock`, longAgo, longAgo)
    const store = fileStore(path)
    assert.strictEqual(await store.exclusively!(async () => "done"), "done")
    assert.isFalse(existsSync(`${path}.lock`))
  })

  it("is not taken away from whoever took it after a process that was killed, by another that wanted to", async () => {
    const path = join(directory, "contended")
    const lock = `${path}.lock`
    writeFileSync(lock, "")
    const longAgo = new Date(Date.now() - 60_000)
    utimesSync(lock, longAgo, longAgo)
    const looked = Promise.withResolvers<void>()
    const isTaken = Promise.withResolvers<void>()
    const triedAgain = Promise.withResolvers<void>()
    let tries = 0
    /** Of a process that is stopped between looking at the lock and taking it away. */
    const slow = {
      ...promises,
      stat: async (file: string) => {
        const found = await promises.stat(file)
        looked.resolve()
        await isTaken.promise
        return found
      },
      open: (file: string, flags: string, mode: number) => {
        if (file === lock && ++tries > 1) triedAgain.resolve()
        return promises.open(file, flags, mode)
      }
    }
    const inside: Array<string> = []
    const second = fileStore(path, { fs: slow }).exclusively!(async () => void inside.push("second"))
    await looked.promise
    await fileStore(path).exclusively!(async () => {
      isTaken.resolve()
      await triedAgain.promise
      // What it does then takes no more than a turn.
      await new Promise((resolve) => setImmediate(resolve))
      inside.push("first")
      assert.isTrue(existsSync(lock))
    })
    await second
    assert.deepStrictEqual(inside, ["first", "second"])
    assert.isFalse(existsSync(lock))
  })

  it("is not waited for where the lock is from the future, as after the clock was set back", async () => {
    const path = join(directory, "future")
    writeFileSync(`${path}.lock`, "")
    const ahead = new Date(Date.now() + 3_600_000)
    utimesSync(`${path}.lock`, ahead, ahead)
    let isBroken = false
    await fileStore(path).exclusively!(async () => {
      // Who gave up waiting leaves the lock as it was.
      isBroken = statSync(`${path}.lock`).mtimeMs < ahead.getTime() - 60_000
    })
    assert.isTrue(isBroken)
  })

  it("is read where its folder can be neither found nor made", async () => {
    writeFileSync(join(directory, "no-folder"), "")
    const store = fileStore(join(directory, "no-folder/deep/license"))
    assert.strictEqual(await store.exclusively!(async () => "done"), "done")
    const license = await openLicense({
      baseUrl: "http://127.0.0.1:9",
      productCode: "acme-studio",
      publicKeys: [{ kid: "sig_first", algorithm: "Ed25519", public_key: "" }],
      store,
      fingerprint: "machine-1",
      onProblem: () => {}
    })
    assert.strictEqual((await license.check()).reason, "no_license")
  })
})

describe("a browser's storage that holds a license", () => {
  it("keeps the text and the one before, under its name", async () => {
    const kept = new Map<string, string>()
    const storage = {
      getItem: (name: string) => kept.get(name) ?? null,
      setItem: (name: string, text: string) => void kept.set(name, text)
    }
    const store = localStorageStore("mine", storage)
    assert.isUndefined(await store.read())
    await store.write("one")
    await store.write("two")
    assert.deepStrictEqual([...kept], [["mine", "two"], ["mine.previous", "one"]])
    assert.deepStrictEqual([await store.read(), await store.readPrevious!()], ["two", "one"])
  })
})

describe("a fingerprint", () => {
  it("is the same again, another for another product, and tells nobody what the machine is called", async () => {
    const keep = memoryStore()
    const first = await fingerprint({ productCode: "studio", keep })
    assert.match(first, /^[0-9a-f]{64}$/)
    assert.strictEqual(await fingerprint({ productCode: "studio", keep }), first)
    assert.notStrictEqual(await fingerprint({ productCode: "mail", keep }), first)
    const id = existsSync("/etc/machine-id") ? readFileSync("/etc/machine-id", "utf8").trim() : keep.text
    if (id !== undefined) assert.notInclude(first, id)
  })
})
