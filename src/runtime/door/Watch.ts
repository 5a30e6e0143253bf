/** A timer that runs only while there is something to watch: one that never rests wakes an idle process for nothing. */
export class Watch {
  private readonly every: number
  private readonly isNeeded: () => boolean
  private readonly look: () => void
  private timer: NodeJS.Timeout | undefined

  /** Looks every so many milliseconds, and rests from when it `isNeeded` no longer. */
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
