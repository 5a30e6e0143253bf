import { assert, describe, it } from "@effect/vitest"
import {
  edgeOf,
  edgePositions,
  grow,
  lastTileLevel,
  readTile,
  tilesBefore
} from "../../../../src/domain/evidence/transparency/MerkleTiles.ts"
import type { Tile } from "../../../../src/domain/evidence/transparency/MerkleTiles.ts"
import { Frontier } from "../../../../src/domain/evidence/transparency/MerkleTree.ts"
import {
  endOf,
  entryBundle,
  fullEndOf,
  longestEntry,
  partOf,
  readTileLevel,
  readTileName,
  storedTilesOf
} from "../../../../src/domain/evidence/witnessing/TiledLog.ts"
import { sha256 } from "../../../fixtures/NaiveTree.ts"
import { someOf } from "../../../fixtures/Share.ts"
import { indexPath, TileMonitor } from "../../../fixtures/TileMonitor.ts"
import type { SeenCheckpoint } from "../../../fixtures/TileMonitor.ts"

const leafTextAt = (index: number): string => `{"sequence":${index + 1}}`

/** A log in memory, kept in tiles of 16 and read in tiles of 256. */
class TiledLog {
  readonly tiles = new Map<string, Tile>()
  private readonly frontier = new Frontier(sha256)
  size = 0
  readonly leaves: Array<Uint8Array> = []

  append(count: number): SeenCheckpoint {
    const added = Array.from({ length: count }, (_, at) => sha256(`\0${leafTextAt(this.size + at)}`))
    const edge = edgeOf(
      this.size,
      edgePositions(this.size).map(({ index, level }) => this.tiles.get(`${level}/${index}`)!)
    )
    for (const tile of grow(edge, this.size, added, sha256).tiles) this.tiles.set(`${tile.level}/${tile.index}`, tile)
    for (const hash of added) this.frontier.append(hash)
    this.leaves.push(...added)
    this.size += count
    return { size: this.size, root: this.frontier.root() }
  }

  /** Drops what a drop of the leaves before a place deletes. */
  drop(leaf: number): void {
    for (let level = 0; level <= lastTileLevel(leaf); level++) {
      for (let index = 0; index < tilesBefore(level, leaf); index++) this.tiles.delete(`${level}/${index}`)
    }
  }

  /** A resource, as the service answers it. */
  readonly get = (path: string): Uint8Array | undefined => {
    const [, level = "", name = ""] = /^tile\/([^/]+)\/(.+)$/.exec(path) ?? []
    const named = readTileName(name) ?? assert.fail(path)
    const part = { level: level === "entries" ? 0 : readTileLevel(level) ?? assert.fail(path), ...named }
    const end = endOf(part)
    if (end > this.size) return undefined
    if (level !== "entries") {
      return partOf(part, storedTilesOf(part).flatMap(({ index, level }) => this.tiles.get(`${level}/${index}`) ?? []))
    }
    const bundle = entryBundle(Array.from({ length: part.width }, (_, at) => leafTextAt(end - part.width + at)))
    return "bytes" in bundle ? bundle.bytes : assert.fail(path)
  }
}

/** A log of more leaves than two levels of full tiles hold. */
const sizes = [1, 16, 17, 240, 255, 256, 257, 511, 512, 4096, 65_535, 65_536, 65_537, 65_792, 70_000]

