import { Context, Effect, Layer } from "effect"
import { openApiDocument } from "../../../api/composition/docs/OpenApi.ts"
import type { Node } from "../../../api/composition/docs/Schemas.ts"
import { Settings } from "../../../services/ground/platform/Settings.ts"

/**
 * The OpenAPI document, made when it is asked for first and kept: half a second, which a start should not wait for. The
 * files and the pages of the reference are made of this one.
 */
export class ContractDocument extends Context.Service<ContractDocument, {
  readonly document: Effect.Effect<Node>
}>()("countersign/http/composition/pages/ContractDocument") {}

/** {@link ContractDocument} with the address and the version of this service. */
export const layer = Layer.effect(
  ContractDocument,
  Effect.gen(function*() {
    const { publicUrl, version } = yield* Settings
    return { document: yield* Effect.cached(Effect.sync(() => openApiDocument(publicUrl, version))) }
  })
)
