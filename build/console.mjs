// Builds the console (src/console) into dist/console: one page, and what it loads under names that have their content's
// hash in them. Runs after `npm ci`, and for the bundle; `npm run build:console` does it again after a change. An argument
// names another directory. It may be run from anywhere.
import { build } from "esbuild"
import { mkdir, rm, writeFile } from "node:fs/promises"
import { basename, join, resolve } from "node:path"

const root = join(import.meta.dirname, "..")

/** Where the service serves what the page loads. */
const address = "/assets/console"

/** Builds into a directory. */
export const buildConsole = async (outdir) => {
  await rm(outdir, { recursive: true, force: true })
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { console: "src/console/main.tsx" },
    outdir: resolve(outdir, "assets"),
    entryNames: "[name]-[hash]",
    assetNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    splitting: true,
    publicPath: address,
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    jsx: "automatic",
    jsxImportSource: "preact",
    loader: { ".woff2": "file" },
    legalComments: "eof",
    metafile: true,
    logLevel: "warning"
  })
  const made = Object.keys(metafile.outputs).map((path) => basename(path))
  const named = (ending) => made.find((name) => name.startsWith("console-") && name.endsWith(ending))
  const font = made.find((name) => name.endsWith(".woff2"))
  await mkdir(outdir, { recursive: true })
  await writeFile(
    join(outdir, "index.html"),
    `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<title>Countersign</title><meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">
<link rel="preload" href="${address}/${font}" as="font" type="font/woff2" crossorigin>
<link rel="stylesheet" href="${address}/${named(".css")}"><script type="module" src="${address}/${
      named(".js")
    }"></script></head>
<body><div id="console"></div><noscript>The console needs JavaScript. The <a href="/docs">reference</a> is of the same API.</noscript></body></html>
`
  )
}

if (process.argv[1] === import.meta.filename) await buildConsole(process.argv[2] ?? join(root, "dist/console"))
