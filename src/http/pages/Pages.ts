import { Effect } from "effect"
import type { Scope } from "effect"
import { HttpRouter, type HttpServerRequest } from "effect/http"
import { docUrl } from "../../domain/wire/ErrorGuide.ts"
import { catalog } from "../../domain/wire/Errors.ts"
import { Guides } from "../../services/platform/Guides.ts"
import { Settings } from "../../services/platform/Settings.ts"
import { pageHeaders, staticAnswer, staticServices } from "../answers/StaticAnswer.ts"
import { isCode } from "../docs/Operations.ts"
import { consoleAssets, consoleTypes, unbuiltPage } from "./Console.ts"
import { ConsoleFiles } from "./ConsoleFiles.ts"
import { errorPage } from "./ErrorPages.ts"
import { guideName, guidePage, guidesPage } from "./GuidePages.ts"
import { referencePage, referenceScript, referenceScriptPath, scalarPath, scalarScript } from "./Reference.ts"
import { stylesheet, stylesheetPath } from "./stylesheet.ts"

const html = "text/html; charset=utf-8"
const script = "text/javascript; charset=utf-8"

/** What a browser shows beside the operations of the contract. Each is made at its first request. */
export const layer = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const guides = yield* Guides
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

  yield* add(stylesheetPath, "text/css; charset=utf-8", Effect.succeed(stylesheet))
  yield* add(
    "/docs/guides",
    html,
    Effect.map(
      Effect.forEach(guides.paths, (path) => Effect.map(guides.read(path), (markdown) => [path, markdown] as const)),
      guidesPage
    ),
    pageHeaders()
  )
  for (const path of guides.paths) {
    const text = Effect.map(guides.read(path), (markdown) => guidePage(markdown, guides.paths))
    yield* add(`/docs/guides/${guideName(path)}`, html, text, pageHeaders())
  }
  for (const code of Object.keys(catalog).filter(isCode)) {
    yield* add(docUrl("", code) as `/${string}`, html, Effect.sync(() => errorPage(code, publicUrl)), pageHeaders())
  }
  yield* add("/docs", html, Effect.sync(referencePage), pageHeaders("foreign"))
  yield* add(referenceScriptPath, script, Effect.sync(referenceScript))
  yield* add(scalarPath, script, scalarScript)

  const console = yield* ConsoleFiles
  for (const name of console.assets) {
    const type = consoleTypes[name.slice(name.lastIndexOf(".") + 1)] ?? "application/octet-stream"
    // Its name has its content's hash, so what has it never asks again (RFC 8246).
    const headers = { "cache-control": "public, max-age=31536000, immutable" }
    yield* add(`${consoleAssets}${name}`, type, console.read(`assets/${name}`), headers)
  }
  const shown = console.assets.length === 0 ? Effect.sync(unbuiltPage) : console.read("index.html")
  // Each of its pages has an address; which one, it decides itself.
  yield* add("/console/*", html, shown, { ...pageHeaders("own"), "cache-control": "no-cache" })
}))
