import { useEffect, useState } from "preact/hooks"
import type { MailKind, MailLanguage, MailPreview as Preview } from "../../../client/api/index.ts"
import { Panel } from "../../ground/design/Panel.tsx"
import { Failure } from "../../ground/session/Failure.tsx"
import { useLoad } from "../../ground/session/Load.ts"
import type { Loaded } from "../../ground/session/Load.ts"
import { MailFrame } from "./MailFrame.tsx"

/** Which template: that of a kind of mail in a language. */
export interface TemplateOf {
  readonly kind: MailKind
  readonly language: MailLanguage
}

/** A template as it is entered. */
export interface TemplateTexts {
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
export const usePreview = ({ kind, language }: TemplateOf, texts: TemplateTexts): Loaded<Preview> => {
  const { body, subject } = usePaused(texts)
  return useLoad(
    (client, signal) => client.mailTemplates.preview(kind, language, { subject, body }, { signal }),
    [kind, language, subject, body],
    { when: subject !== "" && body !== "" }
  )
}

const views = [["html", "HTML"], ["text", "Text"]] as const

/** The mail with samples, as HTML or as text. */
export const MailPreview = ({ hasFault, of }: { readonly of: Loaded<Preview>; readonly hasFault: boolean }) => {
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
