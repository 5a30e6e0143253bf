import { assert, describe, it } from "@effect/vitest"
import { build } from "esbuild"
import { fork } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Answer } from "../../../src/runtime/rendering/renderProcess.ts"
import vector from "../../vectors/scripts.json" with { type: "json" }

describe("a bundle without fonts", () => {
  it("refuses a PDF, and says how they are installed", async () => {
    const outdir = mkdtempSync(join(tmpdir(), "countersign-bundle-"))
    try {
      await build({
        entryPoints: { renderProcess: "src/runtime/rendering/renderProcess.ts" },
        outdir,
        bundle: true,
        splitting: true,
        platform: "node",
        format: "esm",
        banner: {
          js: "import { createRequire as __createRequire } from \"node:module\"\n" +
            "const require = __createRequire(import.meta.url)"
        },
        logLevel: "error"
      })
      writeFileSync(join(outdir, "package.json"), "{\"type\":\"module\"}")
      const child = fork(join(outdir, "renderProcess.js"), { serialization: "advanced", execArgv: [] })
      child.send(vector.request)
      child.send(new TextEncoder().encode("{}"))
      const [answer] = await once(child, "message") as [Answer]
      child.disconnect()
      await once(child, "exit")
      assert.isTrue("refused" in answer)
      if (!("refused" in answer)) return
      assert.strictEqual(answer.refused.code, "FONTS_MISSING")
      assert.include(answer.refused.message, "npm run bundle")
    } finally {
      rmSync(outdir, { recursive: true, force: true })
    }
  })
})
