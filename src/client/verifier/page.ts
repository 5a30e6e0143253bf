import { parseInternetJson } from "../../domain/ground/parsing/InternetJson.ts"
import type { FileReport } from "../evidence/FileReport.ts"
import { counted } from "../evidence/FileReport.ts"
import { keysOf, kindOf, vendorKeysIn, witnessesIn } from "../evidence/Trust.ts"
import type { GivenFile, VendorKeys } from "../evidence/Trust.ts"
import { headings, openedFiles, verdicts, verifyFiles } from "../evidence/verifyFiles.ts"
import { plainSha256 } from "../hashing/plainSha256.ts"

const find = <Kind extends Element>(id: string, kind: new() => Kind): Kind => {
  const element = document.querySelector(`#${id}`)
  if (!(element instanceof kind)) throw new Error(`The page has no ${id}`)
  return element
}

const keysField = find("keys", HTMLTextAreaElement)
const witnessesField = find("witnesses", HTMLTextAreaElement)
const quorumField = find("quorum", HTMLInputElement)
const filesField = find("files", HTMLInputElement)
const licenseKeyField = find("license-key", HTMLInputElement)
const fingerprintField = find("fingerprint", HTMLInputElement)
const sealedFields = find("sealed", HTMLElement)
const reportsElement = find("reports", HTMLElement)

let chosen: ReadonlyArray<GivenFile> = []
/** Whether a list of keys came with the files, which was not taken. */
let isKeysLeft = false
/** How many times it was verified: an older answer is thrown away. */
let turn = 0

const element = (name: string, text: string, className = ""): HTMLElement => {
  const made = document.createElement(name)
  made.textContent = text
  if (className !== "") made.className = className
  return made
}

const state = (id: string, text: string, isBad: boolean): void => {
  const shown = find(id, HTMLElement)
  shown.textContent = text
  shown.className = isBad ? "state bad" : "state"
}

const readKeys = (): VendorKeys => {
  const text = keysField.value.trim()
  let keys: VendorKeys | undefined
  try {
    keys = text === "" ? undefined : vendorKeysIn(parseInternetJson(text))
  } catch {
    keys = undefined
  }
  const count = keys?.publicKeys.length ?? 0
  const left = isKeysLeft
    ? "Keys that come with files are their sender's, and were not taken: choose their file alone if the vendor gave it to you."
    : ""
  const read = text === ""
    ? ""
    : keys === undefined
    ? "No public keys can be read from this."
    : `${counted(count, "key")} to verify with.`
  state("keys-state", `${read} ${left}`.trim(), text !== "" && keys === undefined)
  return keys ?? { publicKeys: [], revokedKeys: [] }
}

const readWitnesses = () => {
  const { unread, witnesses } = witnessesIn(witnessesField.value, plainSha256)
  const [wrong] = unread
  state(
    "witnesses-state",
    wrong === undefined ? "" : `This is no verifier key: ${wrong}`,
    wrong !== undefined
  )
  return witnesses
}

const given = ({ value }: HTMLInputElement): string | undefined => value.trim() === "" ? undefined : value.trim()

const show = ({ findings, name, verdict, what }: FileReport): HTMLElement => {
  const article = element("article", "", verdict)
  article.append(element("h3", name), element("p", `This is ${what}.`), element("p", verdicts[verdict], "verdict"))
  for (const [outcome, heading] of headings) {
    const found = findings.filter((finding) => finding.outcome === outcome)
    if (found.length === 0) continue
    const list = document.createElement("ul")
    list.append(...found.map(({ text }) => element("li", text)))
    article.append(element("h4", heading), list)
  }
  return article
}

const verify = async (): Promise<void> => {
  turn += 1
  const own = turn
  const keys = readKeys()
  const witnesses = readWitnesses()
  sealedFields.hidden = !chosen.some((file) => kindOf(file).is === "offline")
  if (chosen.length === 0) return
  try {
    const reports = await verifyFiles(chosen, {
      ...keys,
      witnesses,
      quorum: Number(given(quorumField) ?? keysOf(witnesses)),
      licenseKey: given(licenseKeyField),
      fingerprint: given(fingerprintField),
      now: Date.now(),
      sha256: plainSha256
    })
    if (own === turn) reportsElement.replaceChildren(...reports.map(show))
  } catch (error) {
    // Browsers that are too old have no Ed25519, and on pages over plain http no browser has any of WebCrypto.
    const why = error instanceof Error ? error.message : String(error)
    const text = `This browser cannot verify here: ${why}. Open the page from disk or over https, in a current browser.`
    if (own === turn) reportsElement.replaceChildren(element("p", text, "state bad"))
  }
}

const take = async (files: ReadonlyArray<File>): Promise<void> => {
  if (files.length === 0) return
  const read = await Promise.all(
    files.map(async (file): Promise<GivenFile> => ({
      name: file.name,
      bytes: new Uint8Array(await file.arrayBuffer())
    }))
  )
  const lists = read.filter((file) => kindOf(file).is === "keys")
  const last = lists.at(-1)
  const others = read.filter((file) => !lists.includes(file))
  // Public keys beside files, or in an archive, are the sender's, who may have signed them all. Alone they are the reader's own choice.
  if (last !== undefined && others.length === 0) keysField.value = new TextDecoder().decode(last.bytes)
  // A file in an archive may need the license key, too.
  if (others.length > 0) chosen = await openedFiles(others)
  isKeysLeft = last !== undefined && others.length > 0
  await verify()
  find("found", HTMLElement).focus({ preventScroll: others.length === 0 })
}

for (const field of [keysField, witnessesField, quorumField, licenseKeyField, fingerprintField]) {
  field.addEventListener("input", () => void verify())
}
filesField.addEventListener("change", () => void take([...filesField.files ?? []]))
document.addEventListener("dragover", (event) => {
  event.preventDefault()
  document.body.classList.add("over")
})
document.addEventListener("dragleave", () => document.body.classList.remove("over"))
document.addEventListener("drop", (event) => {
  event.preventDefault()
  document.body.classList.remove("over")
  void take([...event.dataTransfer?.files ?? []])
})
// A browser keeps what was in the fields when the page is loaded again.
void verify()
