import { useRoute } from "preact-iso"
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"
import { isCountersignError } from "../../../client/api/index.ts"
import type {
  MailKind,
  MailKindSummary,
  MailLanguage,
  MailPreview as Preview,
  MailSample,
  MailTemplate
} from "../../../client/api/index.ts"
import { titleOf } from "../../../client/api/Labels.ts"
import { Badge } from "../../ground/design/Badge.tsx"
import { Button } from "../../ground/design/Button.tsx"
import { Note } from "../../ground/design/Feedback.tsx"
import { TextArea, TextField } from "../../ground/design/Field.tsx"
import { Facts, Panel } from "../../ground/design/Panel.tsx"
import { mailLanguages } from "../../ground/forms/MailLanguages.ts"
import { Action } from "../../ground/session/Action.tsx"
import { AskBeforeLeaving, useDraft, useSubmission } from "../../ground/session/Draft.tsx"
import { Failure, FormFailure } from "../../ground/session/Failure.tsx"
import { useLoad } from "../../ground/session/Load.ts"
import type { Loaded } from "../../ground/session/Load.ts"
import { Loading } from "../../ground/session/Loading.tsx"
import { identity } from "../../ground/session/Session.ts"
import { useTitle } from "../../ground/session/Title.ts"
import "./settings.css"

/** A policy of Trusted Types (W3C), where the browser has them: it marks the HTML that this file alone puts into a frame. */
interface HtmlPolicy {
  readonly createHTML: (html: string) => unknown
}

declare global {
  interface Window {
    readonly trustedTypes?: {
      readonly createPolicy: (name: string, rules: { readonly createHTML: (html: string) => string }) => HtmlPolicy
    }
  }
}

/** The styles of elements, which the console's Content-Security-Policy takes from no HTML, and which are set one by one. */
const styled = "data-style"

const policy: HtmlPolicy = window.trustedTypes?.createPolicy("mail-frame", {
  createHTML: (html) => html.replaceAll(" style=\"", ` ${styled}="`)
}) ?? { createHTML: (html) => html.replaceAll(" style=\"", ` ${styled}="`) }

/** Sets the styles of a mail, and gives its frame the height of its content. */
const show = (frame: HTMLIFrameElement): void => {
  const { contentDocument } = frame
  if (contentDocument === null) return
  for (const element of contentDocument.querySelectorAll<HTMLElement>(`[${styled}]`)) {
    element.style.cssText = element.getAttribute(styled) ?? ""
  }
  frame.style.height = `${contentDocument.documentElement.scrollHeight}px`
}

/**
 * A mail as a mail program shows it. The frame runs no script, opens nothing and sends no form; it is of the same origin only so
 * that the page can set its styles.
 */
const MailFrame = ({ html }: { readonly html: string }) => {
  const frame = useRef<HTMLIFrameElement>(null)
  useLayoutEffect(() => {
    if (frame.current !== null) Object.assign(frame.current, { srcdoc: policy.createHTML(html) })
  }, [html])
  return (
    <iframe
      ref={frame}
      class="mail"
      title="The mail as HTML"
      sandbox="allow-same-origin"
      tabIndex={-1}
      onLoad={(event) => show(event.currentTarget)}
    />
  )
}

/** Which template: that of a kind of mail in a language. */
interface TemplateOf {
  readonly kind: MailKind
  readonly language: MailLanguage
}

/** A template as it is entered. */
interface TemplateTexts {
  readonly subject: string
  readonly body: string
}

/** How long typing pauses before a preview is asked for, in milliseconds. */
const pause = 400

/** The template as it is entered, once typing has paused. */
const usePaused = ({ body, subject }: TemplateTexts): TemplateTexts => {
  const [settled, setSettled] = useState<TemplateTexts>({ body, subject })
  useEffect(() => {
    if (settled.body === body && settled.subject === subject) return
    const timer = setTimeout(() => setSettled({ body, subject }), pause)
    return () => clearTimeout(timer)
  }, [body, subject, settled])
  return settled
}

