/** The snapshot cannot be rendered, now or later. */
export class UnrenderableDocument extends Error {
  override readonly name = "UnrenderableDocument"
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}
