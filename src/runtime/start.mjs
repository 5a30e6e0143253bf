// What `npm start` runs.
import { runProgram } from "./startBundle.mjs"

await runProgram("main")
