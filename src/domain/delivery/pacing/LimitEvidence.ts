const second = 1_000

/** The rates that a limit may have, in deliveries a second, each a twentieth above the one before. */
const least = 0.1
const most = 2_000
const factor = 1.05
const rates = Float64Array.from(
  { length: Math.ceil(Math.log(most / least) / Math.log(factor)) + 1 },
  (_, index) => least * factor ** index
)

/** What a receiver may take at once of each rate: so many deliveries, or what arrives in so many seconds. */
const bursts: ReadonlyArray<(rate: number) => number> = [
  () => 1,
  () => 4,
  (rate) => Math.max(1, rate),
  (rate) => Math.max(1, 5 * rate),
  (rate) => Math.max(1, 60 * rate)
]

/** How many deliveries each bucket takes at once, by rate and burst. */
const sizes = Float64Array.from(
  { length: rates.length * bursts.length },
  (_, index) => bursts[index % bursts.length]!(rates[Math.floor(index / bursts.length)]!)
)

/** What is known counts half as much after so long, in milliseconds, rests aside. */
const halfLife = 90 * second

/** And that much less with each answer, so that many answers do not hide a change. */
const fading = 1 - 1 / 2_000

/** How much more often than with a token an answer is a refusal without one, at least. */
const contrast = 1.5

/** How much better a limit must explain the answers than chance: more, the more answers there are to fit it to. */
const evidenceNeeded = (answers: number): number => 2 + Math.log(1 + Math.min(answers, 100))

/** How much a limit of some rate is believed before any answer, as a part of one. */
const prior = 1 / 10

/** Rates whose evidence is this little below the best are as likely. */
const alike = 1.5

/** Half a step of the rates is missing at most to a token, where the limit lies between two of them. */
const token = 1 - (factor - 1) / 2

/** The likelihood (its logarithm) that `refused` of `answers` are refused, at the share that fits best. */
const fit = (refused: number, answers: number): number => {
  const share = (refused + 0.5) / (answers + 1)
  return refused * Math.log(share) + (answers - refused) * Math.log(1 - share)
}

/** What the answers of a receiver say of its limit. */
export interface LikelyLimit {
  /** Whether a limit explains the answers better than chance does. */
  readonly isFound: boolean
  /** Between which rates it lies, in deliveries a second. */
  readonly low: number
  readonly high: number
  /** How many deliveries it takes at once. */
  readonly burst: number
  /** The share that is refused within the limit: by chance. */
  readonly chance: number
  /** The probability that the last refusal came from a limit, and that there is none. */
  readonly ofLimit: number
  readonly ofNone: number
  /** How many answers this is drawn from; old ones count in part. */
  readonly answers: number
}

/** Nothing is known of a receiver. */
export const noLimit: LikelyLimit = {
  isFound: false,
  low: 0,
  high: Number.POSITIVE_INFINITY,
  burst: 1,
  chance: 0,
  ofLimit: 0,
  ofNone: 1,
  answers: 0
}

/**
 * Tells a limit from chance. For each rate and burst that a limit may have it follows the bucket of tokens that the
 * receiver would have, and counts which attempts were refused that found a token, and how many did not. Under the true
 * limit those without a token are refused, and the others only by chance; of a receiver without a limit the tokens of no
 * bucket tell anything. It holds 14 kB, and is forgotten once nothing was refused for five minutes. Times are milliseconds of the caller's clock.
 */
export class LimitEvidence {
  /** The tokens of each bucket, none at the first refusal. */
  readonly #tokens = new Float32Array(sizes.length)
  /** Whether the last refused attempt found none. */
  readonly #wasEmpty = new Uint8Array(sizes.length)
  /** Of the attempts that found a token: all, and those that were refused. */
  readonly #answers = new Float32Array(sizes.length)
  readonly #refused = new Float32Array(sizes.length)
  #allAnswers = 0
  #allRefused = 0
  #unfaded = 0
  #at: number
  #fadedAt: number

