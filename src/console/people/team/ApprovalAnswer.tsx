import { useState } from "preact/hooks"
import type { Approval, Countersign } from "../../../client/api/index.ts"
import { Button } from "../../ground/design/Button.tsx"
import { SecretOnce } from "../../ground/design/Copy.tsx"
import { sendingBody } from "../../ground/requests/Sent.ts"
import { Failure } from "../../ground/session/Failure.tsx"
import { ask, errorOf } from "../../ground/session/Session.ts"
import { LinkOnce } from "./Invite.tsx"

/** The request once more, under the ID of its approval: it is answered as it was, and not done again. */
const answerOf = async (client: Countersign, { id, operation, params: { id: of = "" } }: Approval) => {
  const again = { idempotencyKey: id }
  switch (operation) {
    case "rotateLicenseKey":
      return { label: "New license key", text: (await client.licenses.rotateKey(of, {}, again)).license_key }
    case "createAPIKey":
      return { label: "API key", text: (await client.apiKeys.create({ name: "" }, again)).token }
    case "rotateAPIKey":
      return { label: "API key", text: (await client.apiKeys.rotate(of, {}, again)).token }
    case "invitePerson":
      return { invitation: await client.people.invite(of, again) }
    default: {
      const endpoint = await client.webhooks.update(of, {}, again)
      return { label: "Signing secret", text: "secret" in endpoint ? endpoint.secret : "" }
    }
  }
}

/** Shows the secret of what was approved to whoever asked. */
export const ApprovalAnswer = ({ of }: { readonly of: Approval }) => {
  const [answer, setAnswer] = useState<Awaited<ReturnType<typeof answerOf>>>()
  const [error, setError] = useState<Error>()
  const take = () => {
    setError(undefined)
    ask((client) => answerOf(client, of), sendingBody(of.body)).then(
      setAnswer,
      (cause: unknown) => setError(errorOf(cause))
    )
  }
  if (answer !== undefined) {
    return answer.invitation === undefined
      ? <SecretOnce label={answer.label} text={answer.text} />
      : <LinkOnce name="the invited person" of={answer.invitation} />
  }
  return (
    <>
      <span class="row wraps">
        <Button small weight="main" onClick={take}>Show the secret</Button>
        <span class="small quiet">For a day, and only to you.</span>
      </span>
      {error === undefined ? null : <Failure error={error} onRetry={take} />}
    </>
  )
}
