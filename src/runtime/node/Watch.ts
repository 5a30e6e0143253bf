/** A timer that runs only while there is something to watch: a permanent one would wake an idle process. */
export class Watch {
  private readonly every: number
  private readonly isNeeded: () => boolean
  private readonly look: () => void
  private timer: NodeJS.Timeout | undefined

  /** Calls `look` at an interval in milliseconds, and stops once it is not `isNeeded`. */
  constructor(every: number, isNeeded: () => boolean, look: () => void) {
    this.every = every
    this.isNeeded = isNeeded
    this.look = look
  }

  start(): void {
    this.timer ??= setInterval(() => this.isNeeded() ? this.look() : this.stop(), this.every).unref()
  }

  stop(): void {
    clearInterval(this.timer)
    this.timer = undefined
  }
}
