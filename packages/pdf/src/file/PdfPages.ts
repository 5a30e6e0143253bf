import type { TextLine } from "../text/TextSetter.ts"
import { ByteBuffer } from "./ByteBuffer.ts"
import type { PdfFile } from "./PdfFile.ts"
import { num } from "./pdfText.ts"

/** An element of the document's structure (ISO 32000-1 section 14.7): screen readers follow it instead of the page. */
export interface Element {
  readonly kind: string
  readonly number: number
  readonly parent: number
  /** The numbers of its members. */
  readonly kids: Array<number>
}

/** Shades of grey, from 0 for black. */
export const ink = { text: 0.13, faint: 0.42, rule: 0.82, shade: 0.94 } as const

/** How many pages a node holds, both in the page tree and in the tree that leads from pages to their elements. */
const branch = 64

const references = (numbers: ReadonlyArray<number>): string => numbers.map((number) => `${number} 0 R`).join(" ")

/** The size of a page in points. */
export interface PageSize {
  readonly width: number
  readonly height: number
}

/**
 * The pages of a document and their structure, written as they fill: only the number of a finished page stays
 * in memory. `y` counts from the top of the page.
 */
export class PdfPages {
  readonly size: PageSize
  /** The object that holds the fonts, written at the end. */
  readonly resources: number
  readonly root: number
  readonly document: Element
  private readonly file: PdfFile
  private readonly tree: number
  /** The nodes of both trees: those of pages, and those of what is marked on them. */
  private readonly branches: Array<number> = []
  private readonly parentBranches: Array<number> = []
  private pages: Array<number> = []
  private parents: Array<number> = []
  private node = 0
  private ended = 0
  private readonly content = new ByteBuffer()
  private marked: Array<number> = []
  private page = 0
  private grey = -1
  private font = ""

  constructor(file: PdfFile, size: PageSize) {
    this.file = file
    this.size = size
    this.resources = file.reserve()
    this.tree = file.reserve()
    this.root = file.reserve()
    this.document = { kind: "Document", number: file.reserve(), parent: this.root, kids: [] }
  }

  get count(): number {
    return this.ended + this.pages.length
  }

  /** Begins a page. */
  begin(): void {
    if (this.pages.length === 0) this.node = this.file.reserve()
    this.page = this.file.reserve()
    this.pages.push(this.page)
    this.content.clear()
    this.marked = []
    this.grey = -1
    this.font = ""
  }

  /** Begins an operator. */
  private next(): ByteBuffer {
    return this.content.length === 0 ? this.content : this.content.text("\n")
  }

  /** Ends the page and writes it. */
  end(): void {
    const content = this.file.stream("", this.content.view())
    const key = this.count - 1
    this.parents.push(this.file.putList("[", this.marked, "]"))
    this.file.put(
      `<</Type/Page/Parent ${this.node} 0 R/MediaBox[0 0 ${num(this.size.width)} ${num(this.size.height)}]` +
        `/Resources ${this.resources} 0 R/Contents ${content} 0 R/StructParents ${key}/Tabs/S>>`,
      this.page
    )
    if (this.pages.length === branch) this.endBranch()
  }

  private endBranch(): void {
    const { ended, pages, parents } = this
    if (pages.length === 0) return
    this.pages = []
    this.parents = []
    this.ended += pages.length
    this.file.put(
      `<</Type/Pages/Parent ${this.tree} 0 R/Count ${pages.length}/Kids[${references(pages)}]>>`,
      this.node
    )
    this.branches.push(this.node)
    const pairs = parents.map((number, index) => `${ended + index} ${number} 0 R`).join(" ")
    this.parentBranches.push(this.file.put(`<</Limits[${ended} ${this.ended - 1}]/Nums[${pairs}]>>`))
  }

  /** An element that holds others; `close` writes it. */
  open(kind: string, parent: Element): Element {
    return { kind, number: this.file.reserve(), parent: parent.number, kids: [] }
  }

