import { assert, describe, it } from "@effect/vitest"
import { pdfText } from "countersign-pdf"
import { encode } from "fast-png"
import { createHash } from "node:crypto"
import { inflateSync } from "node:zlib"
import { bytesOf, linesDocument, proxyOf, textOf } from "./documentOf.ts"

const digest = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

/** pdf.js says of these operators that an image is painted, and a form begun. */
const [paintImage, beginForm] = [85, 74]

describe("a document", () => {
  it("says what it is: title, author, producer, time, language", async () => {
    const { info } = await (await proxyOf(await linesDocument(["a"]))).getMetadata()
    assert.deepInclude(info as Record<string, unknown>, {
      Title: "Names <& others>",
      Author: "Köln GmbH",
      Producer: "Test",
      CreationDate: "D:20261121103000Z",
      Language: "en",
      PDFFormatVersion: "1.7"
    })
  })

  it("has a file attached that readers list, with its bytes as they were", async () => {
    const content = JSON.stringify({ text: "株式会社".repeat(500) })
    const bytes = await bytesOf(["a"], (document, setter) => {
      document.pages.begin()
      document.pages.mark("P", document.pages.document, () => document.pages.text(setter.line("a"), 40, 48, 10))
      document.pages.end()
      document.attach({
        name: "statement.json",
        description: "Figures (of <all>)",
        mediaType: "application/json",
        bytes: new TextEncoder().encode(content),
        modifiedAt: "2026-11-21T10:30:00.417Z"
      })
    })
    const proxy = await proxyOf(bytes)
    const listed = Object.fromEntries(Object(await proxy.getAttachments()))
    assert.deepInclude(listed["statement.json"], { filename: "statement.json", description: "Figures (of <all>)" })
    const text = Buffer.from(bytes).toString("latin1")
    const found = /\/Type\/EmbeddedFile[^\n]*\/Size (\d+)[^\n]*\/Length (\d+)>>\nstream\n/.exec(text)!
    const start = found.index + found[0].length
    assert.strictEqual(inflateSync(bytes.subarray(start, start + Number(found[2]))).toString(), content)
    assert.strictEqual(Number(found[1]), Buffer.byteLength(content))
    assert.notInclude(Buffer.from(await linesDocument(["a"])).toString("latin1"), "EmbeddedFile")
  })

  it("is the same bytes each time", async () => {
    const texts = ["Łódź", "شركة", "株式会社", "👩‍👩‍👧"]
    assert.strictEqual(digest(await linesDocument(texts)), digest(await linesDocument(texts)))
  })

  it("has more pages than a node of its tree, each with its text and its tags", async () => {
    const count = 150
    const bytes = await bytesOf([], ({ pages }, setter) => {
      for (let page = 1; page <= count; page++) {
        pages.begin()
        pages.mark("P", pages.document, () => pages.text(setter.line(`page ${page}`), 40, 48, 10))
        pages.end()
      }
    })
    const document = await proxyOf(bytes)
    assert.strictEqual(document.numPages, count)
    for (const page of [1, 64, 65, 128, 150]) {
      assert.include(await textOf(bytes, page), `page ${page}`)
      assert.include(JSON.stringify(await (await document.getPage(page)).getStructTree()), "\"role\":\"P\"")
    }
  })

  it("nests its elements as they were opened, and leaves decoration untagged", async () => {
    const bytes = await bytesOf([], ({ pages }, setter) => {
      pages.begin()
      pages.artifact(() => pages.rule(40, 40, 100))
      const table = pages.open("Table", pages.document)
      const row = pages.open("TR", table)
      pages.mark("TD", row, () => pages.text(setter.line("cell"), 40, 60, 10))
      pages.blank("TD", row)
      pages.close(row, table)
      pages.close(table, pages.document)
      pages.end()
    })
    interface Node {
      readonly role?: string
      readonly children?: ReadonlyArray<Node>
    }
    const roles = ({ children, role }: Node): unknown =>
      role === undefined || children === undefined ? role ?? [] : [role, ...children.map(roles)]
    const tree = await (await (await proxyOf(bytes)).getPage(1)).getStructTree()
    assert.deepStrictEqual(roles(tree as Node), ["Root", ["Document", ["Table", ["TR", ["TD", []], ["TD"]]]]])
  })

  it("shows on every page a form that is written at the end", async () => {
    const bytes = await bytesOf([], (document, setter) => {
      const { pages } = document
      for (const text of ["first", "second"]) {
        pages.begin()
        pages.text(setter.line(text), 40, 48, 10)
        pages.form("Total")
        pages.end()
      }
      document.form("Total", ({ rule, text }) => {
        rule(40, 53, 100)
        text(`${pages.count} in all`, 40, 42, 7)
      })
    }, ["Total"])
    for (const page of [1, 2]) assert.include(await textOf(bytes, page), "2 in all")
    const { fnArray } = await (await (await proxyOf(bytes)).getPage(2)).getOperatorList()
    assert.lengthOf(fnArray.filter((operator) => operator === beginForm), 1)
  })

  const [width, height] = [40, 10]
  const image = (channels: 1 | 2 | 3 | 4, depth: 8 | 16) => {
    const length = width * height * channels
    const data = depth === 8
      ? Uint8Array.from({ length }, (_, at) => at)
      : Uint16Array.from({ length }, (_, at) => at * 257)
    return encode({ width, height, channels, depth, data })
  }
  it.each([
    ["grey", image(1, 8)],
    ["grey and transparent", image(2, 8)],
    ["RGB", image(3, 8)],
    ["RGB of 16 bits and transparent", image(4, 16)]
  ])("shows an image in %s, with what is said instead of it", async (_, png) => {
    const bytes = await bytesOf([], (document) => {
      const { pages } = document
      assert.deepInclude(document.image("Logo", png), { width, height })
      pages.begin()
      pages.mark("Figure", pages.document, () => pages.image("Logo", 40, 40, width, height), `/Alt${pdfText("Ours")}`)
      pages.end()
    })
    const page = await (await proxyOf(bytes)).getPage(1)
    assert.lengthOf((await page.getOperatorList()).fnArray.filter((operator) => operator === paintImage), 1)
    assert.include(JSON.stringify(await page.getStructTree()), "\"alt\":\"Ours\"")
  })

  it("takes no image that is none", async () => {
    const refused = await bytesOf([], (document) => document.image("Logo", new Uint8Array(20))).then(
      () => "taken",
      () => "refused"
    )
    assert.strictEqual(refused, "refused")
  })
})
