import { Layer } from "effect"
import { LicenseViews } from "./LicenseViews.ts"
import { Notes } from "./Notes.ts"

/** Notes for colleagues, and saved views. */
export const layer = Layer.mergeAll(Notes.layer, LicenseViews.layer)
