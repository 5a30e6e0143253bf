// Archives as the service writes them, and as other programs do.
import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { verifyFiles } from "../../../src/client/evidence/verifyFiles.ts"
import { Unpackable, zipEntries } from "../../../src/client/files/unpacked.ts"
import { plainSha256 } from "../../../src/client/hashing/plainSha256.ts"
import { zipArchive } from "../../../src/domain/evidence/exports/ZipArchive.ts"
import { temporaryDirectory } from "../../fixtures/Program.ts"
import { lendingPython } from "../../fixtures/Python.ts"

const contents = new Map([
  ["usage.csv", Buffer.from("a,b\r\n1,2\r\n")],
  ["Übersicht 東京.json", Buffer.from("{}")],
  ["empty.txt", Buffer.alloc(0)],
  ["block.bin", Buffer.alloc(0xffff, 7)],
  ["large.bin", Buffer.from(Array.from({ length: 200_001 }, (_, index) => index % 251))]
])

/** An archive of these files, whose contents come in pieces of this size. */
const archived = (pieceSize: number, largeFrom?: number): Buffer => {
  const files = [...contents].map(([name, { length }]) => ({ name, size: length }))
  const archive = zipArchive(files, "2026-11-28T10:30:42.000Z", largeFrom)
  const written: Array<Uint8Array> = []
  for (const content of contents.values()) {
    const { add, head, tail } = archive.next()
    written.push(head)
    for (let at = 0; at < content.length; at += pieceSize) written.push(add(content.subarray(at, at + pieceSize)))
    written.push(tail())
  }
  const bytes = Buffer.concat([...written, archive.end()])
  assert.strictEqual(bytes.length, archive.size)
  return bytes
}

const read = async (bytes: Uint8Array) =>
  (await zipEntries(bytes)).map(({ bytes, name }) => [name, Buffer.from(bytes).toString("hex")])

const expected = [...contents].map(([name, bytes]) => [name, bytes.toString("hex")])

const refusal = async (bytes: Uint8Array): Promise<string> => {
  try {
    await zipEntries(bytes)
  } catch (error) {
    if (error instanceof Unpackable) return error.message
    throw error
  }
  return "read"
}

const python = (script: string, ...args: ReadonlyArray<string>): string =>
  execFileSync(lendingPython!.command, ["-c", script, ...args], {
    encoding: "utf8",
    env: { ...process.env, ...lendingPython!.env }
  })

