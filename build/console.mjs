// Builds the console (src/console) into dist/console: a page for each part of src/console/composition/parts, one for the rest, and what
// they load under names that have their content's hash in them. Runs after `npm ci`, and for the bundle;
// `npm run build:console` does it again after a change. An argument names another directory. It may be run from anywhere.
import { build } from "esbuild"
import { mkdir, readFile, rm, writeFile } from "node:fs/promises"
import { basename, join, relative, resolve } from "node:path"
import { buildVerifier } from "./verifier.mjs"

const root = join(import.meta.dirname, "..")

/** Where the service serves what the page loads. */
const address = "/assets/console"

const main = "src/console/composition/main.tsx"

/** Whether a module is one of those that a page begins with. */
const isEntry = (path) => path === main || /^src\/console\/composition\/parts\/[a-z]+\.ts$/.test(path)

/** What an entry of `tree` needs before it runs, itself included; `tree` is of the inputs or outputs of a build. */
const needed = (tree, entry, found = new Set()) => {
  if (found.has(entry) || tree[entry] === undefined) return found
  found.add(entry)
  for (const { kind, path } of tree[entry].imports) if (kind === "import-statement") needed(tree, path, found)
  return found
}

const bundle = (outdir, options) =>
  build({
    absWorkingDir: root,
    entryPoints: { console: main },
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
    logLevel: "warning",
    ...options
  })

/** A module that no more entries than these need is loaded with the first of them, and not at the first look. */
const fewEntries = 12

/**
 * The modules that many entries need, but for those that verify, which few need, and packages, which come with them; and those of
 * the first look, which every page loads anyway: one file of them is smaller than many.
 */
const sharedIn = ({ inputs }) => {
  const many = new Map()
  const first = needed(inputs, main)
  for (const entry of Object.keys(inputs).filter(isEntry)) {
    for (const path of needed(inputs, entry)) many.set(path, (many.get(path) ?? 0) + 1)
  }
  return [...many.keys()].filter((path) =>
    (many.get(path) > fewEntries || first.has(path) && path !== main) && /^src\/.*\.tsx?$/.test(path) &&
    !/\/(verify|transparency)\//.test(path)
  )
}

/**
 * Lets all entries need the same modules. A file is made for each set of entries that need a module, so that a page would
 * load some twenty small files, of which a browser asks for six at once.
 */
const sharing = (shared) => ({
  name: "sharing",
  setup: (building) =>
    building.onLoad({ filter: /\.tsx?$/ }, async ({ path }) => {
      const at = relative(root, path).replaceAll("\\", "/")
      if (!isEntry(at)) return undefined
      const imports = shared.map((each) => `import ${JSON.stringify(join(root, each))}\n`)
      return { contents: imports.join("") + await readFile(path, "utf8"), loader: at === main ? "tsx" : "ts" }
    })
})

/** Builds into a directory. */
export const buildConsole = async (outdir) => {
  await rm(outdir, { recursive: true, force: true })
  const shared = sharedIn((await bundle(outdir, { write: false })).metafile)
  const { metafile: { outputs } } = await bundle(outdir, { plugins: [sharing(shared)] })
  // The others are loaded by whoever shows a letter of theirs.
  const font = basename(Object.keys(outputs).find((path) => /inter-latin-wght-[^/]*\.woff2$/.test(path)))
  const madeFrom = (entry) => Object.keys(outputs).find((path) => outputs[path].entryPoint === entry)
  const script = madeFrom(main)
  // One request for each address, and not a chain of them: what the main script would ask for, the page asks for.
  const page = (scripts) =>
    `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<title>Console</title><meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">
<link rel="preload" href="${address}/${font}" as="font" type="font/woff2" crossorigin>
<link rel="stylesheet" href="${address}/${basename(outputs[script].cssBundle)}"><script type="module" src="${address}/${
      basename(script)
    }"></script>${
      [...scripts].filter((path) => path !== script).map((path) =>
        `<link rel="modulepreload" href="${address}/${basename(path)}">`
      ).join("")
    }</head>
<body><div id="console"></div><noscript>The console needs JavaScript. The <a href="/docs">reference</a> is of the same API.</noscript></body></html>
`
  await mkdir(outdir, { recursive: true })
  const first = () => needed(outputs, script)
  await writeFile(join(outdir, "index.html"), page(first()))
  for (const { entryPoint = "" } of Object.values(outputs)) {
    if (entryPoint === main || !isEntry(entryPoint)) continue
    const name = basename(entryPoint, ".ts")
    await writeFile(join(outdir, `${name}.html`), page(needed(outputs, madeFrom(entryPoint), first())))
  }
  // The first style sheet has the styles of all parts.
  const styles = Object.keys(outputs).filter((path) => path.endsWith(".css") && path !== outputs[script].cssBundle)
  for (const path of styles) await rm(resolve(root, path))
  // Loaded by one page of the portal, which is written by the service.
  await build({
    absWorkingDir: root,
    entryPoints: ["src/http/portal/pages/RequestPhoto.ts"],
    outfile: resolve(outdir, "portal", "request-photo.js"),
    bundle: true,
    minify: true,
    format: "iife",
    target: "es2022",
    legalComments: "eof",
    logLevel: "warning"
  })
  // Served at /verify: no page of the console, but built and packed with them.
  await buildVerifier(join(outdir, "verifier", "verify.html"))
}

if (process.argv[1] === import.meta.filename) await buildConsole(process.argv[2] ?? join(root, "dist/console"))
