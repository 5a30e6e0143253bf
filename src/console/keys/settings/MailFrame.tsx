import { useLayoutEffect, useRef } from "preact/hooks"

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
export const MailFrame = ({ html }: { readonly html: string }) => {
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
