// Writes test/vectors/keys.json (node test/vectors/makeKeys.ts): what people paste where a license key is asked for, and what it
// is read as. Every reader of the project is held to it: the service, the clients for TypeScript and Python, the command line.
import { writeFileSync } from "node:fs"
import { join } from "node:path"

/** One of ours; its characters have both 0 and 1. */
const ours = "CS-000G4-0R40M-30E20-9185G-R38ED"
const second = "CS-00000-00000-00000-00000-00000"
/** One of the test environment: its check character is another one, so that neither can be taken for the other. */
const test = "CST-000G4-0R40M-30E20-9185G-R38EC"
/** Of another system, short, and signed. */
const foreign = "ABCD-EFGH-1234"
const signed = `key/${
  Buffer.from("{\"account\":{\"id\":\"acme\"},\"license\":{\"id\":\"42\",\"type\":\"pro\"}}".repeat(3)).toString(
    "base64url"
  )
}.${Buffer.from("a signature of sixty-four bytes, which nobody verifies in here..").toString("base64url")}==`

/** What people paste, and what it is read as. */
export interface KeyCase {
  readonly name: string
  readonly pasted: string
  /** What it is read as. */
  readonly key?: string
  /** Why it is none. */
  readonly fault?: string
}

const read = (key: string, forms: Readonly<Record<string, string>>): Array<KeyCase> =>
  Object.entries(forms).map(([name, pasted]) => ({ name, pasted, key }))

const none = (fault: string, forms: Readonly<Record<string, string>>): Array<KeyCase> =>
  Object.entries(forms).map(([name, pasted]) => ({ name, pasted, fault }))

const codes = (ranges: ReadonlyArray<readonly [number, number]>) =>
  ranges.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, index) => first + index))

const at = (text: string, index: number, character: string) => text.slice(0, index) + character + text.slice(index)
const named = (code: number) => `U+${code.toString(16).toUpperCase().padStart(4, "0")}`

const invisible = codes([
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x202a, 0x202e],
  [0x2060, 0x206f],
  [0x3164, 0x3164],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xe0001, 0xe0001],
  [0xe01ef, 0xe01ef]
])
const blanks = codes([
  [0x9, 0x9],
  [0xb, 0xc],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000]
])
const lineBreaks = ["\n", "\r\n", "\r", "\u0085", "\u2028", "\u2029"]
const dashes = codes([
  [0x58a, 0x58a],
  [0x5be, 0x5be],
  [0x1400, 0x1400],
  [0x1806, 0x1806],
  [0x2010, 0x2015],
  [0x2043, 0x2043],
  [0x207b, 0x207b],
  [0x2212, 0x2212],
  [0x2500, 0x2501],
  [0x2e17, 0x2e17],
  [0x2e1a, 0x2e1a],
  [0x2e3a, 0x2e3b],
  [0x2e40, 0x2e40],
  [0x2e5d, 0x2e5d],
  [0x301c, 0x301c],
  [0x3030, 0x3030],
  [0x30a0, 0x30a0],
  [0x30fc, 0x30fc],
  [0xfe31, 0xfe32],
  [0xfe58, 0xfe58],
  [0xfe63, 0xfe63],
  [0xff0d, 0xff0d],
  [0xff70, 0xff70]
])
const fullWidth = (text: string) =>
  Array.from(text, (character) => String.fromCharCode(character.charCodeAt(0) + 0xfee0)).join("")

/** The lines of a text, as a mail program breaks them. */
const broken = (text: string, width: number, before = "") =>
  text.match(new RegExp(`.{1,${width}}`, "g"))!.map((line) => before + line).join("\r\n")

