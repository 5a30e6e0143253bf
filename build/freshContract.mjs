// Sees to it that what the client and the console know of the contract is that of the declarations as they are now
// (build/clientContract.ts makes it in some five seconds; to look takes a hundredth). Whatever compiles, bundles or tests the
// client begins with it, and so does a start of the source tree.
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { contractRecord, isUnchanged } from "../src/runtime/startBundle.mjs"

export const makeContract = () => {
  if (isUnchanged(contractRecord)) return
  const program = fileURLToPath(new URL("clientContract.ts", import.meta.url))
  const { status } = spawnSync(process.execPath, [program], { stdio: ["ignore", "inherit", "inherit"] })
  if (status !== 0) throw new Error("What the client knows of the contract was not made: npm run client:contract")
}

if (process.argv[1] === import.meta.filename) {
  try {
    makeContract()
  } catch ({ message }) {
    console.error(message)
    process.exitCode = 1
  }
}
