/** A small change of a program: what stands from `start` to `end` becomes `text`. */
export interface Mutation {
  readonly operator: string
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Puts a change into a text. */
export const withMutation = (source: string, { start, end, text }: Mutation): string =>
  source.slice(0, start) + text + source.slice(end)