/** The published cases, which every reader is held to. */
export const keyCases: ReadonlyArray<KeyCase> = [
  ...read(ours, {
    "as it was issued": ours,
    "in lower case": ours.toLowerCase(),
    "without dashes": ours.replaceAll("-", ""),
    "with O for 0 and l for 1": ours.replaceAll("0", "O").replaceAll("1", "l"),
    "with spaces for dashes": ours.replaceAll("-", " "),
    "in typographic quotes": `\u201c${ours}\u201d`,
    "in single typographic quotes": `\u2018${ours}\u2019`,
    "in German quotes": `\u201e${ours}\u201c`,
    "in guillemets": `\u00ab\u00a0${ours}\u00a0\u00bb`,
    "in quotes": `"${ours}"`,
    "in backticks": `\`${ours}\``,
    "in brackets": `(${ours})`,
    "in angle brackets": `<${ours}>`,
    "at the end of a sentence": `${ours}.`,
    "before a comma": `${ours},`,
    "behind a label": `License key: ${ours}`,
    "behind a label without a space": `License key:${ours}`,
    "behind a label in another language": `Lizenzschl\u00fcssel: ${ours}`,
    "behind a label on a line of its own": `Your license key:\r\n\r\n    ${ours}\r\n`,
    "in a sentence": `Hi Jane, your key is ${ours}. Have fun!`,
    "twice": `${ours} (${ours.toLowerCase()})`,
    "in a quoted mail": `> Your license key:\n>\n>   ${ours}\n> \n> Best, Acme`,
    "in a mail quoted twice": `>> ${ours}`,
    "broken by a mail": `${ours.slice(0, 21)}\r\n${ours.slice(21)}`,
    "broken by a quoted mail": `> ${ours.slice(0, 20)}\n> ${ours.slice(20)}`,
    "in a table": `| key | ${ours} |`,
    "in full-width letters": fullWidth(ours),
    "behind a byte order mark": `\ufeff${ours}\n`,
    "beside a mistyped one": `not CS-000G4-0R40M-30E20-9185G-R38EE but ${ours}`,
    ...Object.fromEntries(
      dashes.map((code) => [`with ${named(code)} for dashes`, ours.replaceAll("-", String.fromCodePoint(code))])
    ),
    ...Object.fromEntries(
      invisible.map((
        code
      ) => [`with ${named(code)} in it`, at(at(ours, 13, String.fromCodePoint(code)), 0, String.fromCodePoint(code))])
    ),
    ...Object.fromEntries(
      blanks.map((
        code
      ) => [
        `with ${named(code)} around it and in it`,
        ` ${at(ours, 9, String.fromCodePoint(code))}${String.fromCodePoint(code)}`
      ])
    ),
    ...Object.fromEntries(
      lineBreaks.map((text) => [`broken by ${JSON.stringify(text)}`, `${at(ours, 9, text)}${text}`])
    )
  }),
  ...read(test, {
    "of test, as it was issued": test,
    "of test, in lower case": test.toLowerCase(),
    "of test, without dashes": test.replaceAll("-", ""),
    "of test, with O for 0 and l for 1": test.replaceAll("0", "O").replaceAll("1", "l"),
    "of test, with spaces for dashes": test.replaceAll("-", " "),
    "of test, with spaces around its dashes": test.replaceAll("-", " - "),
    "of test, with en dashes": test.replaceAll("-", "\u2013"),
    "of test, in typographic quotes": `\u201c${test}\u201d`,
    "of test, at the end of a sentence": `${test}.`,
    "of test, behind a label": `License key: ${test}`,
    "of test, in a sentence": `Hi Jane, your key is ${test}. Have fun!`,
    "of test, in a quoted mail": `> Your license key:\n>\n>   ${test}\n> \n> Best, Acme`,
    "of test, broken by a mail": `${test.slice(0, 21)}\r\n${test.slice(21)}`,
    "of test, in full-width letters": fullWidth(test)
  }),
  ...read(foreign, {
    "of another system": foreign,
    "of another system, in white space": `\u00a0${foreign}\r\n`,
    "of another system, with en dashes": foreign.replaceAll("-", "\u2013"),
    "of another system, behind a label": `License key: ${foreign}`,
    "of another system, in typographic quotes": `\u201c${foreign}\u201d`,
    "of another system, behind a label and in quotes": `Key:  \u201e${foreign}\u201c`,
    "of another system, in full-width letters": fullWidth(foreign),
    "of another system, with a zero width space": at(foreign, 6, "\u200b"),
    "of another system, quoted": `> ${foreign}`
  }),
  ...read(signed, {
    "signed": signed,
    "signed, broken by a mail": broken(signed, 76),
    "signed, broken by a quoted mail": broken(signed, 74, "> "),
    "signed, behind a label and broken": `License key:\r\n${broken(signed, 64)}\r\n`
  }),
  // Every character of a key of another system counts.
  ...[
    "abcd-efgh-1234",
    "\"ABCD-EFGH\"",
    "ABCD-EFGH-1234.",
    ">ABCDEFGH",
    "key:ABCD-EFGH",
    "ABCD--EFGH",
    "(ABCD)(EFGH)",
    "|||||||||"
  ]
    .map((key) => ({ name: `of another system, as it is: ${key}`, pasted: key, key })),
  ...["ACME-CS-000G4-0R40M-30E20-9185G-R38ED", "PRO:CS-000G4-0R40M-30E20-9185G-R38ED", "CS000G40R40M30E209185GR38EDX"]
    .map((key) => ({ name: `of another system, with one of ours in it: ${key}`, pasted: key, key })),
  // Customers of a vendor may have had such keys before there was a test environment.
  ...["CST-2024-000123", "CST-000G4", `${test}0`, ours.replace("CS", "CST").replaceAll("-", "")]
    .map((key) => ({ name: `of another system, with a beginning as of test: ${key}`, pasted: key, key })),
  {
    name: "of another system, behind a label, with one of ours in it",
    pasted: "Key: ACME-CS-000G4-0R40M-30E20-9185G-R38ED",
    key: "ACME-CS-000G4-0R40M-30E20-9185G-R38ED"
  },
  ...none("empty", {
    "nothing": "",
    "white space": " \u00a0\r\n",
    "what nobody sees": "\ufeff\u200b",
    "an empty quote": "> \n>"
  }),
  ...none("mistyped", {
    "a wrong check character": ours.replace(/D$/, "E"),
    "a character short": ours.slice(0, -1),
    "a character long": `${ours}0`,
    "the beginning alone": "CS-000G4",
    "a wrong check character in a sentence": `Your key is ${ours.replace(/D$/, "E")}.`,
    "a wrong check character in quotes": `\u201c${ours.replace(/D$/, "E")}\u201d`,
    "with a letter of another alphabet": ours.replace("G", "\u0413")
  }),
  ...none("mistyped", {
    "of test, with a wrong check character": test.replace(/C$/, "D"),
    "of test, a character short": test.slice(0, -1),
    "of test, without its mark": test.replace("CST", "CS"),
    "with the mark of test": ours.replace("CS", "CST"),
    "of test, without its mark, in a sentence": `Your key is ${test.replace("CST", "CS")}.`
  }),
  ...none("several", {
    "two keys": `${ours}\n${second}`,
    "a key and one of test": `${ours}\n${test}`
  }),
  ...none("management_token", {
    "a management token": "csk_4fJ0x9QbT2mYpW7sVd1Kc8RzLh6NgE3uXaB5iOvMqUtJwD",
    "a management token behind a byte order mark": "\ufeffcsk_4fJ0x9QbT2mYpW7sVd1Kc8RzLh6NgE3uXaB5iOvMqUtJwD",
    "a management token of test": "csk_test_4fJ0x9QbT2mYpW7sVd1Kc8RzLh6NgE3uXaB5iOvMqUtJwD",
    "a management token behind a label": "Token: csk_4fJ0x9QbT2mYpW7sVd1Kc8RzLh6NgE3uXaB5iOvMqUtJwD"
  }),
  ...none("publishable_key", {
    "a publishable key": "cpk_000SYW7RiJxkEgOGusQGwp32K2QC",
    "a publishable key of test": "cpk_test_000SYW7RiJxkEgOGusQGwp2g3V2T"
  }),
  ...none("length", { "a short word": "key", "what is longer than any key": "x".repeat(1001) }),
  ...none("spaces", {
    "a sentence": "I have lost my key, please help",
    "a key of another system with spaces": "ABCD EFGH 1234",
    "two keys of another system": `${foreign}\n${foreign}`,
    "a company": "CS Computer Services"
  }),
  ...none("characters", {
    "another alphabet": "\u0410\u0412\u0421D-EFGH-1234",
    "a picture": "ABCD-EFGH-1234 \u{1f511}",
    "a mark of an em dash in a sentence": "caf\u00e9 \u2014 ABCD-EFGH-1234"
  }),
  ...none("too_long", { "a whole mail": `${ours} ${"and so on ".repeat(500)}` })
]

/** The file as it is published. */
export const text = `${JSON.stringify({ cases: keyCases }, undefined, 2)}\n`

if (process.argv[1] === import.meta.filename) writeFileSync(join(import.meta.dirname, "keys.json"), text)