describe("an archive", () => {
  it("has the same bytes however its files were cut, and gives them back", async () => {
    const bytes = archived(1_000_000)
    for (const size of [977, 65_535]) assert.isTrue(archived(size).equals(bytes), String(size))
    assert.deepStrictEqual(await read(bytes), expected)
  })

  it("is refused where a part of it is missing, changed or sealed", async () => {
    const bytes = archived(65_536)
    assert.include(await refusal(bytes.subarray(0, -1)), "a part of it is missing")
    assert.include(await refusal(bytes.subarray(1)), "cannot be read")
    const changed = Buffer.from(bytes)
    changed[changed.indexOf("1,2\r\n")]! ^= 1
    assert.strictEqual(await refusal(changed), "is damaged in usage.csv")
    const sealed = Buffer.from(bytes)
    sealed[sealed.indexOf("PK\u0001\u0002") + 8]! |= 1
    assert.strictEqual(await refusal(sealed), "is encrypted")
    const twice = Buffer.from(bytes.toString("latin1").replaceAll("block.bin", "large.bin"), "latin1")
    assert.strictEqual(await refusal(twice), "has two files of one name")
    assert.include(await refusal(archived(65_536, 1)), "too large")
  })

  it("is refused where two programs could read different files in it", async () => {
    const bytes = archived(65_536)
    const latin = bytes.toString("latin1")
    const directory = latin.indexOf("PK\u0001\u0002")
    const renamed = (name: string, where: (text: string) => string = (text) => text.replaceAll("usage.csv", name)) =>
      Buffer.from(where(latin), "latin1")
    /** More bytes where the directory begins, which moves by as many. */
    const inserted = (more: Buffer) => {
      const all = Buffer.concat([bytes.subarray(0, directory), more, bytes.subarray(directory)])
      all.writeUInt32LE(directory + more.length, all.length - 6)
      return all
    }
    const twoWays: ReadonlyArray<Buffer> = [
      ...[
        "usage\0csv",
        "usage\tcsv",
        "./age.csv",
        "../ge.csv",
        "/sage.csv",
        "a//ge.csv",
        "usage\\csv",
        "u:age.csv",
        "usage.cs."
      ]
        .map((name) => renamed(name)),
      // The entry itself has another name than the directory, or the other way round.
      renamed("", (text) => text.replace("usage.csv", "other.csv")),
      renamed("", (text) => text.slice(0, directory) + text.slice(directory).replace("usage.csv", "other.csv")),
      // An entry that no directory names, and bytes of nothing.
      inserted(bytes.subarray(0, bytes.indexOf("PK\u0003\u0004", 4))),
      inserted(Buffer.alloc(1))
    ]
    for (const [index, one] of twoWays.entries()) {
      assert.strictEqual(await refusal(one), "can be read in two ways", String(index))
    }
    for (const name of ["LARGE.BIN", "Large.bin"]) {
      const folded = Buffer.from(latin.replaceAll("block.bin", name), "latin1")
      assert.strictEqual(await refusal(folded), "has two files of one name", name)
    }
  })

  it("of something else is told from an export", async () => {
    const trust = {
      publicKeys: [],
      revokedKeys: [],
      witnesses: [],
      quorum: 0,
      licenseKey: undefined,
      fingerprint: undefined,
      now: 0,
      sha256: plainSha256
    }
    const about = async (bytes: Uint8Array) => {
      const [report] = await verifyFiles([{ name: "a.zip", bytes }], trust)
      return report!.findings[0]!.text
    }
    const archive = zipArchive([{ name: "xl/workbook.xml", size: 1 }], "2026-11-28T10:30:42.000Z")
    const { add, head, tail } = archive.next()
    const workbook = Buffer.concat([head, add(Buffer.from("<")), tail(), archive.end()])
    assert.include(await about(workbook), "A workbook that a spreadsheet program saved does not have the export")
    assert.include(await about(archived(65_536).subarray(0, -9)), "Unpack it, and choose its files.")
  })

  it.skipIf(lendingPython === undefined)("is read and written by others alike, of any size", async () => {
    const directory = temporaryDirectory()
    const [own, large, theirs] = ["own.zip", "large.zip", "theirs.zip"].map((name) => join(directory, name)) as [
      string,
      string,
      string
    ]
    writeFileSync(own, archived(65_536))
    writeFileSync(large, archived(65_536, 1))
    const listing =
      "import hashlib,sys,zipfile\nfor path in sys.argv[1:]:\n z=zipfile.ZipFile(path)\n assert z.testzip() is None\n" +
      " for i in z.infolist(): print(i.filename, hashlib.sha256(z.read(i)).hexdigest(), i.date_time, sep='\\t')"
    const digests = [...contents].map(([name, bytes]) => [name, createHash("sha256").update(bytes).digest("hex")])
    const lines = python(listing, own, large).trimEnd().split("\n").map((line) => line.split("\t"))
    assert.deepStrictEqual(lines.map(([name, content]) => [name, content]), [...digests, ...digests])
    assert.strictEqual(lines[0]![2], "(2026, 11, 28, 10, 30, 42)")
    const writing =
      "import sys,zipfile\no=zipfile.ZipFile(sys.argv[1])\nz=zipfile.ZipFile(sys.argv[2],'w',zipfile.ZIP_DEFLATED)\n" +
      "for i,n in enumerate(o.namelist()): z.writestr(n,o.read(n),zipfile.ZIP_STORED if i%2 else None)\n" +
      "z.writestr('__MACOSX/._usage.csv','x')\nz.mkdir('folder') if hasattr(z,'mkdir') else z.writestr('folder/','')\nz.comment=b'a comment'\nz.close()"
    python(writing, own, theirs)
    assert.deepStrictEqual(await read(readFileSync(theirs)), expected)
  })
})
