import { Layer } from "effect"
import { Passkeys } from "./Passkeys.ts"
import { PasskeySignIns } from "./PasskeySignIns.ts"

/** Passkeys of people, and who comes in by them. */
export const layer = Layer.mergeAll(Passkeys.layer, PasskeySignIns.layer)