describe("the log as C2SP tlog-tiles reads it", () => {
  it("is followed by a monitor that knows that document alone, through partial and full tiles of three levels", async () => {
    const log = new TiledLog()
    const asked = new Set<string>()
    const monitor = new TileMonitor((path) => {
      asked.add(path)
      return Promise.resolve(log.get(path))
    })
    for (const size of sizes) await monitor.follow(log.append(size - log.size))
    assert.strictEqual(monitor.entries.length, 70_000)
    assert.strictEqual(new TextDecoder().decode(monitor.entries.at(-1)), leafTextAt(69_999))
    // The example of the document: 273 full tiles of level 0 and one of 112, one full tile of level 1 and one of 17, one hash of level 2.
    for (const path of ["0/272", "0/273.p/112", "1/000", "1/001.p/17", "2/000.p/1"]) {
      assert.include(asked, `tile/${path}`)
    }
    assert.isUndefined(log.get("tile/2/000.p/2"))
    assert.isUndefined(log.get("tile/0/273"))
  })

  it("is read by full tiles where partial ones are not there any more", async () => {
    const log = new TiledLog()
    const first = log.append(300)
    log.append(700)
    const monitor = new TileMonitor((path) =>
      Promise.resolve(
        path.includes(".p/") && !path.endsWith("003.p/232") && !path.includes("tile/1/") ? undefined : log.get(path)
      )
    )
    await monitor.follow(first)
    await monitor.follow({ size: log.size, root: rootOf(log) })
    assert.strictEqual(monitor.entries.length, 1000)
  })

  it("has every byte of a tile and of a bundle noticed that is another one", async () => {
    const log = new TiledLog()
    const first = log.append(300)
    const second = log.append(400)
    for (
      const changed of [
        "tile/0/000",
        "tile/0/001.p/44",
        "tile/0/001",
        "tile/0/002.p/188",
        "tile/1/000.p/2",
        "tile/entries/000",
        "tile/entries/002.p/188"
      ]
    ) {
      const size = log.get(changed)!.length
      for (const at of [0, Math.floor(size / 2), size - 1]) {
        const monitor = new TileMonitor((path) => {
          const bytes = log.get(path)
          return Promise.resolve(path === changed ? bytes?.map((byte, index) => index === at ? byte ^ 1 : byte) : bytes)
        })
        const found = await monitor.follow(first).then(() => monitor.follow(second)).then(() => "nothing", String)
        assert.match(found, /^Error: /, `${changed} at ${at}`)
      }
    }
  })

  it.each(someOf("dropped", [16, 4112, 65_552], 1))(
    "keeps whole tiles for all that was not dropped: %i leaves",
    async (dropped) => {
      const log = new TiledLog()
      log.append(66_000)
      log.drop(dropped)
      const checkpoint = log.append(500)
      const minimum = Math.ceil(dropped / 256) * 256
      const monitor = new TileMonitor((path) => Promise.resolve(log.get(path)), minimum)
      await monitor.follow(checkpoint)
      assert.strictEqual(monitor.entries.length, 66_500 - minimum)
      if (dropped > 4096) assert.isUndefined(log.get("tile/0/000"), `dropped ${dropped}`)
    }
  )

  it("gives each part one name", () => {
    for (const index of [0, 1, 255, 999, 1000, 1_234_067, 35_184_372_088_831]) {
      assert.deepStrictEqual(readTileName(indexPath(index)), { index, width: 256 })
      assert.deepStrictEqual(readTileName(`${indexPath(index)}.p/7`), { index, width: 7 })
    }
    const wrong = [
      "",
      "0",
      "00",
      "0000",
      "x000/001",
      "001/002",
      "x01/002",
      "x001",
      "000.p/0",
      "000.p/256",
      "000.p/01",
      "000.p/",
      "000.p",
      "-01",
      "000/",
      "/000",
      "000.p/1/2",
      "x001x002/003",
      "x001/x001/x001/x001/x001/001"
    ]
    for (const name of wrong) assert.isUndefined(readTileName(name), name)
    assert.deepStrictEqual(["0", "9", "10", "63", "64", "00", "01", "-1", "", "x"].map(readTileLevel), [
      0,
      9,
      10,
      63,
      ...Array(6).fill(undefined)
    ])
  })

  it("says of an entry that is too long for a bundle which one it is", () => {
    assert.deepStrictEqual(entryBundle(["a", "x".repeat(longestEntry)]), {
      bytes: Uint8Array.from([0, 1, 97, 255, 255, ...Array(longestEntry).fill(120)])
    })
    assert.deepStrictEqual(entryBundle(["a", "\u00e9".repeat(32_768)]), { tooLong: 1 })
  })

  it("takes a stored tile that is short for nothing", () => {
    const part = { level: 0, index: 0, width: 32 }
    const tile = (index: number, hashes: number): Tile => ({
      level: 0,
      index,
      hashes: readTile(new Uint8Array(32 * hashes).fill(1))
    })
    assert.strictEqual(partOf(part, [tile(0, 16), tile(1, 16)])?.length, 1024)
    assert.isUndefined(partOf(part, [tile(0, 15), tile(1, 16)]))
    assert.isUndefined(partOf(part, [tile(1, 16)]))
    assert.isUndefined(partOf(part, [tile(0, 16), tile(1, 15)]))
    assert.strictEqual(fullEndOf({ ...part, level: 1 }), 65_536)
  })
})

const rootOf = (log: TiledLog): Uint8Array => {
  const frontier = new Frontier(sha256)
  for (const hash of log.leaves) frontier.append(hash)
  return frontier.root()
}
