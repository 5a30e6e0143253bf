import type { ComponentChildren } from "preact"
import type { Tone } from "./Badge.tsx"

/** A placeholder with the shape of the content. Screen readers announce it once. */
export const Skeleton = ({ lines = 3 }: { readonly lines?: number }) => (
  <div class="skeletons" role="status" aria-label="Loading">
    {Array.from(
      { length: lines },
      (_, line) => <span key={line} class="skeleton" style={{ width: `${[92, 68, 80, 55][line % 4]}%` }} />
    )}
  </div>
)

/** An empty state, with the first thing to do. */
export const Empty = ({ children, title }: { readonly title: string; readonly children?: ComponentChildren }) => (
  <div class="empty">
    <span class="strong">{title}</span>
    {children === undefined ? null : typeof children === "string" ? <p>{children}</p> : children}
  </div>
)

/** A message with its meaning. */
export const Note = (
  { children, title, tone = "plain" }: {
    readonly tone?: Tone
    readonly title?: string
    readonly children?: ComponentChildren
  }
) => (
  <div class={`note ${tone}`} {...(tone === "bad" ? { role: "alert" } : {})}>
    {title === undefined ? null : <span class="strong">{title}</span>}
    {children}
  </div>
)
