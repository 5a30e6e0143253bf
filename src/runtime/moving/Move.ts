import { Option, Schema } from "effect"
import { appendFile, readFile } from "node:fs/promises"
import { join } from "node:path"
import { isCountersignError } from "../../client/api/index.ts"
import type { Countersign } from "../../client/api/index.ts"
import { isMembers } from "../../domain/ground/parsing/JsonMembers.ts"
import { UnreadableFile } from "../importing/FileText.ts"
import { isResource, OwnedEntries, resourcesOf } from "./ExportDirectory.ts"
import type { Entry, EntryFile, Resource } from "./ExportDirectory.ts"
import { grantRequest, valueRequest } from "./MovedCatalog.ts"
import type { MovedResource } from "./MovedCatalog.ts"
import { differencesOf } from "./MovedGrants.ts"

/** The file of the journal, in the export's directory. */
const fileName = "imported.ndjson"

const Note = Schema.Struct({
  service: Schema.String,
  id: Schema.String,
  state: Schema.Literals(["begun", "ended"])
})
type Note = typeof Note.Type

const readNote = Schema.decodeUnknownOption(Schema.fromJsonString(Note))

/** The notes of a journal, without a last line that was cut off as the machine lost its power. */
const notesOf = (text: string): ReadonlyArray<Note> =>
  text.split("\n").flatMap((line) => Option.toArray(readNote(line)))

/**
 * The entries that an import has started in a service and not completed, recorded beside the export. Only these are
 * written to: the next run completes them, and entries that existed before, or were complete once, stay as they are.
 */
export class MoveJournal {
  private readonly path: string
  private readonly service: string
  private readonly begun: Set<string>

  private constructor(path: string, service: string, begun: Set<string>) {
    this.path = path
    this.service = service
    this.begun = begun
  }

  /** Opens the journal of an export for the service at an address; a dry run writes nothing. */
  static async at(directory: string, service: string, isDry: boolean): Promise<MoveJournal> {
    const path = join(directory, fileName)
    const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return ""
      throw error
    })
    const begun = new Set<string>()
    for (const { id, service: where, state } of notesOf(text)) {
      if (where === service) begun[state === "begun" ? "add" : "delete"](id)
    }
    if (!isDry) {
      // Ends a line that was cut off.
      await appendFile(path, text === "" || text.endsWith("\n") ? "" : "\n", { mode: 0o600 }).catch((error: Error) => {
        throw new UnreadableFile(
          `${path} cannot be written, which keeps what was begun for an import that is stopped (${error.message})`
        )
      })
    }
    return new MoveJournal(path, service, begun)
  }

  /** Whether this import, or an earlier one, has started an entry and not ended it. */
  isOpen(id: string): boolean {
    return this.begun.has(id)
  }

  /** Records durably that an entry is about to be created. */
  async begin(id: string): Promise<void> {
    this.begun.add(id)
    await appendFile(this.path, this.line(id, "begun"), { flush: true })
  }

  /** Records that an entry is complete. */
  async end(id: string): Promise<void> {
    if (!this.begun.delete(id)) return
    await appendFile(this.path, this.line(id, "ended"))
  }

  private line(id: string, state: Note["state"]): string {
    return `${JSON.stringify({ service: this.service, id, state } satisfies Note)}\n`
  }
}

/** Findings that are kept; further ones are counted. */
const listed = 10_000

/** A difference or a refusal, and of what. */
interface MoveFinding {
  readonly file: string
  readonly id: string
  readonly message: string
}

interface MoveTally {
  created: number
  /** The entries that an earlier import began and did not end. */
  completed: number
  already: number
  newKeys: number
  waitingDevices: number
  findings: Array<MoveFinding>
  different: number
}

const refusalOf = (cause: unknown): string | undefined => {
  if (!isCountersignError(cause)) return undefined
  const { code, detail, fields, message, status } = cause
  if (status === undefined || status === 401 || status === 403 || status === 429 || status >= 500) return undefined
  const found = fields.map(({ message, path }) => `${path} ${message}`).join("; ")
  return `the service refuses it: ${found === "" ? `${message} ${detail ?? ""}`.trim() : found} (${code})`
}

/** The entries of all pages of a list. */
export const all = async (entries: AsyncIterable<unknown>): Promise<ReadonlyArray<Entry>> => {
  const found: Array<Entry> = []
  for await (const entry of entries) if (isMembers(entry)) found.push(entry)
  return found
}

/** Pages as long as they can be. */
export const limit = { limit: 200 } as const