  close(element: Element, parent: Element): void {
    this.write(element)
    parent.kids.push(element.number)
  }

  private write({ kids, kind, number, parent }: Element): void {
    this.file.putList(`<</S/${kind}/P ${parent} 0 R/K[`, kids, "]>>", number)
  }

  /** Tags what `draw` shows as an element of its own; `attributes` are further entries of the element. */
  mark(kind: string, parent: Element, draw: () => void, attributes = ""): void {
    const identifier = this.marked.length
    const number = this.file.reserve()
    this.marked.push(number)
    this.next().text("/").text(kind).text("<</MCID ").integer(identifier).text(">>BDC")
    draw()
    this.next().text("EMC")
    this.file.begin(number).text("<</S/").text(kind).text("/P ").integer(parent.number).text(" 0 R/Pg ")
      .integer(this.page).text(" 0 R/K ").integer(identifier).text(attributes).text(">>")
    this.file.finish()
    parent.kids.push(number)
  }

  /** An element that shows nothing, such as an empty cell. */
  blank(kind: string, parent: Element): void {
    parent.kids.push(this.file.put(`<</S/${kind}/P ${parent.number} 0 R>>`))
  }

  /** Marks what `draw` shows as decoration that screen readers skip: rules, running heads, page numbers. */
  artifact(draw: () => void, kind = "Layout"): void {
    this.next().text(`/Artifact<</Type/${kind}>>BDC`)
    draw()
    this.next().text("EMC")
  }

  /** A line of text; `x` is its left end, `y` its baseline. */
  text(line: TextLine, x: number, y: number, size: number, grey: number = ink.text): void {
    // Font and shade are written only where they change: most of a page has one of each.
    const content = this.next().text("BT ")
    if (grey !== this.grey) content.number(grey).text(" g ")
    content.number(size).text(" 0 0 ").number(size).text(" ").number(x).text(" ").number(this.size.height - y).text(
      " Tm "
    )
    line.write(content, this.font)
    content.text(" ET")
    this.grey = grey
    this.font = line.last
  }

  fill(x: number, y: number, width: number, height: number, color: string): void {
    this.grey = -1
    this.next().text(`${color} ${num(x)} ${num(this.size.height - y - height)} ${num(width)} ${num(height)} re f`)
  }

  rule(x: number, y: number, width: number, grey: number = ink.rule): void {
    const from = this.size.height - y
    this.next().number(grey).text(" G 0.4 w ").number(x).text(" ").number(from).text(" m ").number(x + width).text(" ")
      .number(from).text(" l S")
  }

  /** Shows an image of the resources; `x` and `y` are its left upper corner. */
  image(name: string, x: number, y: number, width: number, height: number): void {
    this.next().text(
      `q ${num(width)} 0 0 ${num(height)} ${num(x)} ${num(this.size.height - y - height)} cm /${name} Do Q`
    )
  }

  /** Shows a form that is written later. */
  form(name: string, x = 0, y = this.size.height): void {
    this.next().text(`q 1 0 0 1 ${num(x)} ${num(this.size.height - y)} cm /${name} Do Q`)
  }

  /** Writes the page tree, the structure and the catalog; answers the catalog's number. */
  finish(metadata: number, attached: string): number {
    this.endBranch()
    this.file.put(`<</Type/Pages/Count ${this.count}/Kids[${references(this.branches)}]>>`, this.tree)
    this.write(this.document)
    const parents = this.file.put(`<</Kids[${references(this.parentBranches)}]>>`)
    this.file.put(
      `<</Type/StructTreeRoot/K ${this.document.number} 0 R/ParentTree ${parents} 0 R/ParentTreeNextKey ${this.count}>>`,
      this.root
    )
    return this.file.put(
      `<</Type/Catalog/Pages ${this.tree} 0 R/StructTreeRoot ${this.root} 0 R/MarkInfo<</Marked true>>/Lang(en)` +
        `/ViewerPreferences<</DisplayDocTitle true>>/Metadata ${metadata} 0 R${attached}>>`
    )
  }
}
