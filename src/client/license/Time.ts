/** The clock and the timers of an app; replaced in tests. */
export interface AppClock {
  /** The machine's clock, which its user may set: Unix milliseconds. */
  now(): number
  /** Milliseconds since any beginning, which nobody can set. */
  monotonic(): number
  /**
   * Runs an action after some milliseconds, unless the answered function is called before. `keepsAlive` is for an action that a
   * caller waits for: a program does not end meanwhile.
   */
  after(ms: number, action: () => void, keepsAlive?: boolean): () => void
}

/** The platform's clock and timers. A timer keeps a program alive only where that is asked for. */
export const systemClock: AppClock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after: (ms, action, keepsAlive = false) => {
    const timer: unknown = setTimeout(action, ms)
    if (!keepsAlive && typeof timer === "object") (timer as { readonly unref?: () => void } | null)?.unref?.()
    return () => clearTimeout(timer as ReturnType<typeof setTimeout>)
  }
}

/** How far a clock may be off without consequences, in milliseconds. */
const tolerance = 5 * 60_000

/** The time by which a license is judged. */
export interface LicenseTime {
  /** Never earlier than the floor, and the time that has passed since: Unix milliseconds. */
  readonly now: () => number
  /** The floor as it is to be kept: the latest signed instant, and the time for which the app ran since. */
  readonly floor: () => number
  /**
   * By how much the machine's clock was ahead when the service was heard last; less than 0 of the clock of test, which may be
   * ahead of every other.
   */
  readonly ahead: () => number
  /** Whether the machine's clock is earlier than it can be, and so was set back. */
  readonly isSetBack: () => boolean
  /** Takes over the values that were kept. */
  readonly recall: (floor: number, ahead: number) => void
  /**
   * An instant that the service signed for a question of this moment: from now on it is that time. Where it is of a clock that
   * is `moved`, a machine's clock that is behind was not set back.
   */
  readonly heard: (instant: number, moved?: boolean) => void
}

/**
 * The time by which a license is judged: the machine's, but never earlier than the latest instant that the service signed and
 * the time for which the app ran since, as nobody can set. A clock that was ahead when the service was heard is read as much
 * earlier, so that neither it nor its correction locks anybody out.
 */
export const makeTime = (clock: AppClock): LicenseTime => {
  let floor = 0
  let since = clock.monotonic()
  let ahead = 0
  const floorNow = () => floor === 0 ? 0 : floor + Math.max(0, clock.monotonic() - since)
  const set = (instant: number) => {
    floor = instant
    since = clock.monotonic()
  }
  return {
    now: () => {
      const least = floorNow()
      const corrected = clock.now() - ahead
      // A clock that is still ahead cannot be earlier than the floor; one that is has been set right.
      return Math.max(corrected < least - tolerance ? clock.now() : corrected, least)
    },
    floor: () => Math.floor(floorNow()),
    ahead: () => ahead,
    isSetBack: () => clock.now() - Math.min(ahead, 0) < floorNow() - tolerance,
    recall: (kept, keptAhead) => {
      if (kept > floorNow()) {
        set(kept)
        ahead = keptAhead
      }
    },
    heard: (instant, moved = false) => {
      // An answer that was long on its way, or clocks that drift, change nothing; a floor in the future does.
      if (instant > floorNow() || floorNow() - instant > tolerance) set(instant)
      const difference = clock.now() - instant
      ahead = (moved ? Math.abs(difference) : difference) > tolerance ? difference : 0
    }
  }
}
