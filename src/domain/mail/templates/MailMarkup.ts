/**
 * The body of a mail: paragraphs with empty lines between them, read into text and HTML. `**bold**`, `[a link](https://...)`
 * and `` `code` `` are all there is inside a line; lines that begin with `- ` are a list. A link or code that is a whole
 * paragraph is shown large: a button, a key. Values are between marks, and nothing in them is read as markup.
 */
import { valueMarks } from "./LiquidSandbox.ts"

/** The look of a mail: the vendor's, as the settings have it. */
export interface MailBrand {
  readonly name: string
  /** The color of links and buttons, as # and six hexadecimal digits. */
  readonly accent: string | undefined
  /** An https address of the vendor's logo: the one picture that a mail may load. */
  readonly logoUrl: string | undefined
}

type Inline =
  | { readonly is: "text" | "bold" | "code"; readonly text: string }
  | { readonly is: "link"; readonly text: string; readonly url: string }

type Block =
  | { readonly is: "paragraph"; readonly lines: ReadonlyArray<ReadonlyArray<Inline>> }
  | { readonly is: "list"; readonly items: ReadonlyArray<ReadonlyArray<Inline>> }
  | { readonly is: "key" | "button"; readonly inline: Inline }

const { begin, end } = valueMarks
const value = `${begin}[^${end}]*${end}`
/** What may stand in a piece of markup: values, and whatever does not end it. */
const within = (ends: string) => `((?:${value}|[^${begin}${ends}])+)`
const pieces = new RegExp(
  [
    `${value}`,
    `\\*\\*${within("*")}\\*\\*`,
    `\\[${within("\\[\\]")}\\]\\(${within("()\\s")}\\)`,
    `\`${within("`")}\``
  ].join("|"),
  "gu"
)

/** A text without the marks around its values. */
const plain = (text: string): string => text.replaceAll(begin, "").replaceAll(end, "")

/** Where a link may lead: beside other hosts, to a service that somebody tries on the machine that he or she sits at. */
export const isMailLink = (url: string): boolean => {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed?.protocol === "http:") return parsed.hostname === "localhost" || parsed.hostname === "127.0.0.1"
  return parsed?.protocol === "https:" || parsed?.protocol === "mailto:"
}

const inlineOf = (line: string): ReadonlyArray<Inline> => {
  const parts: Array<Inline> = []
  let from = 0
  for (const match of line.matchAll(pieces)) {
    const [whole, bold, label, url, code] = match
    if (match.index > from) parts.push({ is: "text", text: line.slice(from, match.index) })
    from = match.index + whole.length
    if (bold !== undefined) parts.push({ is: "bold", text: plain(bold) })
    else if (code !== undefined) parts.push({ is: "code", text: plain(code) })
    else if (label !== undefined && url !== undefined && isMailLink(plain(url))) {
      parts.push({ is: "link", text: plain(label), url: plain(url) })
    } else parts.push({ is: "text", text: plain(whole) })
  }
  if (from < line.length) parts.push({ is: "text", text: line.slice(from) })
  return parts
}

const blockOf = (lines: ReadonlyArray<string>): Block => {
  if (lines.every((line) => line.startsWith("- "))) {
    return { is: "list", items: lines.map((line) => inlineOf(line.slice(2))) }
  }
  const read = lines.map(inlineOf)
  const [only, ...more] = read.flat()
  if (only !== undefined && more.length === 0) {
    if (only.is === "code") return { is: "key", inline: only }
    if (only.is === "link") return { is: "button", inline: only }
  }
  return { is: "paragraph", lines: read }
}

/** The blocks of a body in which every value has its marks. */
const blocksOf = (body: string): ReadonlyArray<Block> =>
  body.split(/\n\s*\n/).map((block) =>
    block.split("\n").map((line) => line.trim()).filter((line) => plain(line) !== "")
  )
    .filter((lines) => lines.length > 0).map(blockOf)

const textOf = (parts: ReadonlyArray<Inline>): string =>
  parts.map((part) => part.is === "link" && part.text !== part.url ? `${part.text}: ${part.url}` : part.text).join("")

const textOfBlock = (block: Block): string => {
  if (block.is === "list") return block.items.map((item) => `- ${textOf(item)}`).join("\n")
  return block.is === "paragraph" ? block.lines.map(textOf).join("\n") : textOf([block.inline])
}

