import type { Approval, ApprovalRequest, SecondLookAction } from "../../../client/api/index.ts"
import { isCountersignError } from "../../../client/api/index.ts"
import { Note } from "../design/Feedback.tsx"
import { currentTime, timeZone } from "../design/Time.tsx"
import type { Sent } from "../requests/Sent.ts"
import { operationOf } from "../requests/SentOperation.ts"
import { useLoad } from "./Load.ts"
import { ask, errorOf, identity } from "./Session.ts"

/** Whether the person is known to need a second one for an action. */
export const isAsked = (action: SecondLookAction | undefined): boolean =>
  action !== undefined && identity.value?.second_look?.includes(action) === true

/** Whether a refusal means that a second person is needed. */
export const needsSecondPerson = (error: Error): boolean => isCountersignError(error, "APPROVAL_REQUIRED")

const readBody = (text: string | undefined): Pick<ApprovalRequest, "body"> =>
  text === undefined ? {} : { body: JSON.parse(text) }

/** The request for the approval of a request that was refused, as it was sent; undefined where it was none that may be approved. */
const approvalOf = (sent: Sent | undefined, reason: string): ApprovalRequest | undefined => {
  const found = sent === undefined ? undefined : operationOf(sent)
  const ifMatch = sent?.headers["if-match"]
  return found === undefined ? undefined : {
    ...found,
    reason,
    ...readBody(sent?.body),
    ...(ifMatch === undefined ? {} : { if_match: ifMatch })
  }
}

/** Asks for the approval of the request that was sent last and refused for want of one; answers any other refusal as it is. */
export const askFor = (
  refusal: Error,
  sent: Sent | undefined,
  reason: string
): Promise<Approval | Error> => {
  const request = needsSecondPerson(refusal) && reason !== "" ? approvalOf(sent, reason) : undefined
  return request === undefined
    ? Promise.resolve(refusal)
    : ask((client) => client.approvals.request(request)).catch(errorOf)
}

const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", timeZone })
const day = new Intl.DateTimeFormat("en-CA", { timeZone })

/** An instant within a day, as it is said: "tomorrow 10:41". */
export const soonText = (instant: string): string => {
  const at = new Date(instant)
  return `${day.format(at) === day.format(new Date(currentTime())) ? "today" : "tomorrow"} ${clock.format(at)}`
}

/** A request that waits for a second person, in words. */
export const waitingText = ({ expires_at }: Pick<Approval, "expires_at">): string =>
  `Waiting for a second person, until ${soonText(expires_at)}.`

/** The requests about a license or a customer that wait for a second person. */
export const WaitingApprovals = ({ about, turn }: { readonly about: string; readonly turn: number }) => {
  const waiting = useLoad(
    (client, signal) => client.approvals.list({ state: "pending", resource_id: about, limit: 10 }, { signal }),
    [about, turn],
    { when: identity.value?.kind === "person" }
  )
  return (
    <>
      {(waiting.data ?? []).map((approval) => (
        <Note key={approval.id} tone="warn" title={waitingText(approval)}>
          <span>
            <bdi>{approval.requested_by.name}</bdi> asked: <bdi>{approval.reason}</bdi>{" "}
            <a href="/console/people/approvals">Approvals</a>
          </span>
        </Note>
      ))}
    </>
  )
}
