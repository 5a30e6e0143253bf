import { Context } from "effect"
import type { Effect } from "effect"

/** The page at /verify among the files. */
export const verifierFile = "verifier/verify.html"

/** The script of the portal among the files. */
export const requestPhotoFile = "portal/request-photo.js"

/** The console as it was built; the runtime reads it from its files. */
export class ConsoleFiles extends Context.Service<ConsoleFiles, {
  /** The names of what its page loads, each with its content's hash; empty where it was not built. */
  readonly assets: ReadonlyArray<string>

  /** The pages of its parts, by what their addresses have behind `/console/`, and `index` for any other. */
  readonly pages: ReadonlyArray<string>

  /** Whether {@link verifierFile} is there. */
  readonly verifier: boolean

  /** Whether {@link requestPhotoFile} is there. */
  readonly requestPhoto: boolean

  /** A file: `assets/` and one of {@link assets}, or one of {@link pages} and `.html`, {@link verifierFile} or {@link requestPhotoFile}. */
  readonly read: (path: string) => Effect.Effect<Uint8Array<ArrayBuffer>>
}>()("countersign/http/ground/pages/ConsoleFiles") {}
