/** Days that activities are kept unless a setting says otherwise: as long as the longest window of an audit. */
export const activityDays = 3660

/** For how many days refusals are kept, and how many at most: nobody can fill the disk with refused requests. */
export const refusalDays = 90
export const maximumRefusals = 1_000_000
