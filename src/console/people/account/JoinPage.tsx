import { useEffect, useState } from "preact/hooks"
import { isCountersignError } from "../../../client/api/index.ts"
import type { InvitationShown, SignInWays } from "../../../client/api/index.ts"
import { visibleLine } from "../../../client/api/Texts.ts"
import { BrandMark, brandName, usePublicBrand } from "../../ground/brand/Brand.tsx"
import { Button } from "../../ground/design/Button.tsx"
import { Note, Skeleton } from "../../ground/design/Feedback.tsx"
import { Failure } from "../../ground/session/Failure.tsx"
import { soonText } from "../../ground/session/SecondLook.tsx"
import { errorOf, signIn } from "../../ground/session/Session.ts"
import { useIntroduced } from "../../ground/session/Title.ts"
import { cookieSession } from "../../ground/session/Tokens.ts"
import { createdPasskey, passkeyProblem } from "../entry/Passkey.ts"
import { doors, useWays, WaysIn } from "../entry/WaysIn.tsx"
import { AddPasskey } from "./AddPasskey.tsx"

/** The invitation behind `#`, where it reaches neither the service's log nor another site. */
const invitationHere = (): string => decodeURIComponent(location.hash.slice(1))

const Why = ({ error }: { readonly error: Error }) => {
  const problem = passkeyProblem(error)
  return problem === undefined ? <Failure error={error} /> : <Note tone="warn">{problem}</Note>
}

/** Says how a second passkey saves who loses the first. */
const Joined = ({ hasPasskey }: { readonly hasPasskey: boolean }) => (
  <>
    <h1>You are signed in</h1>
    {hasPasskey
      ? (
        <>
          <p>
            If you lose your only passkey, you need a new invitation. Add a second passkey now, on your phone or on a
            security key.
          </p>
          <AddPasskey label="Add a second passkey" isMain />
        </>
      )
      : null}
    <p>
      <a href="/console">Continue to the console</a>
    </p>
  </>
)

/** Says who invites whom to what, and that another person may be signed in here. */
const InvitationText = (
  { isSignedIn, of: { invited_by, person_name, roles } }: { readonly of: InvitationShown; readonly isSignedIn: boolean }
) => (
  <>
    <p>
      {invited_by === undefined ? "You are invited" : (
        <>
          <bdi class="strong">{visibleLine(invited_by)}</bdi> invites you
        </>
      )} to <bdi class="strong">{brandName()}</bdi> at {location.host} as{" "}
      <bdi class="strong">{visibleLine(person_name)}</bdi>
      {roles.length === 0 ? ", without a role so far." : (
        <>
          , with {roles.length > 1 ? "the roles" : "the role"}{" "}
          <bdi class="strong">{visibleLine(roles.join(", "))}</bdi>.
        </>
      )}
    </p>
    {isSignedIn
      ? (
        <Note>
          <span>
            Another person may be signed in here. When you join, this browser is signed in as{" "}
            <bdi>{visibleLine(person_name)}</bdi>.
          </span>
        </Note>
      )
      : null}
  </>
)

const Invited = ({ invitation, shown, ways }: {
  readonly invitation: string
  readonly shown: InvitationShown
  readonly ways: SignInWays
}) => {
  const [isSending, setIsSending] = useState(false)
  const [error, setError] = useState<Error>()
  const [joined, setJoined] = useState<"passkey" | "invitation">()
  const run = async (how: "passkey" | "invitation", work: () => Promise<unknown>) => {
    setIsSending(true)
    setError(undefined)
    try {
      await work()
      await signIn(cookieSession)
      // Nobody who looks over a shoulder, or at the history, finds what is spent.
      history.replaceState(null, "", location.pathname)
      setJoined(how)
    } catch (cause) {
      setError(errorOf(cause))
    }
    setIsSending(false)
  }
  const withPasskey = () =>
    void run("passkey", async () => {
      // Asked again: what was offered when the page opened may be over by now.
      const { passkey } = await doors().showInvitation({ invitation })
      if (passkey === undefined) throw new Error("This invitation cannot add a passkey.")
      await doors().join(await createdPasskey(passkey))
    })
  const alone = () => void run("invitation", () => doors().signIn({ invitation }))
  if (joined !== undefined) return <Joined hasPasskey={joined === "passkey"} />
  const canLink = shown.links_account && ways.openid_connect !== undefined
  const isAlone = shown.passkey === undefined && !canLink
  return (
    <>
      <h1>Join {brandName()}</h1>
      <InvitationText of={shown} isSignedIn={ways.signed_in === true} />
      {shown.passkey === undefined ? null : (
        <Button weight="main" isBusy={isSending} onClick={withPasskey}>
          {isSending ? "Waiting for your passkey…" : "Join with a passkey"}
        </Button>
      )}
      {canLink ? <WaysIn ways={ways} invitation={invitation} /> : null}
      {isAlone
        ? (
          <>
            <Note tone="warn">
              {ways.passkeys_problem ?? "This invitation signs you in once, and adds no way to come back."}
            </Note>
            <Button weight="main" isBusy={isSending} onClick={alone}>Sign in once</Button>
          </>
        )
        : null}
      {error === undefined ? null : <Why error={error} />}
      <p class="small quiet">The invitation works once, until {soonText(shown.expires_at)}.</p>
    </>
  )
}

/** Shows who invites whom to what. Opening the page spends nothing: programs that scan mail open links, too. */
export const JoinPage = () => {
  const { error: unknown, ways } = useWays()
  const [invitation] = useState(invitationHere)
  const [shown, setShown] = useState<InvitationShown>()
  const [error, setError] = useState<Error>()
  usePublicBrand({ error: unknown, ways })
  useIntroduced("Join", shown ?? error ?? ways)
  useEffect(() => {
    if (invitation === "") return
    doors().showInvitation({ invitation }).then(setShown, (cause: unknown) => setError(errorOf(cause)))
  }, [])
  const failure = error ?? unknown
  return (
    <main class="narrow stack wide branded" id="main">
      <span class="brand">
        <BrandMark />
      </span>
      {invitation === "" || isCountersignError(failure, "UNAUTHENTICATED")
        ? (
          <>
            <h1>This invitation does not work</h1>
            <p>
              The invitation was used, has expired, or the link was not copied whole. Ask for a new one, or{" "}
              <a href="/console/sign-in">sign in</a>.
            </p>
          </>
        )
        : failure !== undefined
        ? (
          <>
            <h1>Join {brandName()}</h1>
            <Failure error={failure} onRetry={() => location.reload()} />
          </>
        )
        : shown === undefined || ways === undefined
        ? <Skeleton />
        : <Invited invitation={invitation} shown={shown} ways={ways} />}
    </main>
  )
}
