import { Effect, Layer } from "effect"
import type { Scope } from "effect"
import { HttpRouter, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { catalog } from "../../../domain/ground/wire/Errors.ts"
import { Guides } from "../../../services/ground/platform/Guides.ts"
import { Settings } from "../../../services/ground/platform/Settings.ts"
import { pageHeaders, staticAnswer, staticServices } from "../../ground/edge/StaticAnswer.ts"
import { isCode } from "../../../api/composition/docs/Operations.ts"
import { consoleAssets, consolePartOf, consoleTypes, unbuiltPage, verifyPath } from "../../ground/pages/Console.ts"
import { ConsoleFiles, verifierFile } from "../../ground/pages/ConsoleFiles.ts"
import { ContractDocument } from "./ContractDocument.ts"
import { errorPage } from "./ErrorPages.ts"
import { foundPage, guidePage, guidesPage } from "./GuidePages.ts"
import { guideSections, longestQuestion } from "./GuideSearch.ts"
import { guideName } from "../../ground/pages/Markdown.ts"
import { entries } from "../reference/Entries.ts"
import { entryPage } from "../reference/EntryPage.ts"
import { pageScript } from "../reference/pageScript.ts"
import { referenceScriptPath, referenceStyles, referenceStylesPath } from "../reference/referenceStyles.ts"
import { startPage } from "../reference/StartPage.ts"
import { stylesheet, stylesheetPath } from "../../ground/pages/stylesheet.ts"

const html = "text/html; charset=utf-8"
const css = "text/css; charset=utf-8"
const script = "text/javascript; charset=utf-8"

/** The console: its pages, and what they load. */
const consoleLayer = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const services = yield* staticServices
  const console = yield* ConsoleFiles
  for (const name of console.assets) {
    const type = consoleTypes[name.slice(name.lastIndexOf(".") + 1)] ?? "application/octet-stream"
    // Its name has its content's hash, so what has it never asks again (RFC 8246).
    const headers = { "cache-control": "public, max-age=31536000, immutable" }
    const answer = staticAnswer(services, console.read(`assets/${name}`), { contentType: type, headers })
    yield* router.add("GET", `${consoleAssets}${name}`, yield* answer)
  }
  const consoleHeaders = { ...pageHeaders("own"), "cache-control": "no-cache" }
  const consolePage = (content: Effect.Effect<string | Uint8Array<ArrayBuffer>>) =>
    staticAnswer(services, content, { contentType: html, headers: consoleHeaders })
  const unbuilt = yield* consolePage(Effect.sync(() => unbuiltPage("console")))
  const consolePages = new Map<string, typeof unbuilt>()
  for (const name of console.pages) consolePages.set(name, yield* consolePage(console.read(`${name}.html`)))
  // Each of its pages has an address; which one it is, it decides itself. They differ in what they load first.
  yield* router.add(
    "GET",
    "/console/*",
    Effect.flatMap(
      HttpServerRequest.HttpServerRequest,
      ({ url }) => consolePages.get(consolePartOf(url)) ?? consolePages.get("index") ?? unbuilt
    )
  )
}))

/**
 * The page that verifies evidence: the file that one may also open from disk. It says itself what it may run, by the hashes of its
 * script and its styles.
 */
const verifierLayer = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const services = yield* staticServices
  const { read, verifier } = yield* ConsoleFiles
  const answer = verifier
    ? staticAnswer(services, read(verifierFile), {
      contentType: html,
      headers: { ...pageHeaders(), "content-security-policy": "frame-ancestors 'none'" }
    })
    : staticAnswer(services, Effect.sync(() => unbuiltPage("verifier")), { contentType: html, headers: pageHeaders() })
  yield* router.add("GET", verifyPath, yield* answer)
}))

const otherPages = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const guides = yield* Guides
  const { document } = yield* ContractDocument
  const { publicUrl } = yield* Settings
  const services = yield* staticServices
  const add = Effect.fnUntraced(function*<E>(
    path: `/${string}`,
    contentType: string,
    content: Effect.Effect<
      string | Uint8Array<ArrayBuffer>,
      E,
      HttpServerRequest.HttpServerRequest | Scope.Scope
    >,
    headers: Readonly<Record<string, string>> = {}
  ) {
    yield* router.add("GET", path, yield* staticAnswer(services, content, { contentType, headers }))
  })

  /**
   * Pages that differ in the last part of their address, on one route: the router takes half a millisecond for each that it
   * is given, which a start would wait for.
   */
  const addEach = Effect.fnUntraced(function*<E>(
    folder: `/${string}/`,
    pages: ReadonlyMap<string, Effect.Effect<string, E>>,
    headers: Readonly<Record<string, string>>
  ) {
    const made = new Map<string, Effect.Success<ReturnType<typeof staticAnswer<E, never>>>>()
    const answer = Effect.gen(function*() {
      const { name = "" } = yield* HttpRouter.params
      const known = made.get(name)
      if (known !== undefined) return yield* known
      const content = pages.get(name)
      if (content === undefined) {
        const request = yield* HttpServerRequest.HttpServerRequest
        return yield* new HttpServerError.HttpServerError({ reason: new HttpServerError.RouteNotFound({ request }) })
      }
      const first = yield* staticAnswer(services, content, { contentType: html, headers })
      made.set(name, first)
      return yield* first
    })
    yield* router.add("GET", `${folder}:name`, answer)
  })

  yield* add(stylesheetPath, css, Effect.succeed(stylesheet))
  const allGuides = Effect.forEach(
    guides.paths,
    (path) => Effect.map(guides.read(path), (markdown) => [path, markdown] as const)
  )
  const listHeaders = pageHeaders("none", "self")
  const list = yield* staticAnswer(services, Effect.map(allGuides, guidesPage), {
    contentType: html,
    headers: listHeaders
  })
  const sections = yield* Effect.cached(Effect.uninterruptible(Effect.map(allGuides, guideSections)))
  yield* router.add(
    "GET",
    "/docs/guides",
    Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ url }) => {
      const question =
        new URLSearchParams(url.split("?", 2)[1]).get("q")?.toWellFormed().trim().slice(0, longestQuestion) ?? ""
      return question === ""
        ? list
        : Effect.map(sections, (all) =>
          HttpServerResponse.text(foundPage(all, question), {
            contentType: html,
            headers: { ...listHeaders, "cache-control": "no-store" }
          }))
    })
  )
  const guidePages = guides.paths.map((path) =>
    [guideName(path), Effect.map(guides.read(path), (markdown) => guidePage(markdown, guides.paths))] as const
  )
  yield* addEach("/docs/guides/", new Map(guidePages), pageHeaders())
  const errorPages = Object.keys(catalog).filter(isCode).map((code) =>
    [code, Effect.sync(() => errorPage(code, publicUrl))] as const
  )
  yield* addEach("/docs/errors/", new Map<string, Effect.Effect<string>>(errorPages), pageHeaders())
  yield* add(referenceStylesPath, css, Effect.succeed(referenceStyles))
  yield* add(referenceScriptPath, script, Effect.sync(pageScript))
  yield* add("/docs", html, Effect.map(document, (document) => startPage(document, publicUrl)), pageHeaders("own"))
  const entryPages = entries.map((entry) =>
    [entry.id, Effect.map(document, (document) => entryPage(document, entry, publicUrl))] as const
  )
  yield* addEach("/docs/reference/", new Map(entryPages), pageHeaders("own"))
}))

/** Pages for browsers beside the operations of the contract. Each is made at its first request. */
export const layer = Layer.mergeAll(otherPages, consoleLayer, verifierLayer)
