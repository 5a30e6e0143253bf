import type { MailLanguage } from "../../../domain/ground/wire/MailLanguage.ts"

/** How dates and amounts are written. Dates are of UTC, and times say so: no script asks the browser where it is. */
export const formatsOf = (language: MailLanguage) => {
  const date = new Intl.DateTimeFormat(language, { dateStyle: "long", timeZone: "UTC" })
  const time = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" })
  return {
    date: (instant: string) => date.format(new Date(instant)),
    time: (instant: string) => `${time.format(new Date(instant))} UTC`,
    amount: (amount: number, decimals = 0) =>
      new Intl.NumberFormat(language, { maximumFractionDigits: decimals }).format(amount / 10 ** decimals)
  }
}

/** How dates and amounts are written in a language. */
export type Formats = ReturnType<typeof formatsOf>
