// Loaded before the program (node --import). What Node compiles, and what it makes of TypeScript, is kept on disk, so
// that a later start takes half the time and 40 MB less. In node_modules it belongs to whoever installed the code: a
// cache that others can write to would run what they put there. Where that is not writable, nothing is kept.
import { enableCompileCache, flushCompileCache } from "node:module"
import { fileURLToPath } from "node:url"

enableCompileCache(fileURLToPath(new URL("../../node_modules/.cache/countersign", import.meta.url)))

// Not only at a clean end, which a process that is killed never reaches.
setTimeout(flushCompileCache, 15_000).unref()
