import { Result, Schema } from "effect"
import { createHash } from "node:crypto"
import { createReadStream, existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { isMembers } from "../../domain/ground/parsing/JsonMembers.ts"
import type { JsonMembers } from "../../domain/ground/parsing/JsonMembers.ts"
import { fileText, linesOf, UnreadableFile } from "../importing/FileText.ts"

/** An entry of a file of an export, as the API showed it. */
export type Entry = JsonMembers

/** An entry that others refer to. */
export type Resource = Entry & { readonly id: string }

/** A file of an export that is brought elsewhere. */
export type EntryFile = (typeof exportedFiles)[number]

/** The files of an export that are brought elsewhere. */
const exportedFiles = [
  "products",
  "versions",
  "features",
  "policies",
  "policy_features",
  "custom_fields",
  "customers",
  "customer_custom_fields",
  "customer_pools",
  "subscriptions",
  "orders",
  "licenses",
  "license_features",
  "license_grants",
  "license_users",
  "license_custom_fields",
  "devices",
  "leases"
] as const

const Manifest = Schema.Struct({ files: Schema.Array(Schema.Struct({ file: Schema.String, sha256: Schema.String })) })

const readManifest = Schema.decodeUnknownResult(Schema.fromJsonString(Manifest))

/** Whether a value is an entry that others refer to. */
export const isResource = (value: unknown): value is Resource => isMembers(value) && typeof value["id"] === "string"

const unreadable = (file: string) =>
  new UnreadableFile(`${file} has a line that is no entry of an export: export again`)

const digestOf = async (path: string): Promise<string> => {
  const hash = createHash("sha256")
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) hash.update(chunk)
  return hash.digest("hex")
}

/** Compares an export with its manifest: an import of half an export would look complete. */
export const checkExport = async (directory: string): Promise<void> => {
  const text = await readFile(join(directory, "manifest.json"), "utf8").catch(() => {
    throw new UnreadableFile(`${directory} is no export of countersign export: it has no manifest.json`)
  })
  const manifest = readManifest(text)
  if (Result.isFailure(manifest)) {
    throw new UnreadableFile(`${directory} has a manifest.json that is not valid: export again`)
  }
  for (const { file, sha256 } of manifest.success.files) {
    const digest = await digestOf(join(directory, file)).catch(() => undefined)
    if (digest !== sha256) {
      throw new UnreadableFile(
        `${join(directory, file)} is ${digest === undefined ? "missing" : "not as the manifest says"}: export again`
      )
    }
  }
}

/** The files that exports of earlier releases lack. */
const laterFiles: ReadonlySet<EntryFile> = new Set(["license_grants", "customer_pools", "license_users"])

/** The entries of a file of an export, one after the other. */
const entriesOf = async function*(directory: string, name: EntryFile): AsyncGenerator<Entry> {
  const file = join(directory, `${name}.ndjson`)
  if (laterFiles.has(name) && !existsSync(file)) return
  for await (const line of linesOf(fileText(file))) {
    const entry: unknown = line === "" ? undefined : JSON.parse(line)
    if (isMembers(entry)) yield entry
    else if (line !== "") throw unreadable(file)
  }
}

/** The entries of a file of an export that others refer to, one after the other. */
export const resourcesOf = async function*(directory: string, name: EntryFile): AsyncGenerator<Resource> {
  for await (const entry of entriesOf(directory, name)) {
    if (!isResource(entry)) throw unreadable(join(directory, `${name}.ndjson`))
    yield entry
  }
}

/** A file whose entries stand in the order of their owners, as they were asked for. */
export class OwnedEntries {
  private readonly entries: AsyncGenerator<Entry>
  private readonly owner: string
  private next: Entry | undefined
  private isBegun = false

  constructor(directory: string, name: EntryFile, owner: string) {
    this.entries = entriesOf(directory, name)
    this.owner = owner
  }

  /** The entries of the next owner; none where others follow. */
  async take(id: string): Promise<ReadonlyArray<Entry>> {
    const taken: Array<Entry> = []
    if (!this.isBegun) await this.advance()
    while (this.next !== undefined && this.next[this.owner] === id) {
      taken.push(this.next)
      await this.advance()
    }
    return taken
  }

  private async advance(): Promise<void> {
    this.isBegun = true
    const read = await this.entries.next()
    this.next = read.done === true ? undefined : read.value
  }
}
