import { Copy } from "../design/Copy.tsx"

/** A secret of an endpoint, which the service shows this once. */
export const Secret = ({ of }: { readonly of: string }) => (
  <div class="stack">
    <span>Its secret. It is not shown again:</span>
    <Copy label="The secret" text={of} />
  </div>
)
