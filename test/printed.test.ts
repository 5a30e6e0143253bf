import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Completions } from "effect/cli"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { extractText, getDocumentProxy } from "unpdf"
import { includedGuides, llmsFullText, llmsText } from "../src/api/composition/docs/LlmsFull.ts"
import { openApiDocument, toYaml } from "../src/api/composition/docs/OpenApi.ts"
import { isCode } from "../src/api/composition/docs/Operations.ts"
import type { SnapshotHead } from "../src/domain/evidence/exports/ReportSnapshot.ts"
import { catalog } from "../src/domain/ground/wire/Errors.ts"
import { mailLanguages } from "../src/domain/ground/wire/MailLanguage.ts"
import { MailKind } from "../src/domain/mail/Mail.ts"
import { mailOf, sampleValues } from "../src/domain/mail/templates/MailTemplates.ts"
import { errorPage, errorsPage } from "../src/http/composition/pages/ErrorPages.ts"
import { guidePage, startPage } from "../src/http/composition/pages/Pages.ts"
import { entries } from "../src/http/composition/reference/Entries.ts"
import { entryPage } from "../src/http/composition/reference/EntryPage.ts"
import { frontPage, notFoundPage } from "../src/http/ground/edge/FrontPage.ts"
import { confirmingPage } from "../src/http/portal/confirming/ConfirmingPage.ts"
import { signInPage } from "../src/http/portal/pages/SignInPages.ts"
import { unsubscribePage } from "../src/http/portal/unsubscribe/UnsubscribePages.ts"
import { countersign } from "../src/runtime/CommandLine.ts"
import { runCommand } from "./fixtures/CommandLine.ts"
import { customerTexts } from "./fixtures/CustomerTexts.ts"
import { root } from "./fixtures/Program.ts"
import { renderedDocument, sampleReport } from "./runtime/rendering/sampleReports.ts"
import { forged } from "./vectors/makeStatements.ts"

/** An address that nothing writes by itself, so that what is made of a part of it shows. */
const publicUrl = "https://cs.printed.example:8443"

/** The hosts of others: names that nobody can register, names within a composition, addresses of this machine, and those that sources may speak of. */
const isNobodys =
  /(?:^|\.)(?:example\.(?:com|net|org)|example|invalid|test|localhost)$|^[^.]*$|^(?:127|10)(?:\.\d+){3}$|^(?:192\.0\.2|198\.51\.100|203\.0\.113)\.\d+$|^\[::1\]$/
const others = new Set(
  [...readFileSync(join(root, "test/tidy.test.ts"), "utf8").matchAll(/"((?:[a-z\d-]+\.)+[a-z]{2,})"/g)].map((
    [, host]
  ) => host!)
)

/** The packages that documents tell to install or to run, each of another maker, and registered. */
const registered = new Set(["cryptography", "node", "express", "tsc", "vitest", "knip", "dprint", "oxlint"])

/** What is wrong with the addresses of a text: those of nobody, and its own without the port. */
const wrongAddresses = (text: string): ReadonlyArray<string> => {
  const named = [...text.matchAll(/\bhttps?:\/\/(?:[\w.-]+@)?(\[[\da-f:]+\]|[\w.-]+)(?::(\d+))?/gi)].map((
    [all, host = ""]
  ) => [all, host.toLowerCase().replace(/\.$/, "")] as const)
  const foreign = named.filter(([all, host]) =>
    host === "cs.printed.example" ? !all.startsWith(publicUrl) : !isNobodys.test(host) && !others.has(host)
  ).map(([all]) => all)
  const bare = [...text.matchAll(/(?<!https:\/\/)\bcs\.printed\.example(?!:8443)/g)].map(([host]) => host)
  return [...foreign, ...bare]
}

/** The packages that a text says to run or to install, and that are none of others. A path, a name of the checkout and `--no` install nothing. */
const wrongPackages = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(
    /\b(?:npx|npm (?:install|i|exec)|pnpm (?:add|dlx)|yarn (?:add|dlx)|pip3? install|bunx|deno (?:add|install))((?: +-[\w-]+)*) +([@\w][\w@./-]*)/g
  )]
    .filter(([, options = ""]) => !/ --no\b/.test(options))
    .map(([, , name = ""]) => name)
    .filter((name) => !registered.has(name) && !name.includes("."))

/** Everything that the service prints, sends or shows, by its name. */
const printed = new Map<string, string>()

const snapshotOf = (
  origin: string
): { readonly head: SnapshotHead; readonly rows: ReturnType<typeof sampleReport>["rows"] } => {
  const { head, rows } = sampleReport("statement", { rows: 2 })
  const { evidence } = forged.genuine
  const note = evidence.note.replaceAll("licenses.example.com/events", `${origin}/events`)
  return { head: { ...head, evidence: { ...evidence, note } as SnapshotHead["evidence"] & {} }, rows }
}