/** The mail that a template makes with samples, as the service renders it. */
const usePreview = ({ kind, language }: TemplateOf, texts: TemplateTexts): Loaded<Preview> => {
  const { body, subject } = usePaused(texts)
  return useLoad(
    (client, signal) => client.mailTemplates.preview(kind, language, { subject, body }, { signal }),
    [kind, language, subject, body],
    { when: subject !== "" && body !== "" }
  )
}

const views = [["html", "HTML"], ["text", "Text"]] as const

/** The mail with samples, as HTML or as text. */
const MailPreview = ({ hasFault, of }: { readonly of: Loaded<Preview>; readonly hasFault: boolean }) => {
  const [view, setView] = useState<"html" | "text">("html")
  const { data, error } = of
  return (
    <Panel
      title="Preview"
      aside={
        <span class="row" role="group" aria-label="Format of the preview">
          {views.map(([name, title]) => (
            <button
              key={name}
              type="button"
              class="chip"
              aria-pressed={view === name}
              onClick={() => setView(name)}
            >
              {title}
            </button>
          ))}
        </span>
      }
    >
      <div class="stack preview" aria-busy={of.isLoading}>
        {error !== undefined && !hasFault ? <Failure error={error} onRetry={of.reload} /> : null}
        {data === undefined ? null : (
          <>
            <p class="strong wrap">
              <bdi>{data.subject}</bdi>
            </p>
            {view === "html" ? <MailFrame html={data.html} /> : <pre class="mail" tabIndex={0}>{data.text}</pre>}
          </>
        )}
        <p class="small quiet">With samples. A preview sends and saves nothing.</p>
      </div>
    </Panel>
  )
}

/** The finding of a refusal about a member. */
const faultOf = (error: Error | undefined, member: keyof TemplateTexts): string | undefined =>
  isCountersignError(error) ? error.fields.find(({ path }) => path === member)?.message : undefined

const Sample = ({ of, texts }: { readonly of: TemplateOf; readonly texts: TemplateTexts }) => {
  const { send, state } = useSubmission((client, { body, subject }: TemplateTexts) =>
    client.mailTemplates.sendSample(of.kind, of.language, { body, subject })
  )
  const told = ({ is_accepted, recipient, reply }: MailSample) => (
    <Note tone={is_accepted ? "good" : "bad"} title={is_accepted ? "The sample was sent" : "The sample was not sent"}>
      <span>
        To <bdi>{recipient}</bdi>: <bdi>{reply}</bdi>
      </span>
    </Note>
  )
  return (
    <>
      <Button isBusy={state.name === "sending"} onClick={() => send(texts)}>Send to me</Button>
      <div class="whole" role="status">
        {state.name === "done" ? told(state.answer) : state.name === "failed" ? <Failure error={state.error} /> : null}
      </div>
    </>
  )
}

const Reset = ({ of, onChange }: { readonly of: TemplateOf; readonly onChange: () => void }) => (
  <Action
    label="Reset template"
    scope="admin"
    says="Your template is deleted, and mails are worded as they ship. This cannot be undone."
    perform={(client, options) => client.mailTemplates.reset(of.kind, of.language, options)}
    done={() => "Mails are worded as they ship."}
    onDone={onChange}
  />
)

