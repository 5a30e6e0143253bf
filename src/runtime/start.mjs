// What `npm start` runs: the bundle that `npm ci` has made of this source tree, or the source tree itself where it has
// changed since, or where there is no bundle (npm ci --omit=dev).
import { pathToFileURL } from "node:url"
import { nameSources } from "./sourceStacks.mjs"
import { directory, freshProgram } from "./startBundle.mjs"

const program = freshProgram()
if (program === undefined) await import("./main.ts")
else {
  await import(pathToFileURL(program).href)
  // Not before: a library looks at a stack while it is loaded, for which a map would be read.
  nameSources(directory)
}
