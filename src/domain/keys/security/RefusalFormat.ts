import type { RefusalStatement } from "../../ground/wire/Signed.ts"

/** The type in a signed refusal: nothing else that is signed can be taken for one. */
export const refusalType: RefusalStatement["type"] = "refusal"

/** The text whose hash binds a signed refusal to its request. `target` is the path with its query. */
export const refusedRequest = (method: string, target: string, body: string): string => `${method} ${target}\n${body}`
