import { Effect, Layer } from "effect"
import { existsSync, readdirSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { dirname, join, sep } from "node:path"
import { fileURLToPath } from "node:url"
import { Guides } from "../services/ground/platform/Ports.ts"

const here = dirname(fileURLToPath(import.meta.url))

/** Beside the program in a bundle, at the root of the tree otherwise; a bundle without its docs has no guides. */
const directory = [join(here, "docs"), join(here, "../../docs")].find((place) => existsSync(place))

/** {@link Guides} from the files of docs/. */
export const layer = Layer.sync(Guides, () =>
  Guides.of({
    paths: directory === undefined
      ? []
      : readdirSync(directory, { recursive: true, encoding: "utf8" })
        .map((path) => path.replaceAll(sep, "/")).filter((path) => path.endsWith(".md")).toSorted(),
    read: (path) => Effect.promise(() => readFile(join(directory ?? here, path), "utf8"))
  }))
