// What people are shown of the console, in tests and pictures, are answers that the service gives.
import { assert, describe, it } from "@effect/vitest"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { ConnectionCode } from "../../src/client/transport/CountersignError.ts"
import { catalog } from "../../src/domain/ground/wire/Errors.ts"

const root = join(import.meta.dirname, "../..")

const under = (directory: string): ReadonlyArray<string> =>
  readdirSync(join(root, directory), { recursive: true, encoding: "utf8" })
    .filter((path) => /\.tsx?$/.test(path) && !path.endsWith("Codes.test.ts"))
    .map((path) => `${directory}/${path}`)

/** The codes of the client itself, for what was not answered. */
const ofTheClient: ReadonlyArray<ConnectionCode> = ["NETWORK_ERROR", "TIMEOUT", "INVALID_ANSWER"]

/** Texts in capitals that are no codes: methods, formats, names of elements, zones and signals. */
const others = [
  "ID",
  "URL",
  "GET",
  "HEAD",
  "POST",
  "PATCH",
  "PUT",
  "DELETE",
  "JSON",
  "CSV",
  "HTML",
  "PDF",
  "UTC",
  "EUR",
  "KWD",
  "BDI",
  "PATH",
  "NFKD",
  "DOM",
  "CSS",
  "SIGTERM"
]

describe("every code that the console, its tests and its pictures know", () => {
  it("is one that the service answers", () => {
    const known = new Set<string>([...Object.keys(catalog), ...ofTheClient, ...others])
    const isDuration = (text: string) => /^P(\d+[YMWD])*(T\d+H)?$/.test(text)
    const files = [
      ...under("src/console"),
      ...under("test/console"),
      ...under("test/world/console"),
      "build/consolePictures.ts",
      "test/fixtures/Console.ts"
    ]
    const unknown = files.flatMap((path) =>
      [...readFileSync(join(root, path), "utf8").matchAll(/"([A-Z][A-Z0-9]+(?:_[A-Z0-9]+)*)"/g)]
        .flatMap(([, code = ""]) => known.has(code) || isDuration(code) ? [] : [`${path}: ${code}`])
    )
    assert.deepStrictEqual(unknown, [])
  })
})
