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

/**
 * Where an app keeps the record of its license: one text. A keychain or any other safe place for texts will do.
 */
export interface LicenseStore {
  /** The text as it was written last; undefined when there is none. */
  read(): Promise<string | undefined>
  /** Keeps a text for good: once it resolves, the text survives a crash. */
  write(text: string): Promise<void>
  /** The text before the last, for when the last cannot be read. */
  readPrevious?(): Promise<string | undefined>
  /**
   * Runs something while no other window or process that shares the store does. A store without it is kept from itself within
   * one process only.
   */
  exclusively?<A>(action: () => Promise<A>): Promise<A>
}

/** The last action of this process on each store. */
const queues = new WeakMap<LicenseStore, Promise<unknown>>()

/** Runs an action when every earlier one on the store has ended, in this process and, if the store can, in all. */
export const exclusively = <A>(store: LicenseStore, action: () => Promise<A>): Promise<A> => {
  const run = () => store.exclusively === undefined ? action() : store.exclusively(action)
  const result = (queues.get(store) ?? Promise.resolve()).then(run, run)
  queues.set(store, result.catch(() => undefined))
  return result
}

/** A store that ends with the process, for tests. */
export const memoryStore = (
  text?: string
): LicenseStore & { text: string | undefined; previous: string | undefined } => ({
  text,
  previous: undefined,
  async read() {
    return this.text
  },
  async readPrevious() {
    return this.previous
  },
  async write(next) {
    this.previous = this.text
    this.text = next
  }
})

/** The part of the Web Storage API that is used. */
interface WebStorage {
  getItem(name: string): string | null
  setItem(name: string, text: string): void
}

/**
 * Keeps the license in a browser, under a name. Windows of one origin share it, and wait for each other by the Web Locks API.
 * Throws where the browser refuses storage, as in a frame without cookies.
 */
export const localStorageStore = (name = "countersign-license", storage: WebStorage = localStorage): LicenseStore => {
  const previous = `${name}.previous`
  const locks = typeof navigator === "object" ? navigator.locks as LockManager | undefined : undefined
  return {
    read: async () => storage.getItem(name) ?? undefined,
    readPrevious: async () => storage.getItem(previous) ?? undefined,
    write: async (text) => {
      const current = storage.getItem(name)
      if (current !== null) storage.setItem(previous, current)
      storage.setItem(name, text)
    },
    ...(locks === undefined ? {} : { exclusively: (action) => locks.request(name, action) })
  }
}

/** The part of `node:fs/promises` that is used. */
interface Files {
  copyFile(from: string, to: string): Promise<void>
  mkdir(path: string, options: { readonly recursive: true }): Promise<unknown>
  open(path: string, flags: string, mode: number): Promise<{
    writeFile(text: string, encoding: "utf8"): Promise<void>
    sync(): Promise<void>
    close(): Promise<void>
  }>
  readFile(path: string, encoding: "utf8"): Promise<string>
  rename(from: string, to: string): Promise<void>
  rm(path: string, options: { readonly force: true }): Promise<void>
  stat(path: string): Promise<{ readonly mtimeMs: number }>
}

export interface FileStoreOptions {
  /** `node:fs/promises`, where the platform has no `process.getBuiltinModule` (before Node 20.16). */
  readonly fs?: Files | undefined
}

/** A lock older than this is of a process that is no more: who lives holds it for the time of one write. */
const staleAfter = 5000

/** How long to wait for a lock. After it the store is used without: nobody is to be locked out by a file. */
const patience = 2 * staleAfter

const isMissing = (error: unknown): boolean => (error as { readonly code?: unknown }).code === "ENOENT"

/**
 * Keeps the license in a file that only its owner reads, for Node, Electron's main process, Deno and Bun. A write goes to a
 * temporary file, is flushed to the disk and then takes the place of the last one, which is kept beside it as
 * `<path>.previous`: after a crash there is the text before the write or the one after it. Processes wait for each other by
 * `<path>.lock`. Throws a TypeError where there is no file system.
 */
export const fileStore = (path: string, options: FileStoreOptions = {}): LicenseStore => {
  const files: Files | undefined = options.fs ??
    (globalThis.process as typeof process | undefined)?.getBuiltinModule?.("node:fs/promises")
  if (files === undefined) throw new TypeError("This platform has no file system; hand in node:fs/promises as fs")
  const previous = `${path}.previous`
  const lock = `${path}.lock`
  const own = () => `${path}.${crypto.randomUUID()}`
  const folder = path.replace(/[^/\\]+$/, "")

  const readText = async (file: string): Promise<string | undefined> => {
    try {
      return await files.readFile(file, "utf8")
    } catch (error) {
      if (isMissing(error)) return undefined
      throw error
    }
  }

  const makeFolder = () => folder === "" ? undefined : files.mkdir(folder, { recursive: true })

  /** Makes a lock; answers whether it could. Rejects where no file can be made there. */
  const makeLock = async (file: string, text: string): Promise<boolean> => {
    try {
      const handle = await files.open(file, "wx", 0o600)
      await handle.writeFile(text, "utf8").finally(() => handle.close())
      return true
    } catch (error) {
      if ((error as { readonly code?: unknown }).code === "EEXIST") return false
      throw error
    }
  }

  const isStale = async (file: string): Promise<boolean> => {
    const age = await files.stat(file).then(({ mtimeMs }) => Date.now() - mtimeMs, () => 0)
    // One from the future is of before the clock was set back.
    return Math.abs(age) >= staleAfter
  }

  /**
   * Takes the lock away from a process that is no more. One process does so at a time, or the second would take away the lock
   * that another has made since; it looks again once it is the one.
   */
  const breakStale = async (): Promise<void> => {
    if (!await isStale(lock)) return
    const breaking = `${lock}.breaking`
    // A process that ended within this function left it.
    if (await isStale(breaking)) await files.rm(breaking, { force: true })
    if (!await makeLock(breaking, "")) return
    try {
      if (await isStale(lock)) await files.rm(lock, { force: true })
    } finally {
      await files.rm(breaking, { force: true })
    }
  }

  /** Takes the lock under a name; answers whether it could. */
  const takeLock = async (name: string): Promise<boolean> => {
    for (const begun = performance.now(); performance.now() - begun < patience;) {
      try {
        await makeFolder()
        if (await makeLock(lock, name)) return true
        await breakStale()
      } catch {
        return false
      }
      await new Promise((resolve) => setTimeout(resolve, 5 + 20 * Math.random()))
    }
    return false
  }

  /** Gives the lock back, unless it was taken away from this process, which was stopped for long. */
  const giveLock = async (name: string): Promise<void> => {
    if (await readText(lock).catch(() => undefined) === name) await files.rm(lock, { force: true })
  }

  return {
    read: () => readText(path),
    readPrevious: () => readText(previous),
    write: async (text) => {
      await makeFolder()
      const temporary = own()
      const handle = await files.open(temporary, "wx", 0o600)
      try {
        try {
          await handle.writeFile(text, "utf8")
          await handle.sync()
        } finally {
          await handle.close()
        }
        await files.copyFile(path, previous).catch((error: unknown) => {
          if (!isMissing(error)) throw error
        })
        await files.rename(temporary, path)
      } catch (error) {
        await files.rm(temporary, { force: true })
        throw error
      }
    },
    exclusively: async (action) => {
      const name = crypto.randomUUID()
      const isTaken = await takeLock(name)
      try {
        return await action()
      } finally {
        if (isTaken) await giveLock(name)
      }
    }
  }
}
