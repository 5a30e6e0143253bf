import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import { HttpApi, HttpApiScalar } from "effect/http-api"
import { bar, head } from "./Layout.ts"

/** The one document that the reference shows. */
const documentPath = "/openapi.yaml"

/** Where Scalar is served. */
export const scalarPath = "/docs/scalar.js"

/** Where the settings that Scalar is started with are served: a file, because no inline script may run. */
export const referenceScriptPath = "/docs/reference.js"

/**
 * The reference page. The bar and the heading are painted before the script has come, which replaces the heading by the
 * contract.
 */
export const referencePage = (): string =>
  `${
    head(
      "Countersign reference",
      `<script src="${scalarPath}" defer></script><script src="${referenceScriptPath}" defer></script>`
    )
  }
<body>${bar("/docs")}
<div id="reference"><div class="page"><main><h1>Countersign reference</h1><p class="lead">The reference is being opened.</p>
<noscript><p>It needs JavaScript. The contract is at <a href="${documentPath}">${documentPath}</a>, as text at
<a href="/llms-full.txt">/llms-full.txt</a>.</p></noscript></main></div></div></body></html>
`

const settings = {
  url: documentPath,
  withDefaultFonts: false,
  showDeveloperTools: "never",
  hideClientButton: true,
  operationTitleSource: "summary",
  documentDownloadType: "none",
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  persistAuth: false,
  authentication: { preferredSecurityScheme: "bearer" },
  theme: "default",
  defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
  customCss: ":root { --scalar-font: system-ui, -apple-system, 'Segoe UI', sans-serif;" +
    " --scalar-font-code: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace }" +
    // There is no setting for the links to its makers.
    " a[href^='https://www.scalar.com'] { display: none }"
}

/** The script that starts Scalar in the page. */
export const referenceScript = (): string =>
  `"use strict"
const place = document.getElementById("reference")
place.replaceChildren()
Scalar.createApiReference(place, ${JSON.stringify(settings)})
`

/**
 * Scalar as Effect brings it. It is taken out of the page that Effect makes, because the script itself is not exported;
 * loaded at the first request, because it takes 13 MB of memory that most services never need.
 */
export const scalarScript = Effect.gen(function*() {
  // Effect's page answers under this path alone, which is asked for now.
  const page = HttpRouter.toHttpEffect(HttpApiScalar.layer(HttpApi.make("none"), { path: scalarPath }))
  const { body } = yield* Effect.flatten(Effect.scoped(page))
  const html = body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : ""
  const [, script] = /<script>([\s\S]*?)<\/script>/.exec(html) ?? []
  return script ?? (yield* Effect.die(new Error("Effect's page of Scalar has no script")))
})
