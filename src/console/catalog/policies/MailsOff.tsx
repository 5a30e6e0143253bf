import { Note } from "../../ground/design/Feedback.tsx"
import { useLoad } from "../../ground/session/Load.ts"
import { mayOfAll } from "../../ground/session/Session.ts"

/** Says that mails are off, to those who may know: a policy that names some would send none. */
export const MailsOff = () => {
  const { data } = useLoad((client, signal) => client.settings.getMail({ signal }), [], { when: mayOfAll("admin") })
  return data?.is_configured === false
    ? (
      <Note tone="warn" title="Mails are off">
        <span>
          None is sent until a mail server is set: see <a href="/console/settings/mail">Mail</a> in the settings.
        </span>
      </Note>
    )
    : null
}
