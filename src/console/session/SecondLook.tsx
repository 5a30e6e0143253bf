import type { Approval, ApprovalRequest, Countersign, SecondLookAction } from "../../client/api/index.ts"
import { isCountersignError } from "../../client/api/index.ts"
import { Note } from "../design/Feedback.tsx"
import { currentTime, timeZone } from "../design/Time.tsx"
import type { Sent } from "./ActionForm.tsx"
import { useLoad } from "./Load.ts"
import { identity } from "./Session.ts"

/** An operation that may need a second person: what roles call it, and what it is asked for by. */
export interface SecondLook {
  readonly action: SecondLookAction
  readonly operation: Approval["operation"]
  readonly params?: Readonly<Record<string, string>>
}

/** Whether the person needs a second one for an operation. */
export const isAsked = (look: SecondLook | undefined): boolean =>
  look !== undefined && identity.value?.second_look?.includes(look.action) === true

/** Whether a refusal means that a second person is needed. */
export const needsSecondPerson = (error: Error): boolean => isCountersignError(error, "APPROVAL_REQUIRED")

const readBody = (text: string | undefined): Pick<ApprovalRequest, "body"> =>
  text === undefined ? {} : { body: JSON.parse(text) }

/** Asks for the approval of a request that was sent and refused, as it was sent. */
export const askFor = (
  client: Countersign,
  { operation, params = {} }: SecondLook,
  sent: Sent | undefined,
  reason: string
): Promise<Approval> => {
  const ifMatch = sent?.headers["if-match"]
  return client.approvals.request({
    operation,
    params: { ...params },
    reason,
    ...readBody(sent?.body),
    ...(ifMatch === undefined ? {} : { if_match: ifMatch })
  })
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
