// Makes the bundles that `npm start` and the command line run (src/runtime/startBundle.mjs): for this checkout alone. What
// else they need, such as guides, fonts and the program that renders documents, they take from where the source tree has it.
import { build } from "esbuild"
import { spawnSync } from "node:child_process"
import { mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises"
import { dirname, join, relative, sep } from "node:path"
import { fileURLToPath } from "node:url"
import manifest from "../package.json" with { type: "json" }
import { digest, directoryOf, packages, record, stamps } from "../src/runtime/startBundle.mjs"
import { directImports } from "./directImports.ts"
import { latin1Libraries } from "./latin1.ts"
import { nodeBundle } from "./nodeBundle.ts"
import { primeServer } from "./primeServer.ts"
import { schemaInside } from "./schemaText.ts"
import { asScript } from "./scripts.ts"

const root = fileURLToPath(new URL("..", import.meta.url))

/** What a module says of its own place, for each way to say it, by the address of its file. */
const places = {
  url: (address) => `${address}.href`,
  filename: (address) => `process.getBuiltinModule("node:url").fileURLToPath(${address})`,
  dirname: (address) => `process.getBuiltinModule("node:url").fileURLToPath(new URL(".", ${address}))`
}

/** The text of a module of the source tree that finds what is beside it there, wherever the checkout is moved to. */
const keepingPlaces = (directory) => (text, path) => {
  if (!text.includes("import.meta.")) return text
  const address = `new URL(${JSON.stringify(relative(directory, path).replaceAll(sep, "/"))}, import.meta.url)`
  return text.replaceAll(/\bimport\.meta\.(url|filename|dirname)\b/g, (_, way) => places[way](address))
}

/**
 * Node's own modules without the form in which `import` gets them: to list what `node:http` exports, that evaluates
 * everything it could ever export, another HTTP client among it, which takes a tenth of a second.
 */
const plainBuiltins = {
  name: "plain builtins",
  setup: ({ onLoad, onResolve }) => {
    onResolve(
      { filter: /^node:/ },
      ({ kind, path }) => kind === "import-statement" ? { path, namespace: "builtin" } : { path, external: true }
    )
    onLoad({ filter: /.*/, namespace: "builtin" }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)})`
    }))
  }
}

/** Makes the bundle of a program, and records what it was made from. */
const make = async (program, entryPoints) => {
  const directory = directoryOf(program)
  const draft = `${directory}-${process.pid}`
  const begun = Date.now()
  await rm(draft, { recursive: true, force: true })
  try {
    const { metafile } = await build({
      ...nodeBundle,
      absWorkingDir: root,
      entryPoints,
      outdir: draft,
      legalComments: "none",
      sourcemap: true,
      sourcesContent: false,
      // As a module it would be begun by whoever requires it first, and change what other parts have imported.
      alias: { "@opentelemetry/api": fileURLToPath(import.meta.resolve("@opentelemetry/api")) },
      plugins: [schemaInside, directImports(keepingPlaces(directory)), latin1Libraries, plainBuiltins],
      metafile: true
    })
    for (const path of Object.keys(metafile.outputs).filter((path) => path.endsWith(".js"))) {
      const script = asScript(await readFile(join(root, path), "utf8"))
      if (/[^\0-\xff]/.test(script)) throw new Error(`${path} is not in Latin-1.`)
      await writeFile(join(root, path), script, "latin1")
    }
    const inputs = Object.keys(metafile.inputs).filter((path) => !/^builtin:|(^|\/)node_modules\//.test(path))
    const paths = [
      ...inputs.toSorted(),
      "build/startBundle.mjs",
      "build/nodeBundle.ts",
      "build/directImports.ts",
      "build/latin1.ts",
      "build/schemaText.ts",
      "build/scripts.ts",
      packages
    ]
    for (const path of paths) {
      const { mtimeMs } = await stat(join(root, path)).catch(() => ({ mtimeMs: 0 }))
      if (mtimeMs >= begun) throw new Error(`${path} was changed while the bundle was made: make it again.`)
    }
    await writeFile(join(draft, "package.json"), `${JSON.stringify({ type: "module" })}\n`)
    await writeFile(join(draft, record), JSON.stringify({ paths, stamps: stamps(paths), digest: digest(paths) }))
    await rm(directory, { recursive: true, force: true })
    await mkdir(dirname(directory), { recursive: true })
    await rename(draft, directory)
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

// The second is a part of the first that has a name by which it is found below.
await make("main", { main: "src/runtime/main.ts", Server: "src/runtime/Server.ts" })
await make("cli", { cli: "src/runtime/cli.ts" })

// What is compiled is kept (src/runtime/bundleParts.mjs), so the first start need not compile it.
await primeServer(root, manifest.scripts.start.split(" ").slice(1))
// The command that everybody begins with first: of a part is kept what the first run compiles. It finds no token here.
const cli = manifest.scripts.countersign.split(" ").slice(1)
for (const what of [["token"], ["api", "--help"]]) {
  spawnSync(process.execPath, [...cli, ...what], {
    cwd: root,
    env: { COUNTERSIGN_DATA_DIR: join(directoryOf("cli"), "none") },
    stdio: "ignore"
  })
}
