import type { ComponentChildren } from "preact"
import type { Activity } from "../../client/api/index.ts"
import { Badge } from "../ground/design/Badge.tsx"
import { count } from "../ground/design/Numbers.ts"
import { Time } from "../ground/design/Time.tsx"
import { aboutOf, actorOf, sentenceOf, toneOf } from "./ActivityWords.ts"

/** The name of whoever did it, and what kind of an actor that is. */
const Actor = ({ of }: { readonly of: Activity }) => {
  const { kind, name } = actorOf(of)
  return (
    <>
      <bdi class="strong">{name}</bdi>
      {kind === undefined ? null : <span class="quiet">({kind})</span>}
    </>
  )
}

/** The first line: who did what, with the outcome. */
export const Sentence = ({ of }: { readonly of: Activity }) => (
  <span class="row wraps sentence">
    <Actor of={of} />
    <span>{sentenceOf(of)}</span>
    {of.amount === undefined
      ? null
      : <span>{count(of.amount)}{of.feature_code === undefined ? "" : ` × ${of.feature_code}`}</span>}
    {of.result_class === "success" || of.code === undefined ? null : <Badge tone="bad">{of.code}</Badge>}
  </span>
)

/** The names of what it is about, each in the direction of its script. */
export const About = ({ of }: { readonly of: ReadonlyArray<string> }) => (
  <span class="small quiet wrap">
    {of.map((name, at) => (
      <span key={name}>
        {at === 0 ? "" : " · "}
        <bdi>{name}</bdi>
      </span>
    ))}
  </span>
)

/** An activity as a line of a list: a sentence with names, what it is about, and why. */
export const Entry = ({ aside, isOfOne, of }: {
  readonly of: Activity
  /** Whether the list is about one license or customer, whose names are not repeated. */
  readonly isOfOne: boolean
  readonly aside?: ComponentChildren
}) => {
  const about = isOfOne ? [of.names?.resource, of.names?.device].filter((name) => name !== undefined) : aboutOf(of)
  return (
    <li class={toneOf(of)}>
      <span class="stack" style={{ gap: ".125rem" }}>
        <Sentence of={of} />
        {about.length === 0 ? null : <About of={about} />}
        {of.reason === undefined ? null : (
          <span class="wrap">
            Reason: <bdi>{of.reason}</bdi>
          </span>
        )}
        <span class="row wraps small quiet">
          <a class="target" href={`/console/activity/${of.id}`}>
            Details<span class="visually-hidden">of: {actorOf(of).name} {sentenceOf(of)}</span>
          </a>
          {of.request_id === undefined ? null : <code class="tiny request">{of.request_id}</code>}
          {aside}
        </span>
      </span>
      <span class="small quiet">
        <Time at={of.occurred_at} />
      </span>
    </li>
  )
}
