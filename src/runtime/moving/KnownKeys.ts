import { randomBytes } from "node:crypto"
import { open } from "node:fs/promises"
import {
  formatLicenseKey,
  licenseKeyLast4,
  licenseKeyPrefix,
  parseLicenseKey
} from "../../domain/security/Credential.ts"
import { fileText, UnreadableFile } from "../importing/FileText.ts"
import { importRows } from "../importing/ImportFile.ts"
import { mappingOver, noMapping } from "../importing/Mapping.ts"
import type { Entry } from "./ExportDirectory.ts"

const mapping = mappingOver(noMapping, {
  columns: { license_id: "metadata.license_id" },
  others: "ignore"
})

const shownOf = (prefix: unknown, last4: unknown): string => JSON.stringify([prefix, last4])

/** The keys of licenses as the vendor has kept them: a service keeps hashes alone, so no export holds them. */
export class KnownKeys {
  private readonly byId = new Map<string, string>()
  private readonly byShown = new Map<string, Set<string>>()

  /** Reads a file with a column `license_key`, and `license_id` where it is known; what else it has is left out. */
  async read(file: string): Promise<void> {
    for await (const row of importRows({ file, mapping })) {
      const { license_key, metadata } = row.value as {
        readonly license_key?: unknown
        readonly metadata?: { readonly license_id?: string }
      }
      const key = typeof license_key === "string" ? parseLicenseKey(license_key) : undefined
      if (key === undefined || row.unread !== undefined || (row.faults ?? []).length > 0) {
        throw new UnreadableFile(`Line ${row.line} of ${file} has no license key in its column license_key`)
      }
      if (metadata?.license_id !== undefined) this.byId.set(metadata.license_id, key)
      const shown = shownOf(licenseKeyPrefix(key), licenseKeyLast4(key))
      this.byShown.set(shown, (this.byShown.get(shown) ?? new Set()).add(key))
    }
  }

  /** The key of a license: by its id, or by what is shown of it where that is one key's alone. */
  of(license: Entry): string | "ambiguous" | undefined {
    const named = this.byId.get(license.id)
    if (named !== undefined) return named
    const found = this.byShown.get(shownOf(license["license_key_prefix"], license["license_key_last4"]))
    return found === undefined ? undefined : found.size === 1 ? [...found][0] : "ambiguous"
  }
}

/** New keys in the place of those that nobody knows, written down before they are used: a second run finds them there. */
export class NewKeys {
  private readonly file: string
  private isBegun: boolean

  private constructor(file: string, isBegun: boolean) {
    this.file = file
    this.isBegun = isBegun
  }

  /** Goes on with a file, whose keys `known` learns. */
  static async at(file: string, known: KnownKeys): Promise<NewKeys> {
    let isBegun = false
    for await (
      const text of (async function*() {
        try {
          yield* fileText(file)
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error
        }
      })()
    ) isBegun ||= text !== ""
    if (isBegun) await known.read(file)
    return new NewKeys(file, isBegun)
  }

  /** A new key for a license, once it is on the disk. */
  async make(license: Entry): Promise<string> {
    const key = formatLicenseKey(randomBytes(15))
    const handle = await open(this.file, "a", 0o600)
    try {
      const heading = this.isBegun ? "" : "license_id,license_key,customer_email\n"
      this.isBegun = true
      const email = String(license["customer_email"] ?? "").replaceAll("\"", "\"\"")
      await handle.writeFile(`${heading}${license.id},${key},"${email}"\n`)
      await handle.sync()
    } finally {
      await handle.close()
    }
    return key
  }
}