/** Whether something is written to an entry after it was created. */
const isWrittenLater = (name: EntryFile, entry: Entry): boolean =>
  name === "policies" || name === "customers" || (name === "features" && entry["archived_at"] !== undefined)

const valuesOf = { customers: "customer_custom_fields", licenses: "license_custom_fields" } as const

/** Entries that belong to customers beside the values of their fields: the file, its member that names the customer, and what is done. */
export interface CustomerPart {
  readonly file: EntryFile
  readonly owner: string
  readonly bring: (move: Move, old: string, id: string, entries: ReadonlyArray<Entry>) => Promise<void>
  readonly compare: (move: Move, old: string, id: string, entries: ReadonlyArray<Entry>) => Promise<void>
}

/** Imports an export into a service, entry by entry. Existing entries that no import has started are only compared. */
export class Move {
  readonly ids = new Map<string, string>()
  readonly tally: MoveTally = {
    created: 0,
    completed: 0,
    already: 0,
    newKeys: 0,
    waitingDevices: 0,
    findings: [],
    different: 0
  }
  readonly client: Countersign
  readonly directory: string
  readonly journal: MoveJournal
  readonly isDry: boolean
  /** Whether owners and users get the mails that their policies have: an import says nothing to anybody unless asked. */
  readonly notifies: boolean
  private readonly products: Array<string> = []
  /** The parents of customers in the new service. */
  private readonly parents = new Map<string, unknown>()

  constructor(
    client: Countersign,
    directory: string,
    journal: MoveJournal,
    { isDry, notifies }: { readonly isDry: boolean; readonly notifies: boolean }
  ) {
    this.client = client
    this.directory = directory
    this.journal = journal
    this.isDry = isDry
    this.notifies = notifies
  }

  found(file: string, id: string, messages: ReadonlyArray<string>): void {
    for (const message of messages) {
      this.tally.different += 1
      if (this.tally.findings.length < listed) this.tally.findings.push({ file, id, message })
    }
  }

  /** Reports the entries of an owner that differ or are missing. */
  compare(
    file: EntryFile,
    owner: string,
    before: ReadonlyArray<Entry>,
    after: ReadonlyArray<Entry>,
    keyOf: (entry: Entry) => unknown
  ): void {
    const there = new Map(after.map((entry) => [keyOf(entry), entry]))
    for (const entry of before) {
      const found = there.get(keyOf(entry))
      this.found(
        file,
        owner,
        found === undefined ? [`${String(keyOf(entry))} is not there`] : differencesOf(file, entry, found, this.ids)
      )
    }
  }

  /** Runs a request; a refusal of its content is a finding about the entry. */
  async attempt<A>(file: string, id: string, request: () => PromiseLike<A>): Promise<A | undefined> {
    try {
      return await request()
    } catch (cause) {
      const message = refusalOf(cause)
      if (message === undefined) throw cause
      this.found(file, id, [message])
      return undefined
    }
  }

  async resource({ create, isOfProduct, keyOf, list, name }: MovedResource): Promise<void> {
    const there = new Map<string, Resource>()
    const nameIn = (product: unknown, entry: Entry) => JSON.stringify([isOfProduct ? product : "", keyOf(entry)])
    const products = isOfProduct ? this.products : [""]
    for (const product of products) {
      for (const entry of await all(list(this.client, product))) {
        if (isResource(entry)) there.set(nameIn(product, entry), entry)
      }
    }
    for await (const entry of resourcesOf(this.directory, name)) {
      const known = there.get(nameIn(this.ids.get(String(entry["product_id"])), entry))
      if (known === undefined && this.isDry) {
        this.tally.created += 1
        continue
      }
      const isOpen = this.journal.isOpen(entry.id)
      if (known === undefined && isWrittenLater(name, entry)) await this.journal.begin(entry.id)
      const made = known ?? await this.attempt(name, entry.id, () => create(this.client, entry, this.ids))
      if (!isResource(made)) {
        await this.journal.end(entry.id)
        continue
      }
      this.tally[known === undefined ? "created" : isOpen ? "completed" : "already"] += 1
      this.ids.set(entry.id, made.id)
      if (name === "products") this.products.push(made.id)
      if (name === "customers") this.parents.set(made.id, made["parent_id"])
      // Parents are compared when all customers are there.
      this.found(name, entry.id, differencesOf(name, entry, made, this.ids, name === "customers" ? ["parent_id"] : []))
      const isArchived = (feature: Entry) => feature["archived_at"] !== undefined
      if (name === "features" && !this.journal.isOpen(entry.id) && isArchived(entry) !== isArchived(made)) {
        this.found(name, entry.id, [isArchived(entry) ? "it is not archived and was" : "it is archived and was not"])
      }
    }
  }

