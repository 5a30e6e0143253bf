// Bundles the service and its command line into dist/, as plain JavaScript without node_modules: what the container
// image runs. `node dist/main.js` is the service, `node dist/cli.js` the command line. An argument names another directory.
// `--without-pdf` leaves out the fonts (32 MB); then the service refuses to export a report as a PDF.
import { copyAssets } from "countersign-pdf/assets"
import { build } from "esbuild"
import { cp, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { buildConsole } from "./console.mjs"
import { makeContract } from "./freshContract.mjs"
import { nodeBundle } from "./nodeBundle.ts"

makeContract()
const withoutPdf = process.argv.includes("--without-pdf")
const outdir = process.argv.slice(2).find((argument) => !argument.startsWith("--")) ?? "dist"
await rm(outdir, { recursive: true, force: true })
await build({
  ...nodeBundle,
  entryPoints: {
    main: "src/runtime/main.ts",
    cli: "src/runtime/cli.ts",
    renderProcess: "src/runtime/rendering/renderProcess.ts",
    compressionThread: "packages/pdf/src/file/compressionThread.mjs"
  },
  outdir,
  // What the libraries' licenses ask for stays beside the code.
  legalComments: "linked"
})
await writeFile(join(outdir, "package.json"), `${JSON.stringify({ type: "module" })}\n`)
// What is served at /console.
await buildConsole(join(outdir, "console"))
// What is served under /docs/guides.
await cp("docs", join(outdir, "docs"), { recursive: true })

// What documents are set with.
await copyAssets(outdir, { withFonts: !withoutPdf })
