import { Effect, Random } from "effect"

/** Deterministic random numbers from a seed, in the order of the calls. */
export interface Chance {
  /** Uniform from 0 up to `below`. */
  readonly upTo: (below: number) => number
  /** A whole number from `from` to `to`, both included. */
  readonly whole: (from: number, to: number) => number
  /** Whether something happens that does with this probability. */
  readonly happens: (probability: number) => boolean
  readonly pick: <A>(choices: ReadonlyArray<A>) => A
  /** One of the choices, each as likely as its weight says. */
  readonly weighted: <A>(choices: ReadonlyArray<readonly [A, number]>) => A
  readonly bytes: (length: number) => Uint8Array
}

/** Chance by a seed: any text. */
export const makeChance = (seed: string): Chance => {
  const random = Effect.runSync(Random.Random.pipe(Random.withSeed(seed)))
  const upTo = (below: number) => random.nextDoubleUnsafe() * below
  const whole = (from: number, to: number) => from + Math.floor(upTo(to - from + 1))
  return {
    upTo,
    whole,
    happens: (probability) => upTo(1) < probability,
    pick: (choices) => choices[whole(0, choices.length - 1)]!,
    weighted: (choices) => {
      let left = upTo(choices.reduce((sum, [, weight]) => sum + weight, 0))
      for (const [choice, weight] of choices) {
        left -= weight
        if (left < 0) return choice
      }
      return choices.at(-1)![0]
    },
    bytes: (length) => {
      const words = Uint32Array.from({ length: Math.ceil(length / 4) }, () => random.nextDoubleUnsafe() * 2 ** 32)
      return new Uint8Array(words.buffer, 0, length)
    }
  }
}