  /** Sets the features of policies that this import has started, and compares them. */
  async grants(): Promise<void> {
    const grants = new OwnedEntries(this.directory, "policy_features", "policy_id")
    for await (const policy of resourcesOf(this.directory, "policies")) {
      const id = this.ids.get(policy.id)
      const product = this.ids.get(String(policy["product_id"]))
      const owned = await grants.take(policy.id)
      if (id === undefined || product === undefined || this.isDry) continue
      const thereNow = () => all(this.client.policies.listFeatures(product, id, limit))
      const codeOf = ({ feature_code }: Entry) => feature_code
      if (this.journal.isOpen(policy.id)) {
        const there = new Set((await thereNow()).map(codeOf))
        for (const grant of owned.filter((grant) => !there.has(codeOf(grant)))) {
          await this.attempt(
            "policy_features",
            policy.id,
            () => this.client.policies.assignFeature(product, id, grantRequest(grant, this.ids))
          )
        }
        await this.journal.end(policy.id)
      }
      if (owned.length > 0) this.compare("policy_features", policy.id, owned, await thereNow(), codeOf)
    }
  }

  /** Brings what belongs to customers that this import has started, and compares it. */
  async customerParts(part: CustomerPart): Promise<void> {
    const values = new OwnedEntries(this.directory, "customer_custom_fields", "resource_id")
    const more = new OwnedEntries(this.directory, part.file, part.owner)
    for await (const customer of resourcesOf(this.directory, "customers")) {
      const owned = await values.take(customer.id)
      const entries = await more.take(customer.id)
      const id = this.ids.get(customer.id)
      if (id === undefined || this.isDry) continue
      if (this.journal.isOpen(customer.id)) {
        await this.bringParent(customer, id)
        await this.bringValues("customers", customer.id, id, owned)
        await part.bring(this, customer.id, id, entries)
        await this.journal.end(customer.id)
      }
      this.compareParent(customer, id)
      await this.compareValues("customers", customer.id, id, owned)
      await part.compare(this, customer.id, id, entries)
    }
  }

  /** Gives a customer the parent that it had. All customers are there by now. */
  async bringParent({ id: old, parent_id }: Resource, id: string): Promise<void> {
    const parent = this.ids.get(String(parent_id))
    if (parent === undefined) return
    const made = await this.attempt("customers", old, () => this.client.customers.update(id, { parent_id: parent }))
    if (made !== undefined) this.parents.set(id, made.parent_id)
  }

  /** Compares the parent of a customer with the one that it had. */
  compareParent(customer: Resource, id: string): void {
    const { parent_id } = customer
    const there = this.parents.get(id)
    this.found("customers", customer.id, differencesOf("customers", { parent_id }, { parent_id: there }, this.ids))
  }

  /** Sets the missing custom field values of a customer or a license. */
  async bringValues(kind: "customers" | "licenses", old: string, id: string, values: ReadonlyArray<Entry>) {
    if (values.length === 0) return
    const there = new Set((await all(this.client[kind].listCustomFieldValues(id, limit))).map(({ code }) => code))
    for (const value of values) {
      const body = valueRequest(value)
      const field = this.ids.get(String(value["definition_id"]))
      if (body === undefined || field === undefined || there.has(value["code"])) continue
      await this.attempt(
        valuesOf[kind],
        old,
        () => this.client[kind].upsertCustomFieldValue(id, field, body)
      )
    }
  }

  /** Compares the custom field values of a customer or a license. */
  async compareValues(kind: "customers" | "licenses", old: string, id: string, values: ReadonlyArray<Entry>) {
    const given = values.filter((value) => valueRequest(value) !== undefined)
    if (given.length === 0) return
    const after = await all(this.client[kind].listCustomFieldValues(id, limit))
    this.compare(valuesOf[kind], old, given, after, ({ code }) => code)
  }

  /** Archives features last, because archived ones cannot be assigned to licenses. */
  async archive(): Promise<void> {
    for await (const feature of resourcesOf(this.directory, "features")) {
      const id = this.ids.get(feature.id)
      if (id === undefined || this.isDry || !this.journal.isOpen(feature.id)) continue
      await this.attempt("features", feature.id, () => this.client.features.update(id, { is_archived: true }))
      await this.journal.end(feature.id)
    }
  }
}