  constructor(now: number) {
    this.#at = now
    this.#fadedAt = now
  }

  /** An attempt was answered. */
  answered(startedAt: number, isRefused: boolean): void {
    const seconds = Math.max(0, startedAt - this.#at) / second
    this.#at = Math.max(this.#at, startedAt)
    this.#allAnswers += 1
    this.#unfaded += 1
    if (isRefused) this.#allRefused += 1
    for (let rate = 0, index = 0; rate < rates.length; rate++) {
      const more = rates[rate]! * seconds
      for (let burst = 0; burst < bursts.length; burst++, index++) {
        const tokens = Math.min(sizes[index]!, this.#tokens[index]! + more)
        if (tokens >= token) {
          this.#answers[index]! += 1
          if (isRefused) this.#refused[index]! += 1
        }
        if (isRefused) this.#wasEmpty[index] = tokens < token ? 1 : 0
        this.#tokens[index] = isRefused ? tokens : Math.max(0, tokens - 1)
      }
    }
  }

  /** Nothing could be learned for so long, because the receiver rested. */
  rested(millis: number): void {
    this.#fadedAt += millis
  }

  /** What is likely now. */
  likely(now: number): LikelyLimit {
    this.#fade(now)
    const all = fit(this.#allRefused, this.#allAnswers)
    const best = Array.from(rates, (_, rate) => this.#best(rate, all))
    const top = best.reduce((most, { evidence }) => Math.max(most, evidence), 0)
    const none = Math.exp(evidenceNeeded(this.#allAnswers) - top)
    let sum = none
    let ofLimit = 0
    let low = rates.length
    let high = 0
    for (const [rate, { evidence, index }] of best.entries()) {
      if (evidence === 0) continue
      const weight = Math.exp(evidence - top) * prior
      sum += weight
      if (this.#wasEmpty[index] === 1) ofLimit += weight
      if (evidence < top - alike) continue
      low = Math.min(low, rate)
      high = rate
    }
    const isFound = none < 1
    if (low > high) return { ...noLimit, chance: this.#chanceOfAll, answers: this.#allAnswers }
    const { index } = best[(low + high + 1) >> 1]!
    return {
      isFound,
      low: rates[low]!,
      high: rates[high]!,
      burst: sizes[index]!,
      chance: isFound ? this.#refused[index]! / (this.#answers[index]! + 2) : this.#chanceOfAll,
      ofLimit: ofLimit / sum,
      ofNone: none / sum,
      answers: this.#allAnswers
    }
  }

  get #chanceOfAll(): number {
    return this.#allRefused / (this.#allAnswers + 4)
  }

  /** Which burst explains most at a rate, and how much better than chance does; none: 0. */
  #best(rate: number, all: number): { readonly evidence: number; readonly index: number } {
    let best = { evidence: 0, index: rate * bursts.length }
    for (let index = rate * bursts.length; index < (rate + 1) * bursts.length; index++) {
      const answers = this.#answers[index]!
      const refused = this.#refused[index]!
      const otherAnswers = this.#allAnswers - answers
      const otherRefused = this.#allRefused - refused
      if (answers < 0.5 || otherAnswers < 0.5 || otherRefused < 0.3) continue
      if ((otherRefused + 0.5) / (otherAnswers + 1) < contrast * (refused + 0.5) / (answers + 1)) continue
      const evidence = fit(refused, answers) + fit(otherRefused, otherAnswers) - all
      if (evidence > best.evidence) best = { evidence, index }
    }
    return best
  }

  #fade(now: number): void {
    const part = 0.5 ** (Math.max(0, now - this.#fadedAt) / halfLife) * fading ** this.#unfaded
    this.#fadedAt = Math.max(this.#fadedAt, now)
    this.#unfaded = 0
    this.#allAnswers *= part
    this.#allRefused *= part
    for (let index = 0; index < this.#answers.length; index++) {
      this.#answers[index]! *= part
      this.#refused[index]! *= part
    }
  }
}
