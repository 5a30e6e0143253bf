/** The longest window of a report, in days: use of everything a leap year, that of one subject ten years. */
export const maximumWindowDays = {
  "usage-summary": 366,
  "license-audit": 3660,
  "customer-summary": 3660,
  "subscription-settlement": 3660,
  purchases: 3660,
  statement: 3660,
  rehearsal: 92
} as const

/** The longest window in buckets of an hour, in days. */
export const maximumHourlyDays = 31
