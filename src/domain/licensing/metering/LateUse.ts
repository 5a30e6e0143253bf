/** How long after a use it may still be reported into its own period, in days. */
export const lateDays = 7
