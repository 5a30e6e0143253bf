import { Effect, Layer } from "effect"
import { existsSync, readdirSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { ConsoleFiles, requestPhotoFile, verifierFile } from "../http/ground/pages/Markdown.ts"

const here = dirname(fileURLToPath(import.meta.url))

/** Beside the program in a bundle, where `npm ci` builds it otherwise. */
const directory = [join(here, "console"), join(here, "../../dist/console")].find((place) =>
  existsSync(join(place, "index.html"))
)

/** {@link ConsoleFiles} from the directory that the build writes. */
export const layer = Layer.sync(ConsoleFiles, () =>
  ConsoleFiles.of({
    pages: directory === undefined
      ? []
      : readdirSync(directory).filter((name) => name.endsWith(".html")).map((name) => basename(name, ".html")),
    assets: directory === undefined ? [] : readdirSync(join(directory, "assets")).toSorted(),
    verifier: directory !== undefined && existsSync(join(directory, verifierFile)),
    requestPhoto: directory !== undefined && existsSync(join(directory, requestPhotoFile)),
    read: (path) => Effect.promise(async () => new Uint8Array(await readFile(join(directory ?? here, path))))
  }))
