// What `npm run countersign` and the command `countersign` run in a checkout.
import "./compileCache.mjs"
import { runProgram } from "./startBundle.mjs"

await runProgram("cli")
