import { nodeProcess } from "../device/System.ts"
import { runVerifier } from "./command.ts"

const own = nodeProcess()
if (own === undefined) throw new Error("The command needs Node.js 20.16 or later")
const { readFile } = own.getBuiltinModule("node:fs/promises")
const { process } = globalThis
process.exitCode = await runVerifier(process.argv.slice(2), {
  read: async (path) => new Uint8Array(await readFile(path)),
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text)
})
