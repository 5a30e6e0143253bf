import { num } from "./PdfFile.ts"
import type { PdfFile } from "./PdfFile.ts"
import type { TextLine } from "./TextSetter.ts"

/** An element of the document's structure (ISO 32000-1 section 14.7): what readers that do not look at pages follow. */
export interface Element {
  readonly kind: string
  readonly number: number
  readonly parent: number
  readonly kids: Array<string>
}

/** Shades of grey, from 0 for black. */
export const ink = { text: 0.13, faint: 0.42, rule: 0.82, shade: 0.94 } as const

/** The size of a page in points. */
export interface PageSize {
  readonly width: number
  readonly height: number
}

/**
 * The pages of a document and their structure, written as they fill: of a page that is done nothing stays but its
 * number. `y` counts from the top of the page.
 */
export class PdfPages {
  readonly size: PageSize
  /** The object that holds the fonts, written at the end. */
  readonly resources: number
  readonly root: number
  readonly document: Element
  private readonly file: PdfFile
  private readonly tree: number
  private readonly pages: Array<number> = []
  private readonly parents: Array<string> = []
  private content: Array<string> = []
  private marked: Array<string> = []
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
    return this.pages.length
  }

  /** Begins a page. */
  begin(): void {
    this.page = this.file.reserve()
    this.pages.push(this.page)
    this.content = []
    this.marked = []
    this.grey = -1
    this.font = ""
  }

  /** Ends the page and writes it. */
  end(): void {
    const content = this.file.stream("", this.content.join("\n"))
    const key = this.pages.length - 1
    this.parents.push(`${key} ${this.file.put(`[${this.marked.join(" ")}]`)} 0 R`)
    this.file.put(
      `<</Type/Page/Parent ${this.tree} 0 R/MediaBox[0 0 ${num(this.size.width)} ${num(this.size.height)}]` +
        `/Resources ${this.resources} 0 R/Contents ${content} 0 R/StructParents ${key}/Tabs/S>>`,
      this.page
    )
  }

  /** An element that holds others; `close` writes it. */
  open(kind: string, parent: Element): Element {
    return { kind, number: this.file.reserve(), parent: parent.number, kids: [] }
  }

  close(element: Element, parent: Element): void {
    this.write(element)
    parent.kids.push(`${element.number} 0 R`)
  }

  private write({ kids, kind, number, parent }: Element): void {
    this.file.put(`<</Type/StructElem/S/${kind}/P ${parent} 0 R/K[${kids.join(" ")}]>>`, number)
  }

  /** What `draw` shows, as an element of its own. `attributes` are further entries of it. */
  mark(kind: string, parent: Element, draw: () => void, attributes = ""): void {
    const identifier = this.marked.length
    const number = this.file.reserve()
    this.marked.push(`${number} 0 R`)
    this.content.push(`/${kind}<</MCID ${identifier}>>BDC`)
    draw()
    this.content.push("EMC")
    this.file.put(
      `<</Type/StructElem/S/${kind}/P ${parent.number} 0 R/Pg ${this.page} 0 R/K ${identifier}${attributes}>>`,
      number
    )
    parent.kids.push(`${number} 0 R`)
  }

  /** An element that shows nothing, such as an empty cell. */
  blank(kind: string, parent: Element): void {
    parent.kids.push(`${this.file.put(`<</Type/StructElem/S/${kind}/P ${parent.number} 0 R>>`)} 0 R`)
  }

  /** What `draw` shows, for the eye alone: rules, running heads, page numbers. */
  artifact(draw: () => void, kind = "Layout"): void {
    this.content.push(`/Artifact<</Type/${kind}>>BDC`)
    draw()
    this.content.push("EMC")
  }

  /** A line of text; `x` is its left end, `y` its baseline. */
  text(line: TextLine, x: number, y: number, size: number, grey: number = ink.text): void {
    // What a page goes on with need not be said again, and most of a page is one font in one shade.
    const shade = grey === this.grey ? "" : `${num(grey)} g `
    this.grey = grey
    const font = /^\/F\d+ 1 Tf/.exec(line.show)?.[0]
    const isSame = font !== undefined && font === this.font
    this.font = line.font
    this.content.push(
      `BT ${shade}${num(size)} 0 0 ${num(size)} ${num(x)} ${num(this.size.height - y)} Tm ${
        isSame ? line.show.slice(font.length) : line.show
      } ET`
    )
  }

  fill(x: number, y: number, width: number, height: number, color: string): void {
    this.grey = -1
    this.content.push(`${color} ${num(x)} ${num(this.size.height - y - height)} ${num(width)} ${num(height)} re f`)
  }

  rule(x: number, y: number, width: number, grey: number = ink.rule): void {
    const from = num(this.size.height - y)
    this.content.push(`${num(grey)} G 0.4 w ${num(x)} ${from} m ${num(x + width)} ${from} l S`)
  }

  /** Shows a form that is written later. */
  form(name: string, x = 0, y = this.size.height): void {
    this.content.push(`q 1 0 0 1 ${num(x)} ${num(this.size.height - y)} cm /${name} Do Q`)
  }

  /** Writes the page tree, the structure and the catalog; answers the catalog's number. */
  finish(metadata: number): number {
    const kids = this.pages.map((page) => `${page} 0 R`).join(" ")
    this.file.put(`<</Type/Pages/Count ${this.pages.length}/Kids[${kids}]>>`, this.tree)
    this.write(this.document)
    const parents = this.file.put(`<</Nums[${this.parents.join(" ")}]>>`)
    this.file.put(
      `<</Type/StructTreeRoot/K ${this.document.number} 0 R/ParentTree ${parents} 0 R/ParentTreeNextKey ${this.pages.length}>>`,
      this.root
    )
    return this.file.put(
      `<</Type/Catalog/Pages ${this.tree} 0 R/StructTreeRoot ${this.root} 0 R/MarkInfo<</Marked true>>/Lang(en)` +
        `/ViewerPreferences<</DisplayDocTitle true>>/Metadata ${metadata} 0 R>>`
    )
  }
}
