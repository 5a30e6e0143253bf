/** A request that raises an error. */
export interface FailingRequest {
  /** Method and path. */
  readonly line: string
  /** The state that the request needs; unset where the request alone is enough. */
  readonly when?: string
  readonly headers?: Readonly<Record<string, string>>
  /** The body: text as it is sent, anything else as JSON. */
  readonly body?: unknown
}

/** The page of an error, besides its meaning. Text between backquotes is code. */
export interface ErrorTexts {
  readonly causes: ReadonlyArray<string>
  readonly cure: string
  readonly example: FailingRequest
}
