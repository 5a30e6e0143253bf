import type { SecondLookAction } from "../../../client/api/index.ts"
import { labels } from "../../../client/api/Labels.ts"
import { Check } from "../../ground/design/Field.tsx"

/** In the order in which they are chosen. */
const actions: ReadonlyArray<SecondLookAction> = [
  "revoke_license",
  "rotate_license_key",
  "erase_customer",
  "create_api_key",
  "rotate_api_key",
  "rotate_signing_key",
  "revoke_signing_key",
  "rotate_webhook_secret",
  "change_people",
  "change_roles"
]

/** The actions that people with a role need a second person for. */
export const SecondLookField = ({ onChange, value }: {
  readonly value: ReadonlyArray<SecondLookAction>
  readonly onChange: (value: ReadonlyArray<SecondLookAction>) => void
}) => (
  <fieldset class="radios">
    <legend class="label">Needs a second person to</legend>
    {actions.map((action) => (
      <Check
        key={action}
        isOn={value.includes(action)}
        onChange={(isOn) => onChange(isOn ? [...value, action] : value.filter((other) => other !== action))}
      >
        {labels.secondLook[action]}
      </Check>
    ))}
    <span class="small quiet">With any of these, also to make API keys and to change people and roles.</span>
  </fieldset>
)