const Editor = ({ etag, isSending, of, onChange }: {
  readonly of: MailTemplate
  readonly etag: string | undefined
  /** Whether mails are sent at all. */
  readonly isSending: boolean
  readonly onChange: () => void
}) => {
  const draft = useDraft<TemplateTexts>(`mail ${of.language}`, { subject: of.subject, body: of.body })
  const texts: TemplateTexts = { subject: draft.values.subject, body: draft.values.body }
  const preview = usePreview(of, texts)
  const { send, state } = useSubmission(async (client, content: TemplateTexts, idempotencyKey) => {
    await client.mailTemplates.put(of.kind, of.language, content, {
      idempotencyKey,
      ...(etag === undefined ? {} : { ifMatch: etag })
    })
    draft.saved()
    onChange()
  }, draft.attempt)
  const faults = { subject: faultOf(preview.error, "subject"), body: faultOf(preview.error, "body") }
  const hasFault = faults.subject !== undefined || faults.body !== undefined
  const isChanged = draft.changed.length > 0
  return (
    <div class="halves">
      <Panel title={of.is_own ? "Your template" : "Template that ships"}>
        <form
          class="stack"
          onSubmit={(event) => {
            event.preventDefault()
            if (isChanged) send(texts)
          }}
        >
          <AskBeforeLeaving isDirty={isChanged} isKept />
          <TextField
            label="Subject"
            path="subject"
            value={texts.subject}
            onChange={(subject) => draft.set({ subject })}
            wrong={faults.subject}
            maxLength={200}
            autocomplete="off"
          />
          <TextArea
            label="Body"
            path="body"
            value={texts.body}
            onChange={(body) => draft.set({ body })}
            wrong={faults.body}
            maxLength={8_000}
          />
          {state.name === "failed" && !hasFault ? <FormFailure error={state.error} /> : null}
          <div class="row wraps">
            <Button
              type="submit"
              weight="main"
              isBusy={state.name === "sending"}
              disabled={!isChanged || hasFault || texts.subject === "" || texts.body === ""}
            >
              Save template
            </Button>
            {isChanged ? <Button onClick={draft.discard}>Discard changes</Button> : null}
            {isSending && identity.value?.kind === "person" && !hasFault ? <Sample of={of} texts={texts} /> : null}
          </div>
        </form>
      </Panel>
      <MailPreview of={preview} hasFault={hasFault} />
    </div>
  )
}

const Variables = ({ of }: { readonly of: MailKindSummary }) => (
  <Panel title="Variables">
    <Facts
      of={of.variables.map(({ description, is_optional, name }) => [
        `{{ ${name} }}`,
        is_optional ? `${description} Not always there: ask for it by if.` : description
      ])}
    />
  </Panel>
)

const TemplateOfLanguage = (
  { kind, language }: { readonly kind: MailKindSummary; readonly language: MailLanguage }
) => {
  const [turn, setTurn] = useState(0)
  const template = useLoad(
    async (client, signal) => {
      const { data, response } = await client.mailTemplates.get(kind.kind, language, { signal }).withResponse()
      return { etag: response.headers.get("etag") ?? undefined, template: data }
    },
    [kind.kind, language, turn]
  )
  const mail = useLoad((client, signal) => client.settings.getMail({ signal }), [])
  const onChange = () => setTurn((before) => before + 1)
  return (
    <Loading of={template} lines={12}>
      {({ etag, template: found }) => (
        <>
          {found.is_own
            ? (
              <span class="row">
                <Badge>Your own</Badge>
                <Reset of={found} onChange={onChange} />
              </span>
            )
            : null}
          <Editor
            key={`${found.language} ${found.updated_at ?? ""}`}
            of={found}
            etag={etag}
            isSending={mail.data?.is_configured === true}
            onChange={onChange}
          />
          <Variables of={kind} />
        </>
      )}
    </Loading>
  )
}

/** The template of a kind of mail, in the language that the address names. */
export const MailTemplatePage = () => {
  const { params, query } = useRoute()
  const asked = params["kind"] ?? ""
  const kinds = useLoad((client, signal) => client.mailTemplates.listKinds({ signal }), [])
  const language = mailLanguages.find((known) => known === query["language"]) ?? "en"
  const title = titleOf("mailKind", asked)
  useTitle(title)
  return (
    <main class="page" id="main">
      <header>
        <div class="stack" style={{ gap: "var(--s1)" }}>
          <a class="small" href="/console/settings/mail">Mail</a>
          <h1 class="wrap">{title}</h1>
        </div>
      </header>
      <Loading of={kinds} lines={12}>
        {(found) => {
          const kind = found.find((one) => one.kind === asked)
          if (kind === undefined) return <p class="quiet">There is no such mail.</p>
          return (
            <>
              <nav class="tabs" aria-label="Language">
                {mailLanguages.map((one) => (
                  <a
                    key={one}
                    href={`/console/settings/mail/${kind.kind}?language=${one}`}
                    {...(one === language ? { "aria-current": "page" as const } : {})}
                  >
                    {titleOf("mailLanguage", one)}
                  </a>
                ))}
              </nav>
              <TemplateOfLanguage key={language} kind={kind} language={language} />
            </>
          )
        }}
      </Loading>
    </main>
  )
}
