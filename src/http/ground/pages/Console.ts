import { Context } from "effect"
import type { Effect } from "effect"
import { namedEnvironments } from "../../../domain/ground/environments/EnvironmentName.ts"
import { page } from "./Markdown.ts"

/** The page at /verify among the files. */
export const verifierFile = "verifier/verify.html"

/** The script of the portal among the files. */
export const requestPhotoFile = "portal/request-photo.js"

/** The console as it was built; the runtime reads it from its files. */
export class ConsoleFiles extends Context.Service<ConsoleFiles, {
  /** The names of what its page loads, each with its content's hash; empty where it was not built. */
  readonly assets: ReadonlyArray<string>

  /** The pages of its parts, by what their addresses have behind `/console/`, and `index` for any other. */
  readonly pages: ReadonlyArray<string>

  /** Whether {@link verifierFile} is there. */
  readonly verifier: boolean

  /** Whether {@link requestPhotoFile} is there. */
  readonly requestPhoto: boolean

  /** A file: `assets/` and one of {@link assets}, or one of {@link pages} and `.html`, {@link verifierFile} or {@link requestPhotoFile}. */
  readonly read: (path: string) => Effect.Effect<Uint8Array<ArrayBuffer>>
}>()("countersign/http/ground/pages/ConsoleFiles") {}

/** Where what the console loads is served. The page itself names these addresses; the build writes it. */
export const consoleAssets = "/assets/console/"

/** The page that verifies evidence. Statements of each environment print its address, by the name of their log. */
export const verifyPath = "/verify"

/** The route of the console's pages, whose parameters the browser reads; undefined for any other path. */
export const consoleRouteOf = (path: string): string | undefined =>
  path.startsWith("/console/") ? "/console/*" : undefined

/** The addresses of pages; those of another environment than live have its name first. */
const consolePage = new RegExp(`^/console/(?:(?:${namedEnvironments.join("|")})/)?(\\w+)`)

/** The part of the console that an address is of: the first name of its page; empty where there is none. */
export const consolePartOf = (url: string): string => consolePage.exec(url)?.[1] ?? ""

/** Content types of the built files, by their ending. */
export const consoleTypes: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  woff2: "font/woff2"
}

/** The page of something that was not built, as after an installation without development packages. */
export const unbuiltPage = (name: "console" | "verifier"): string =>
  page({
    title: "Not built · Countersign",
    main: `<h1>The ${name} was not built here</h1>
<p class="lead">This installation has no bundler, so it has only the API.</p>
<p>The packed program (<code>countersign</code>) and the container image bring the ${name}. From a clone,
<code>npm ci</code> or <code>npm run build:console</code> builds it; then start the service again.</p>`
  })
