import type { ComponentChildren } from "preact"
import { useId } from "preact/hooks"

interface PanelProps {
  readonly title?: string
  /** At the right of the title. */
  readonly aside?: ComponentChildren
  readonly children: ComponentChildren
  /** Whether the content has its own edges, as a table. */
  readonly flush?: boolean
  readonly footer?: ComponentChildren
  readonly whole?: boolean
}

/** A part of a screen, with its own heading. */
export const Panel = ({ aside, children, flush = false, footer, title, whole = false }: PanelProps) => {
  const id = useId()
  return (
    <section class={`panel ${whole ? "whole" : ""}`} {...(title === undefined ? {} : { "aria-labelledby": id })}>
      {title === undefined ? null : (
        <header>
          <h2 id={id}>{title}</h2>
          {aside}
        </header>
      )}
      <div class={flush ? title === undefined ? "" : "flush" : "body"}>{children}</div>
      {footer === undefined ? null : <footer>{footer}</footer>}
    </section>
  )
}

/** Names with their values. A fact without a value is left out. */
export const Facts = ({ of }: { readonly of: ReadonlyArray<readonly [string, ComponentChildren]> }) => (
  <dl class="facts">
    {of.filter(([, value]) => value !== undefined && value !== null && value !== "").map(([name, value]) => (
      <>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </>
    ))}
  </dl>
)

/** One figure and what it counts. */
export const Figure = (
  { label, more, tone = "", value }: {
    readonly label: ComponentChildren
    readonly value: ComponentChildren
    readonly more?: ComponentChildren
    readonly tone?: "" | "warn" | "bad"
  }
) => (
  <div class="figure">
    <span>{label}</span>
    <span class={`value ${tone}`}>{value}</span>
    {more === undefined ? null : <span class="tiny quiet">{more}</span>}
  </div>
)

/** A meter: how much of a total is in use. */
export const Meter = (
  { label, of, value }: { readonly value: number; readonly of: number; readonly label: string }
) => {
  const share = of <= 0 ? (value > 0 ? 1 : 0) : value / of
  const tone = share > 1 ? "bad" : share >= 0.9 ? "warn" : ""
  return (
    <div
      class={`meter ${tone}`}
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={of}
      aria-valuenow={value}
    >
      <span style={{ width: `${Math.min(100, Math.max(share > 0 ? 2 : 0, share * 100))}%` }} />
    </div>
  )
}