const textOfPdf = async (bytes: Uint8Array): Promise<string> =>
  (await extractText(await getDocumentProxy(bytes), { mergePages: true })).text

const guides = new Map(
  globSync("{tutorial,how-to,reference,explanation}/**/*.md", { cwd: join(root, "docs") })
    .map((path) => [path, readFileSync(join(root, "docs", path), "utf8")])
)

beforeAll(async () => {
  const brand = { name: "Acme", accent: "#ffd43b", logoUrl: `${publicUrl}/brand/logo?v=1` } as const
  for (const language of mailLanguages) {
    for (const kind of MailKind.literals) {
      const { html, subject, text } = mailOf(kind, {
        language,
        values: sampleValues(kind),
        brand,
        unsubscribeUrl: `${publicUrl}/unsubscribe/x`
      })
      printed.set(`mail ${kind} ${language}`, `${subject}\n${text}\n${html}`)
    }
    printed.set(`words ${language}`, customerTexts(language).join("\n"))
    const reader = { language, brand: undefined, at: "/portal" }
    printed.set(`page sign-in ${language}`, signInPage(reader, true))
    printed.set(`page unsubscribe ${language}`, unsubscribePage(reader, { is: "subscribed" }))
    printed.set(
      `page confirming ${language}`,
      confirmingPage(reader, {
        is: "waiting",
        secret: "s",
        product: "Studio",
        email: "ada@example.com",
        reference: "AB-12"
      })
    )
  }
  const document = openApiDocument(publicUrl, "1.0.0")
  printed.set("openapi", toYaml(document))
  printed.set("llms", llmsText(publicUrl))
  printed.set("llms-full", llmsFullText(publicUrl, document, includedGuides.map((path) => guides.get(path)!)))
  printed.set("front", frontPage() + notFoundPage("req_1"))
  printed.set("errors", errorsPage())
  for (const code of Object.keys(catalog).filter(isCode)) printed.set(`error ${code}`, errorPage(code, publicUrl))
  printed.set("docs", startPage(document, publicUrl))
  for (const entry of entries) printed.set(`entry ${entry.id}`, entryPage(document, entry, publicUrl))
  for (const [path, markdown] of guides) printed.set(`guide ${path}`, guidePage(markdown, [...guides.keys()]))
  const walk = async (node: Completions.CommandDescriptor, path: ReadonlyArray<string>): Promise<void> => {
    const { errors, output } = await runCommand([...path, "--help"])
    printed.set(`help ${path.join(" ")}`, output + errors)
    for (const child of node.subcommands) await walk(child, [...path, child.name])
  }
  await walk(Completions.fromCommand(await Effect.runPromise(countersign)), [])
  for (const kind of ["usage-summary", "license-audit", "purchases"] as const) {
    const { head, rows } = sampleReport(kind, { rows: 3 })
    printed.set(`pdf ${kind}`, await textOfPdf(await renderedDocument(head, rows)))
  }
  const { head, rows } = snapshotOf(new URL(publicUrl).host)
  printed.set("pdf statement", await textOfPdf(await renderedDocument(head, rows)))
})

describe("what the service prints, sends and shows", () => {
  it("is walked whole", () => {
    assert.isAbove(printed.size, 400)
    assert.include(printed.get("pdf statement"), `${publicUrl}/verify`)
    for (const text of printed.values()) assert.isAbove(text.length, 20)
  })

  it("names its own address whole, and no other one that somebody could register", () => {
    assert.deepStrictEqual(
      [...printed].map(([name, text]) => [name, wrongAddresses(text)]).filter(([, wrong]) => wrong!.length > 0),
      []
    )
  })

  it("tells nobody to run or install a package that nobody has registered", () => {
    assert.deepStrictEqual(
      [...printed].map(([name, text]) => [name, wrongPackages(text)]).filter(([, wrong]) => wrong!.length > 0),
      []
    )
  })

  it("is judged by rules that find what is wrong", () => {
    assert.deepStrictEqual(
      wrongAddresses(`see https://cs.printed.example/verify, https://countersign-licensing.com and cs.printed.example`),
      [
        "https://cs.printed.example",
        "https://countersign-licensing.com",
        "cs.printed.example"
      ]
    )
    assert.deepStrictEqual(wrongAddresses(`${publicUrl}/verify http://127.0.0.1:8080 https://github.com/x`), [])
    assert.deepStrictEqual(
      wrongPackages(
        "npx @countersign/client verify; npm install countersign; npx -y countersign; npx --no countersign; npx node a.mjs; npm install ./dist/x.tgz"
      ),
      [
        "@countersign/client",
        "countersign",
        "countersign"
      ]
    )
  })
})
