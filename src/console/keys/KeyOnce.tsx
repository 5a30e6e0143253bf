import { Copy, SecretOnce } from "../ground/design/Copy.tsx"
import { baseUrl } from "../ground/session/Environment.ts"
import { tryCommand } from "./KeyView.ts"

/** The token of a key, which is shown only here, with a command that works at once. */
export const KeyOnce = ({ name, token }: { readonly name: string; readonly token: string }) => (
  <div class="stack">
    <SecretOnce label={`API key ${name}`} text={token} />
    <span class="small">Try it:</span>
    <Copy label="curl command with the key" text={tryCommand(baseUrl, token)} />
  </div>
)
