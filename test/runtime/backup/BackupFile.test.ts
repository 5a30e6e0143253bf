import { assert, describe, it } from "@effect/vitest"
import { open, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Readable } from "node:stream"
import { makeBackupWriter, readEntries, readEntry } from "../../../src/runtime/backup/BackupFile.ts"
import { temporaryDirectory } from "../../fixtures/Program.ts"

const directory = temporaryDirectory()
const path = join(directory, "one.backup")

/** An archive of one entry, whose header has another field for its size, with a checksum that fits. */
const withSize = async (field: Buffer): Promise<ReadonlyArray<unknown>> => {
  const written = await open(path, "w+")
  const writer = makeBackupWriter(written, AbortSignal.timeout(10_000))
  await writer.add("tables/one", Readable.from([Buffer.from("content")]))
  await writer.end()
  const header = Buffer.alloc(512)
  await written.read(header, 0, 512, 0)
  field.copy(header, 124)
  header.fill(" ", 148, 156)
  const sum = header.reduce((sum, byte) => sum + byte, 0)
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148)
  await written.write(header, 0, 512, 0)
  try {
    return await readEntries(written)
  } finally {
    await written.close()
  }
}

const wide = (first: number, size: bigint): Buffer => {
  const field = Buffer.alloc(12)
  field.writeBigUInt64BE(size, 4)
  field[0] = first
  return field
}

describe("the sizes of a backup's entries", () => {
  it("are read in octal digits and in base 256", async () => {
    const entries = [{ name: "tables/one", start: 512, size: 7 }]
    assert.deepStrictEqual(await withSize(Buffer.from("00000000007 ")), entries)
    assert.deepStrictEqual(await withSize(wide(0x80, 7n)), entries)
  })

  it.each([
    ["negative", Buffer.from("-0000000512 ")],
    ["negative, so that the next header is this one", Buffer.from("-0000001000 ")],
    ["no number", Buffer.from("size        ")],
    ["a number with something behind it", Buffer.from("7 7         ")],
    ["empty", Buffer.alloc(12)],
    ["negative in base 256", wide(0xff, 0xffff_ffff_ffff_fe00n)],
    ["more than a number holds", wide(0x80, 0xffff_ffff_ffff_ffffn)],
    ["with bytes above its number", Buffer.concat([Buffer.from([0x80, 1, 0, 0]), Buffer.alloc(8)])],
    ["beyond the file", Buffer.from("77777777777 ")]
  ])("are refused where one is %s", async (_, field) => {
    const refused = await withSize(field).then(() => undefined, (error: Error) => error.message)
    assert.match(refused ?? "", /it is no backup|in the middle/)
  })

  it("bound what is read as a text", async () => {
    await writeFile(path, "")
    const file = await open(path)
    const refused = await readEntry(file, { name: "manifest.json", start: 0, size: 2 ** 40 }).catch((error) => error)
    assert.match(refused.message, /is never so long/)
    await file.close()
  })
})
