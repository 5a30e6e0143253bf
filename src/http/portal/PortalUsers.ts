import { Effect, Schema } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { catalog } from "../../domain/ground/wire/Errors.ts"
import type { Code } from "../../domain/ground/wire/Errors.ts"
import { Email } from "../../domain/ground/wire/Fields.ts"
import type { PortalVisitor } from "../../services/portal/PortalSessions.ts"
import { PortalUsers } from "../../services/portal/PortalUsers.ts"
import { refusedWith } from "../ground/edge/Exchanges.ts"
import type { PortalNotice } from "./pages/PortalPages.ts"
import { signInWords } from "./pages/SignInWords.ts"
import { personOf, usersPage } from "./pages/UserPages.ts"
import { userWords } from "./pages/UserWords.ts"
import type { UserWords } from "./pages/UserWords.ts"
import { makePortalVisits, parameter, shown } from "./PortalVisits.ts"

const InviteForm = Schema.Struct({ email: Email })

/** A refusal that is about people in their words; undefined for others. */
const textOf = (code: Code, words: UserWords): string | undefined => {
  switch (code) {
    case "CONFLICT":
      return words.taken
    case "NOT_FOUND":
      return words.unknown
    case "RATE_LIMITED":
      return words.tooMany
    case "STATE_CONFLICT":
      return words.changed
    case "USER_LIMIT_EXCEEDED":
      return words.full
    case "LICENSE_EXPIRED":
    case "LICENSE_INACTIVE":
    case "SELF_SERVICE_NOT_ALLOWED":
      return words.notAllowed
    case "SELF_SERVICE_LIMIT_EXCEEDED":
      return words.limitReached
    default:
      return undefined
  }
}

/** The page with the people who use a license, and what its customer does there. */
export const makePortalUsers = Effect.gen(function*() {
  const users = yield* PortalUsers
  const { readerOf, refusedAt } = yield* makePortalVisits

  const usersShown = Effect.fnUntraced(function*(visitor: PortalVisitor, notice?: PortalNotice, status = 200) {
    const { reader } = yield* readerOf(visitor)
    return shown(usersPage(reader, yield* users.see(visitor, yield* parameter("cursor")), notice), status)
  })

  /** The refusal of a session by the key, which has nothing to see, on the page of the license. */
  const elsewhere = Effect.fnUntraced(function*(visitor: PortalVisitor, code: Code) {
    const words = userWords[(yield* readerOf(visitor)).reader.language]
    const isKey = code === "NOT_FOUND" && visitor.license !== undefined
    return yield* refusedAt(visitor, code, isKey ? () => words.onlyByLink : undefined)
  })

  /** A refusal is told on the page, unless there is none. */
  const refused = Effect.fnUntraced(function*(visitor: PortalVisitor, code: Code) {
    const text = textOf(code, userWords[(yield* readerOf(visitor)).reader.language])
    if (text === undefined) return yield* refusedAt(visitor, code)
    yield* refusedWith(code)
    return yield* usersShown(visitor, { kind: "alert", text }, catalog[code].status).pipe(
      Effect.catchTag("NOT_FOUND", () => elsewhere(visitor, code))
    )
  })

  const done = (
    change: (visitor: PortalVisitor, id: string) => ReturnType<typeof users.remove | typeof users.resend>,
    text: (words: UserWords) => (who: string) => string
  ) =>
  (visitor: PortalVisitor) =>
    Effect.gen(function*() {
      const { id = "" } = yield* HttpRouter.params
      const who = personOf(yield* change(visitor, id))
      const words = userWords[(yield* readerOf(visitor)).reader.language]
      return yield* usersShown(visitor, { kind: "status", text: text(words)(who) })
    }).pipe(Effect.catch(({ _tag }) => refused(visitor, _tag)))

  const inviteUser = (visitor: PortalVisitor) =>
    Effect.gen(function*() {
      const form = yield* Effect.option(HttpServerRequest.schemaBodyUrlParams(InviteForm))
      const { language } = (yield* readerOf(visitor)).reader
      if (form._tag === "None") {
        return yield* usersShown(visitor, { kind: "alert", text: signInWords[language].noEmail }, 422)
      }
      const { email = "" } = yield* users.invite(visitor, form.value.email)
      return yield* usersShown(visitor, { kind: "status", text: userWords[language].isInvited(email) })
    }).pipe(Effect.catch(({ _tag }) => refused(visitor, _tag)))

  return {
    usersOpened: (visitor: PortalVisitor) =>
      usersShown(visitor).pipe(Effect.catchTag("NOT_FOUND", ({ _tag }) => elsewhere(visitor, _tag))),
    inviteUser,
    resendInvitation: done(users.resend, ({ resent }) => resent),
    removeUser: done(users.remove, ({ removed }) => removed)
  }
})
