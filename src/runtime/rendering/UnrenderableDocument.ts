/** No document can be made of the snapshot, now or later. */
export class UnrenderableDocument extends Error {
  override readonly name = "UnrenderableDocument"
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}
