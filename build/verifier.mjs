// Builds verify.html: a page of one file that verifies what a service signed, from disk and without a network. Its script
// and its styles are allowed by their hashes, and nothing else is. `npm run build:verifier` writes dist/verify.html; an
// argument names another file. The console and the package of the client bring it too.
import { build } from "esbuild"
import { createHash } from "node:crypto"
import { mkdir, writeFile } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"

const root = join(import.meta.dirname, "..")

const hashOf = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`

const bundled = async (options) => {
  const { outputFiles: [file] } = await build({
    absWorkingDir: root,
    bundle: true,
    minify: true,
    charset: "utf8",
    target: "es2022",
    legalComments: "none",
    logLevel: "warning",
    write: false,
    ...options
  })
  return file
}

/** The page as HTML. */
export const makeVerifier = async () => {
  const markup = await bundled({ entryPoints: ["src/client/verifier/markup.ts"], format: "esm" })
  const { body, styles } = await import(
    `data:text/javascript;base64,${Buffer.from(markup.contents).toString("base64")}`
  )
  const { text } = await bundled({ entryPoints: ["src/client/verifier/page.ts"], format: "iife" })
  const script = text.trim()
  if (/<\/script|<!--/i.test(script)) throw new Error("The script of verify.html cannot stand in HTML")
  const policy = `default-src 'none'; script-src ${hashOf(script)}; style-src ${
    hashOf(styles)
  }; base-uri 'none'; form-action 'none'`
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer">
<title>Verify evidence · Countersign</title><style>${styles}</style></head>
<body>${body}
<noscript><p>This page verifies by a script. Allow it to run: it has no way to send anything.</p></noscript>
<script>${script}</script></body></html>
`
}

/** Writes the page into a file. */
export const buildVerifier = async (file) => {
  await mkdir(dirname(resolve(file)), { recursive: true })
  await writeFile(file, await makeVerifier())
}

if (process.argv[1] === import.meta.filename) await buildVerifier(process.argv[2] ?? join(root, "dist/verify.html"))
