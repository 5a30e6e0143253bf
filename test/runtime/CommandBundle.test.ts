// What a command and the service load of their bundles, by the bundler's own account.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { build } from "esbuild"
import type { Metafile } from "esbuild"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { withDirectImports } from "../../build/directImports.ts"
import { inLatin1 } from "../../build/latin1.ts"
import { nodeBundle } from "../../build/nodeBundle.ts"
import { root } from "../fixtures/Program.ts"

const program = "src/runtime/cli.ts"
const server = "src/runtime/Server.ts"

interface Bundle {
  readonly inputs: Metafile["inputs"]
  readonly outputs: Metafile["outputs"]
  readonly texts: ReadonlyArray<string>
}

const bundleOf = async (entryPoint: string): Promise<Bundle> => {
  const { metafile, outputFiles } = await build({
    ...nodeBundle,
    absWorkingDir: root,
    entryPoints: [entryPoint],
    outdir: "dist",
    write: false,
    metafile: true
  })
  return { ...metafile, texts: outputFiles.map(({ text }) => text) }
}

let ofProgram: Bundle
let ofServer: Bundle

beforeAll(async () => {
  ofProgram = await bundleOf(program)
  ofServer = await bundleOf(server)
})

/** The bytes of each module that is loaded with these modules, which the bundle loads by name. */
const loadedWith = ({ outputs }: Bundle, ...modules: ReadonlyArray<string>): ReadonlyMap<string, number> => {
  const open = modules.map((module) => {
    const found = Object.keys(outputs).find((output) => outputs[output]?.entryPoint === module)
    assert.isDefined(found, `${module} is loaded by itself`)
    return found!
  })
  const seen = new Set<string>()
  const bytes = new Map<string, number>()
  for (let output = open.pop(); output !== undefined; output = open.pop()) {
    if (seen.has(output)) continue
    seen.add(output)
    const { imports, inputs } = outputs[output]!
    for (const [input, { bytesInOutput }] of Object.entries(inputs)) {
      if (bytesInOutput > 0) bytes.set(input, bytesInOutput)
    }
    open.push(
      ...imports.filter(({ kind, external }) => kind === "import-statement" && external !== true).map(({ path }) =>
        path
      )
    )
  }
  return bytes
}

/**
 * What neither the token nor the help needs: the contract, databases, documents, all services but two tags, and of the domain
 * what has schemas, which take longer to make than the settings to read.
 */
const unused = new RegExp(
  "^src/(api|http)/|^src/services/(?!ground/(environments/CurrentEnvironment|platform/Settings))" +
    "|^src/domain/(?!ground/(admission|environments|parsing/StrictBytes)|evidence/transparency/(SignedNote|VerifierKey))" +
    "(?!keys/security/(Credential|PastedText|SecretFields)|ground/wire/Crockford|ground/parsing/(ByteTexts|Email|Nearest|VisibleText)|people/(ClaimRules|RoleId))" +
    "(?!keys/settings/ActivityRetention|evidence/reports/WindowDays)" +
    "|^src/runtime/(?!cli|config|node/Watch\\.|postgres/(DataDirectory|Database(Socket|Tls))\\.|terminal|traces/Sampler|CommandLine|Program|StopRequest)" +
    "|^src/runtime/cli/(?!ground/AdminToken|composition/CommandTable|keys/Token\\.)" +
    "|^packages/|node_modules/(@effect/sql-pg|pg|undici|liquidjs|marked|jose)/|effect/dist/httpapi/"
)

describe("the bundle of the command line", () => {
  it("loads no module for the token that the token does not use", () => {
    const loaded = loadedWith(ofProgram, program, "src/runtime/cli/keys/Token.ts")
    assert.isTrue(loaded.has("src/runtime/cli/ground/AdminToken.ts"))
    assert.deepStrictEqual([...loaded.keys()].filter((module) => unused.test(module)), [])
    const bytes = [...loaded.values()].reduce((sum, size) => sum + size, 0)
    assert.isBelow(bytes, 1_100_000, "the bytes of JavaScript that a token takes")
  })

  it("loads no command for the help of the program", () => {
    const commands = [...loadedWith(ofProgram, program).keys()].filter((module) =>
      module.startsWith("src/runtime/cli/")
    )
    assert.deepStrictEqual(commands, ["src/runtime/cli/composition/CommandTable.ts"])
  })
})

describe("the bundle of the service", () => {
  it("loads no driver before it is used", () => {
    const loaded = [...loadedWith(ofServer, server).keys()]
    assert.include(loaded, "src/runtime/node/UndiciTransport.ts")
    const drivers = /(^|\/)node_modules\/(undici|nodemailer|jose|openid-client|@simplewebauthn\/server|fast-png)\//
    assert.deepStrictEqual(loaded.filter((module) => drivers.test(module)), [])
  })
})

describe("a library that is loaded by name", () => {
  it("is taken as one value where it is in CommonJS: a bundle knows no names of what that exports", () => {
    const loaded = Object.entries(ofServer.inputs).flatMap(([path, { imports }]) =>
      path.startsWith("src/")
        ? imports.filter(({ kind, path: of }) => kind === "dynamic-import" && ofServer.inputs[of]?.format === "cjs")
          .map(({ original }) => ({ path, library: original! }))
        : []
    )
    assert.sameMembers(loaded.map(({ library }) => library), ["undici"])
    for (const { library, path } of loaded) {
      const text = readFileSync(join(root, path), "utf8")
      assert.include(text, `(await import("${library}")).default`, path)
      assert.strictEqual(text.split(`await import("${library}")`).length, 2, path)
    }
  })
})

describe("bundles", () => {
  it("are in Latin-1, which takes half the memory", () => {
    const texts = [...ofProgram.texts, ...ofServer.texts]
    assert.deepStrictEqual(texts.flatMap((text) => text.match(/.{0,40}[^\0-\xff]/g) ?? []), [])
  })

  it("have the same texts in Latin-1", async () => {
    const valueOf = async (text: string) =>
      (await import(`data:text/javascript,export default ${encodeURIComponent(text)}`)).default
    const text = "/^[œ\u{1F600}]$/u.test(\"😀\") && `… ${\"é\"} ` === \"… é \""
    assert.isTrue(await valueOf(text))
    assert.isTrue(await valueOf(inLatin1(text)))
    assert.match(inLatin1(text), /^[\0-\xff]+$/)
  })
})

describe("direct imports", () => {
  it("name the module of each export of a barrel, and leave lines where they are", () => {
    const text = [
      "import {",
      "  Array as Lists,",
      "  Effect,",
      "  identity",
      "} from \"effect\"",
      "import type { Layer } from \"effect\"",
      "import { HttpApi } from \"effect/http-api\"",
      "import { isSqlError } from \"effect/sql/SqlError\"",
      "identity(Effect)"
    ]
    assert.deepStrictEqual(withDirectImports(text.join("\n")).split("\n"), [
      "import * as Lists from \"effect/Array\"; import * as Effect from \"effect/Effect\"; " +
      "import { identity as identity } from \"effect/Function\"",
      "",
      "",
      "",
      "",
      "import type { Layer } from \"effect\"",
      "import * as HttpApi from \"effect/http-api/HttpApi\"",
      "import { isSqlError } from \"effect/sql/SqlError\"",
      "identity(Effect)"
    ])
  })

  it("refuse what no barrel exports", () => {
    assert.throws(() => withDirectImports("import { Nothing } from \"effect\""), "does not say from which module")
  })
})