/** The link in the foot of a mail, beneath all that its template says. */
export interface MailFoot {
  readonly label: string
  readonly url: string
}

/** The body as text. */
export const bodyText = (body: string, foot?: MailFoot): string =>
  `${
    [...blocksOf(body).map(textOfBlock), ...(foot === undefined ? [] : [`${foot.label}: ${foot.url}`])].join("\n\n")
  }\n`

const footHtml = ({ label, url }: MailFoot): string =>
  `<p style="margin:32px 0 0;font-size:13px;color:#57606a"><a href="${escaped(url)}" style="color:inherit">` +
  `${escaped(label)}</a></p>`

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  "\"": "&quot;",
  "'": "&#39;"
}

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? "")

/** The usual color of links and buttons, for a vendor without one. */
const usualAccent = "#3b5bdb"

/** Black or white, whichever is easier to read on a color: by its relative luminance (WCAG 2.2). */
const textOn = (color: string): "#000000" | "#ffffff" => {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255)
    .map((part) => part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? "#000000" : "#ffffff"
}

const htmlOf = (parts: ReadonlyArray<Inline>): string =>
  parts.map((part) => {
    const text = escaped(part.text)
    if (part.is === "bold") return `<strong>${text}</strong>`
    if (part.is === "code") return `<code style="font-family:${monospace}">${text}</code>`
    // A link has the color of the text around it: that of the brand may be too light to read on white.
    return part.is === "link" ? `<a href="${escaped(part.url)}" style="color:inherit">${text}</a>` : text
  }).join("")

const monospace = "ui-monospace,SFMono-Regular,Menlo,Consolas,monospace"

const htmlOfBlock = (block: Block, accent: string): string => {
  if (block.is === "paragraph") return `<p style="margin:0 0 16px">${block.lines.map(htmlOf).join("<br>")}</p>`
  if (block.is === "list") {
    return `<ul style="margin:0 0 16px;padding-left:24px">${
      block.items.map((item) => `<li>${htmlOf(item)}</li>`).join("")
    }</ul>`
  }
  if (block.inline.is === "link") {
    return `<p style="margin:24px 0"><a href="${
      escaped(block.inline.url)
    }" style="display:inline-block;padding:12px 20px;` +
      `border-radius:6px;background:${accent};color:${textOn(accent)};text-decoration:none;font-weight:600">` +
      `${escaped(block.inline.text)}</a></p>`
  }
  return `<p style="margin:0 0 16px;padding:14px 16px;border-radius:6px;background:#f1f3f5;color:#111111;font-family:${monospace};` +
    `font-size:15px;overflow-wrap:anywhere"><strong>${escaped(block.inline.text)}</strong></p>`
}

/** The body as HTML: one column, which reads in every width, and no picture but the vendor's logo. */
export const bodyHtml = (
  { body, foot, language, subject }: {
    readonly body: string
    readonly language: string
    readonly subject: string
    readonly foot?: MailFoot | undefined
  },
  brand: MailBrand
): string => {
  const accent = brand.accent ?? usualAccent
  const logo = brand.logoUrl?.startsWith("https://") === true
    ? `<p style="margin:0 0 24px"><img src="${escaped(brand.logoUrl)}" alt="${escaped(brand.name)}" height="40" ` +
      `style="height:40px;width:auto;max-width:100%;border:0"></p>`
    : ""
  return `<!doctype html><html lang="${language}"><head><meta charset="utf-8">` +
    // The colors are those of light paper in every program: one that turns them would also turn the vendor's.
    `<meta name="color-scheme" content="light"><meta name="viewport" content="width=device-width"><title>${
      escaped(subject)
    }</title></head>` +
    `<body style="margin:0;padding:24px 16px;background:#ffffff;color:#1f2328;font-family:system-ui,-apple-system,'Segoe UI',Roboto,` +
    `'Helvetica Neue',Arial,sans-serif;font-size:16px;line-height:1.55"><div style="max-width:576px;margin:0 auto;overflow-wrap:anywhere;word-break:break-word;` +
    `padding-top:24px;border-top:4px solid ${accent}">` +
    `${logo}${blocksOf(body).map((block) => htmlOfBlock(block, accent)).join("")}${
      foot === undefined ? "" : footHtml(foot)
    }</div></body></html>`
}
