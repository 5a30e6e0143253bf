import { pdfDate, putAttachment } from "./file/attachment.ts"
import type { Attachment } from "./file/attachment.ts"
import { ByteBuffer } from "./file/ByteBuffer.ts"
import { putPng } from "./file/image.ts"
import type { PdfImage } from "./file/image.ts"
import { metadataOf } from "./file/metadata.ts"
import type { DocumentInfo } from "./file/metadata.ts"
import { PdfFile } from "./file/PdfFile.ts"
import { ink, PdfPages } from "./file/PdfPages.ts"
import type { PageSize } from "./file/PdfPages.ts"
import { num, pdfText } from "./file/pdfText.ts"
import type { TextSetter } from "./text/TextSetter.ts"

/** What a form shows. `y` counts from the lower edge of the page. */
export interface FormContent {
  readonly text: (text: string, x: number, y: number, size: number, grey?: number) => void
  readonly rule: (x: number, y: number, width: number, grey?: number) => void
}

/**
 * A tagged document: its pages, and what they share. `take` answers the bytes that are ready; what is on a page is kept
 * until it ends, and of a page that has ended a number alone.
 */
export class PdfDocument {
  readonly pages: PdfPages
  private readonly setter: TextSetter
  private readonly file = new PdfFile()
  /** The numbers of forms and images, by name. */
  private readonly shared = new Map<string, number>()
  /** The entries of the catalog for the file that is attached. */
  private attached = ""

  /** `forms` are the names of those that pages show (`pages.form`) and that are written later. */
  constructor(setter: TextSetter, size: PageSize, forms: ReadonlyArray<string> = []) {
    this.setter = setter
    for (const name of forms) this.shared.set(name, this.file.reserve())
    this.pages = new PdfPages(this.file, size)
  }

  /** Adds a PNG, which pages show by its name (`pages.image`). Throws for what is no PNG. */
  image(name: string, png: Uint8Array): PdfImage {
    const image = putPng(this.file, png)
    this.shared.set(name, image.number)
    return image
  }

  /** Writes a form that pages show already, such as one that says how many there are. */
  form(name: string, draw: (content: FormContent) => void): void {
    const { height, width } = this.pages.size
    const content = new ByteBuffer()
    const next = () => content.length === 0 ? content : content.text("\n")
    draw({
      text: (text, x, y, size, grey = ink.text) => {
        const line = this.setter.line(text)
        next().text(`BT ${num(grey)} g ${num(size)} 0 0 ${num(size)} ${num(x)} ${num(y)} Tm `)
        line.write(content, "")
        content.text(" ET")
      },
      rule: (x, y, width, grey = ink.rule) =>
        next().text(`${num(grey)} G 0.4 w ${num(x)} ${num(y)} m ${num(x + width)} ${num(y)} l S`)
    })
    this.file.stream(
      `/Type/XObject/Subtype/Form/BBox[0 0 ${num(width)} ${num(height)}]/Resources ${this.pages.resources} 0 R`,
      content.view(),
      this.shared.get(name)
    )
  }

  /** Attaches a file, one at most: readers list it, and its bytes are inside the document. */
  attach(attachment: Attachment): void {
    this.attached = putAttachment(this.file, attachment)
  }

  /** What was written since the last time. */
  take(): Promise<ReadonlyArray<Uint8Array>> {
    return this.file.take()
  }

  /** Embeds the fonts and ends the file. */
  async end({ author, createdAt, id, producer, title }: DocumentInfo): Promise<void> {
    const { file, pages, shared } = this
    const fonts = await this.setter.fonts.embed(file)
    const objects = [...shared].map(([name, number]) => `/${name} ${number} 0 R`).join("")
    file.put(`<</Font<<${fonts}>>/XObject<<${objects}>>>>`, pages.resources)
    const metadata = file.stream("/Type/Metadata/Subtype/XML", metadataOf({ author, createdAt, producer, title }))
    const info = file.put(
      `<</Title${pdfText(title)}${author === undefined ? "" : `/Author${pdfText(author)}`}/Producer(${producer})` +
        `/CreationDate${pdfDate(createdAt)}>>`
    )
    await file.end(pages.finish(metadata, this.attached), info, id)
  }
}
