import type { RefusalStatement } from "../wire/Signed.ts"

/** What a refusal says of itself where it is signed, so that nothing else that is signed can be taken for one. */
export const refusalType: RefusalStatement["type"] = "refusal"

/** What of a request a signed refusal is bound to, as the text that is hashed. `target` is the path with its query. */
export const refusedRequest = (method: string, target: string, body: string): string => `${method} ${target}\n${body}`
